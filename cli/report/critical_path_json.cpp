// SPDX-License-Identifier: MIT
// What a report says of flows and their critical paths, in words and as data of the page.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/report/critical_path.hpp"
#include "cli/report/packed.hpp"

namespace skua::cli::traced {
namespace {

constexpr std::size_t most_flows = 6;   // sections of a page
constexpr std::size_t most_nodes = 40;  // of a path, in its table
constexpr std::size_t most_runs = 600;  // points of a chart
constexpr double near_a_limit = 1.25;   // runs that differ by less are hardly told apart

std::string in_times(double ratio) { return fmt::format("{:.{}f} times", ratio, ratio < 9.95 ? 1 : 0); }

/// The longest nodes of the path, in its order.
json path_json(run const& of, flow_times const& flow) {
  std::vector<std::size_t> shown(flow.path.size());
  for (std::size_t i = 0; i < shown.size(); ++i) shown[i] = i;
  auto const ns_at = [&](std::size_t i) { return flow.nodes[flow.path[i]].ns(); };
  std::ranges::stable_sort(shown, std::greater{}, ns_at);
  shown.resize(std::min(shown.size(), most_nodes));
  std::ranges::sort(shown);
  json all = json::array();
  for (std::size_t const i : shown) {
    node_times const& n = flow.nodes[flow.path[i]];
    std::uint64_t const ready = i == 0 ? n.from_ns : flow.nodes[flow.path[i - 1]].to_ns;
    all.push_back({{"position", i + 1},
                   {"number", n.number},
                   {"name", of.names[n.name]},
                   {"began_s", seconds(n.from_ns - flow.from_ns)},
                   {"took_s", seconds(n.ns())},
                   {"waited_s", seconds(n.from_ns - std::min(n.from_ns, ready))},
                   {"members", n.members}});
  }
  return all;
}

json kinds_json(std::vector<kind_times> const& kinds) {
  json all = json::array();
  for (kind_times const& k : kinds) {
    if (all.size() == most_nodes) break;
    all.push_back({{"name", k.name},
                   {"nodes", k.nodes},
                   {"work_s", seconds(k.work_ns)},
                   {"path_nodes", k.on_path},
                   {"path_s", seconds(k.path_ns)}});
  }
  return all;
}

}  // namespace

std::string advice_for(flow_times const& flow, std::vector<kind_times> const& kinds) {
  if (flow.path.empty()) return "The trace has no node of it from begin to end.";
  auto const length = static_cast<double>(flow.ns());
  auto const span = static_cast<double>(flow.span_ns);
  double const shared = static_cast<double>(flow.work_ns) / flow.workers;
  if (length <= near_a_limit * span) {
    kind_times const& most = kinds.front();
    return fmt::format(
        "The run takes {} its span: more workers do not make it faster. Split or speed up {}, which takes {} of the "
        "path.",
        in_times(length / span), most.name, in_percent(static_cast<double>(most.path_ns) / span, 0));
  }
  if (length <= near_a_limit * shared) {
    return fmt::format(
        "The workers are busy with nodes for {} of the run: more workers make it faster, up to about {:.0f}, because "
        "work / span is {:.1f}.",
        in_percent(shared / length, 0), std::max(1.0, std::floor(flow.parallelism())), flow.parallelism());
  }
  return fmt::format(
      "The run takes {} as long as its path and its work allow. Nodes of the path lay ready for {} of the run before "
      "they began: workers ran other nodes first, searched or slept, which the time lines show.",
      in_times(length / std::max(span, shared)), in_percent(static_cast<double>(flow.waited_ns()) / length, 0));
}

json flows_json(run const& of) {
  std::vector<flow_times> const flows = flows_of(of);
  json all = json::array();
  for (same_flows const& same : flows_alike(of, flows)) {
    if (all.size() == most_flows) break;
    flow_times const& flow = flows[same.longest];
    std::vector<kind_times> const kinds = kinds_of(of, flow);
    json rows = json::array();
    std::size_t const each = (same.runs.size() + most_runs - 1) / most_runs;
    for (std::size_t i = 0; i < same.runs.size(); i += each) {
      flow_times const& one = flows[same.runs[i]];
      rows.push_back({{"number", i + 1},
                      {"began_s", seconds(one.from_ns)},
                      {"length_s", seconds(one.ns())},
                      {"work_s", seconds(one.work_ns)},
                      {"span_s", seconds(one.span_ns)}});
    }
    auto const shown = std::ranges::find(same.runs, same.longest) - same.runs.begin();
    all.push_back({{"runs", same.runs.size()},
                   {"shown", shown + 1},
                   {"complete", flow.complete},
                   {"nodes", flow.nodes.size()},
                   {"edges", flow.edges},
                   {"workers", flow.workers},
                   {"began_s", seconds(flow.from_ns)},
                   {"length_s", seconds(flow.ns())},
                   {"work_s", seconds(flow.work_ns)},
                   {"span_s", seconds(flow.span_ns)},
                   {"parallelism", rounded(flow.parallelism())},
                   {"waited_s", seconds(flow.waited_ns())},
                   {"advice", advice_for(flow, kinds)},
                   {"kinds", kinds_json(kinds)},
                   {"path_nodes", flow.path.size()},
                   {"path", path_json(of, flow)},
                   {"rows", std::move(rows)}});
  }
  return all;
}

}  // namespace skua::cli::traced
