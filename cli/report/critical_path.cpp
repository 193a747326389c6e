// SPDX-License-Identifier: MIT
#include "cli/report/critical_path.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace skua::cli::traced {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

std::uint32_t run_of(std::uint64_t id) noexcept { return static_cast<std::uint32_t>(id >> 32); }
std::uint32_t number_of(std::uint64_t id) noexcept { return static_cast<std::uint32_t>(id); }

/// The events of one run of a flow.
class collected_flow {
 public:
  void take(event const& e) {
    from_ns_ = std::min(from_ns_, e.ticks);
    to_ns_ = std::max(to_ns_, e.ticks);
    switch (e.what) {
      case kind::flow_began: has_begun_ = true; break;
      case kind::flow_ended: ended_with_ = e.value; break;
      case kind::node_began: begin(e); break;
      case kind::node_ended: end(e); break;
      default: break;
    }
    for_each_successor(e, [&](std::uint64_t to) { edges_.push_back({number_of(e.id), number_of(to)}); });
  }

  [[nodiscard]] flow_times finish(std::uint32_t workers) {
    flow_times all{.from_ns = from_ns_, .to_ns = to_ns_, .workers = workers, .nodes = {}, .path = {}};
    std::unordered_map<std::uint32_t, std::uint32_t> index_of;
    for (auto const& [number, n] : nodes_) {
      if (n.begins == 0 || n.begins != n.ends) continue;  // the rest of it is not in the trace
      node_times one = n.times;
      one.members = n.begins;
      one.work_ns = n.sum_of_ends - n.sum_of_begins;
      one.to_ns = std::max(one.from_ns, one.to_ns);  // clocks of two processors may differ by some nanoseconds
      all.work_ns += one.work_ns;
      index_of.emplace(number, static_cast<std::uint32_t>(all.nodes.size()));
      all.nodes.push_back(one);
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (auto const& [from, to] : edges_) {
      auto const a = index_of.find(from);
      auto const b = index_of.find(to);
      if (a != index_of.end() && b != index_of.end()) edges.push_back({a->second, b->second});
    }
    std::ranges::sort(edges);  // a node that adds another one may have an edge to it as well
    edges.erase(std::ranges::unique(edges).begin(), edges.end());
    all.edges = edges.size();
    bool const is_acyclic = find_path(all, edges);
    all.complete = is_acyclic && has_begun_ && ended_with_ == all.nodes.size();
    return all;
  }

 private:
  struct node {
    node_times times;
    std::uint32_t begins = 0, ends = 0;
    std::uint64_t sum_of_begins = 0, sum_of_ends = 0;
  };

  void begin(event const& e) {
    node& n = nodes_[number_of(e.id)];
    n.times.number = number_of(e.id);
    n.times.name = e.other;
    n.times.from_ns = n.begins++ == 0 ? e.ticks : std::min(n.times.from_ns, e.ticks);
    n.sum_of_begins += e.ticks;
  }
  void end(event const& e) {
    node& n = nodes_[number_of(e.id)];
    ++n.ends;
    n.times.to_ns = std::max(n.times.to_ns, e.ticks);
    n.sum_of_ends += e.ticks;
  }

  /// False: there is a cycle, which only a damaged trace has.
  static bool find_path(flow_times& all, std::vector<std::pair<std::uint32_t, std::uint32_t>> const& edges) {
    std::size_t const n = all.nodes.size();
    std::vector<std::uint32_t> waits(n), order, before(n, none);
    std::vector<std::uint64_t> length(n);
    for (auto const& [from, to] : edges) ++waits[to];
    for (std::uint32_t i = 0; i < n; ++i) {
      length[i] = all.nodes[i].ns();
      if (waits[i] == 0) order.push_back(i);
    }
    for (std::size_t at = 0; at < order.size(); ++at) {
      std::uint32_t const from = order[at];
      auto const first = std::ranges::lower_bound(edges, std::pair{from, std::uint32_t{0}});
      for (auto e = first; e != edges.end() && e->first == from; ++e) {
        std::uint32_t const to = e->second;
        std::uint64_t const by_this = length[from] + all.nodes[to].ns();
        if (before[to] == none || by_this > length[to]) {
          length[to] = by_this;
          before[to] = from;
        }
        if (--waits[to] == 0) order.push_back(to);
      }
    }
    if (n == 0 || order.empty()) return n == 0;
    std::uint32_t last = order.front();
    for (std::uint32_t const i : order)
      if (length[i] > length[last]) last = i;
    all.span_ns = length[last];
    for (std::uint32_t i = last; i != none; i = before[i]) all.path.push_back(i);
    std::ranges::reverse(all.path);
    return order.size() == n;
  }

  std::uint64_t from_ns_ = std::numeric_limits<std::uint64_t>::max(), to_ns_ = 0;
  bool has_begun_ = false;
  std::uint64_t ended_with_ = std::numeric_limits<std::uint64_t>::max();
  std::map<std::uint32_t, node> nodes_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;  ///< numbers
};

}  // namespace

double flow_times::parallelism() const noexcept {
  return span_ns == 0 ? 1 : static_cast<double>(work_ns) / static_cast<double>(span_ns);
}

std::uint64_t flow_times::waited_ns() const noexcept {
  std::uint64_t all = 0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    std::uint64_t const ready = nodes[path[i - 1]].to_ns;
    std::uint64_t const began = nodes[path[i]].from_ns;
    if (began > ready) all += began - ready;
  }
  return all;
}

std::vector<flow_times> flows_of(run const& of) {
  std::map<std::uint32_t, collected_flow> flows;
  std::map<std::uint32_t, std::uint32_t> pool_of, workers_of_pool;
  for (traced_worker const& w : of.workers) {
    ++workers_of_pool[w.pool];
    for (event const& e : w.events) {
      if (e.what < kind::flow_began || e.what > kind::released) continue;
      flows[run_of(e.id)].take(e);
      pool_of[run_of(e.id)] = w.pool;
    }
  }
  std::vector<flow_times> all;
  for (auto& [number, flow] : flows) all.push_back(flow.finish(workers_of_pool[pool_of[number]]));
  std::ranges::stable_sort(all, {}, &flow_times::from_ns);
  return all;
}

std::vector<same_flows> flows_alike(run const& of, std::vector<flow_times> const& all) {
  using look = std::tuple<std::size_t, std::uint64_t, std::vector<std::pair<std::string, std::uint64_t>>>;
  std::map<look, same_flows> found;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    std::map<std::string, std::uint64_t> names;
    for (node_times const& n : all[i].nodes) ++names[kind_of_node(of.names[n.name])];
    same_flows& same = found[{all[i].nodes.size(), all[i].edges, {names.begin(), names.end()}}];
    auto const rank = [&](std::uint32_t f) { return std::pair(all[f].complete, all[f].ns()); };
    if (same.runs.empty() || rank(i) > rank(same.longest)) same.longest = i;
    same.runs.push_back(i);
  }
  std::vector<same_flows> groups;
  for (auto& [key, same] : found) groups.push_back(std::move(same));
  std::ranges::stable_sort(groups, std::greater{}, [&](same_flows const& g) {
    std::uint64_t ns = 0;
    for (std::uint32_t const f : g.runs) ns += all[f].ns();
    return ns;
  });
  return groups;
}

std::string kind_of_node(std::string_view name) {
  auto const is = [](int (*what)(int), char c) { return what(static_cast<unsigned char>(c)) != 0; };
  std::size_t end = 0;
  while (end < name.size() && !(is(std::isdigit, name[end]) && (end == 0 || !is(std::isalnum, name[end - 1])))) ++end;
  std::size_t kept = end;
  if (end < name.size())
    while (kept > 0 && !is(std::isalnum, name[kept - 1])) --kept;
  return std::string(kept == 0 ? name : name.substr(0, kept));
}

std::vector<kind_times> kinds_of(run const& of, flow_times const& flow) {
  std::map<std::string, kind_times> found;
  std::vector<kind_times*> by_name(of.names.size());  // a kind is looked up once for each name
  auto const kind_named = [&](std::uint32_t name) -> kind_times& {
    if (by_name[name] == nullptr) {
      std::string const text = kind_of_node(of.names[name]);
      by_name[name] = &found.try_emplace(text, kind_times{.name = text}).first->second;
    }
    return *by_name[name];
  };
  for (node_times const& n : flow.nodes) {
    kind_times& k = kind_named(n.name);
    ++k.nodes;
    k.work_ns += n.work_ns;
  }
  for (std::uint32_t const i : flow.path) {
    kind_times& k = kind_named(flow.nodes[i].name);
    ++k.on_path;
    k.path_ns += flow.nodes[i].ns();
  }
  std::vector<kind_times> all;
  for (auto& [name, k] : found) all.push_back(std::move(k));
  std::ranges::stable_sort(all, [](kind_times const& a, kind_times const& b) {
    return std::pair(b.path_ns, b.work_ns) < std::pair(a.path_ns, a.work_ns);
  });
  return all;
}

}  // namespace skua::cli::traced
