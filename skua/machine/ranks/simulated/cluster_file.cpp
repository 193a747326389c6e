// SPDX-License-Identifier: MIT
// Reads the TOML of a cluster. A figure is written as in a machine model: a number, or { value, assumed, low, high, source }.
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "skua/machine/ranks/simulated/cluster.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/parts/base/toml_depth.hpp"

namespace skua { inline namespace v0 { namespace ranks {
namespace {

/// The kind of a figure's value.
enum class figure_kind : std::uint8_t { count, bandwidth, time };

struct figure_rule {
  std::string_view table;
  std::string_view key;
  figure_kind kind;
  void (*put)(cluster& in, double value);
};

constexpr std::array<figure_rule, 11> rules{{
    {"layout", "ranks_per_node", figure_kind::count,
     [](cluster& c, double v) { c.ranks_per_node = static_cast<std::uint32_t>(v); }},
    {"layout", "nodes_per_switch", figure_kind::count,
     [](cluster& c, double v) { c.nodes_per_switch = static_cast<std::uint32_t>(v); }},
    {"node", "latency_ns", figure_kind::time,
     [](cluster& c, double v) { c.in_node.latency_ns = static_cast<std::uint64_t>(v); }},
    {"node", "bytes_per_ns", figure_kind::bandwidth, [](cluster& c, double v) { c.in_node.bytes_per_s = v * 1e9; }},
    {"switch", "latency_ns", figure_kind::time,
     [](cluster& c, double v) { c.in_switch.latency_ns = static_cast<std::uint64_t>(v); }},
    {"switch", "bytes_per_ns", figure_kind::bandwidth, [](cluster& c, double v) { c.in_switch.bytes_per_s = v * 1e9; }},
    {"system", "latency_ns", figure_kind::time,
     [](cluster& c, double v) { c.in_system.latency_ns = static_cast<std::uint64_t>(v); }},
    {"system", "bytes_per_ns", figure_kind::bandwidth, [](cluster& c, double v) { c.in_system.bytes_per_s = v * 1e9; }},
    {"runtime", "handler_ns", figure_kind::time,
     [](cluster& c, double v) { c.handler_ns = static_cast<std::uint64_t>(v); }},
    {"runtime", "task_overhead_ns", figure_kind::time,
     [](cluster& c, double v) { c.task_overhead_ns = static_cast<std::uint64_t>(v); }},
    {"runtime", "balance_step_ns", figure_kind::time,
     [](cluster& c, double v) { c.balance_step_ns = static_cast<std::uint64_t>(v); }},
}};

constexpr std::string_view allowed_for(figure_kind what) {
  return what == figure_kind::count       ? "a whole number from 1 to 1000000"
         : what == figure_kind::bandwidth ? "a number from 0.000001 to 1000000"
                                          : "a number from 0 to 1000000000000";
}

bool fits(double v, figure_kind what) {
  if (what == figure_kind::count) return v >= 1 && v <= 1e6 && v == std::floor(v);
  if (what == figure_kind::bandwidth) return v >= 1e-6 && v <= 1e6;
  return v >= 0 && v <= 1e12;
}

class reader {
 public:
  reader(toml::table const& all, std::string_view origin) : all_(all), origin_(origin) {}

  cluster take() {
    check(all_, "the top level", {"name", "about", "layout", "node", "switch", "system", "runtime"});
    read_.name = words("name");
    read_.about = words("about");
    for (std::string_view const name : {"layout", "node", "switch", "system", "runtime"}) check_table(name);
    for (figure_rule const& rule : rules) rule.put(read_, figure(rule));
    toml::node const* const served = table("runtime")["server_thread"].node();
    if (served != nullptr) {
      if (!served->is_boolean()) refuse(*served, "runtime.server_thread must be true or false");
      read_.polling = !served->as_boolean()->get();
    }
    return std::move(read_);
  }

 private:
  [[noreturn]] void refuse(toml::node const& at, std::string const& why) const {
    throw usage_error(
        runtime::printable(std::string(origin_) + ":" + std::to_string(at.source().begin.line) + ": " + why));
  }

  void check(toml::table const& in, std::string const& where, std::vector<std::string_view> const& allowed) const {
    for (auto const& [key, what] : in) {
      if (std::ranges::find(allowed, key.str()) != allowed.end()) continue;
      std::string known;
      for (std::string_view const a : allowed) known += (known.empty() ? "" : ", ") + std::string(a);
      refuse(what, "there is no key " + std::string(key.str()) + " in " + where + "; allowed: " + known);
    }
  }

  void check_table(std::string_view name) const {
    toml::node const* const what = all_.get(name);
    if (what == nullptr) refuse(all_, "the table [" + std::string(name) + "] is missing");
    if (!what->is_table()) refuse(*what, std::string(name) + " must be a table, [" + std::string(name) + "]");
    std::vector<std::string_view> keys;
    for (figure_rule const& rule : rules) {
      if (rule.table == name) keys.push_back(rule.key);
    }
    if (name == "runtime") keys.push_back("server_thread");
    check(*what->as_table(), "[" + std::string(name) + "]", keys);
  }

  [[nodiscard]] toml::table const& table(std::string_view name) const { return *all_.get(name)->as_table(); }

  [[nodiscard]] std::string words(std::string_view key) const {
    toml::node const* const what = all_.get(key);
    if (what == nullptr) refuse(all_, std::string(key) + " is missing; allowed: words in quotes");
    if (!what->is_string()) refuse(*what, std::string(key) + " must be words in quotes");
    return what->as_string()->get();
  }

  [[nodiscard]] double figure(figure_rule const& rule) {
    std::string const key = std::string(rule.table) + "." + std::string(rule.key);
    toml::node const* const what = table(rule.table).get(rule.key);
    if (what == nullptr)
      refuse(table(rule.table), key + " is missing; allowed: " + std::string(allowed_for(rule.kind)));
    if (!what->is_table()) return number(*what, key, rule.kind);
    toml::table const& in = *what->as_table();
    check(in, key, {"value", "assumed", "low", "high", "source"});
    bool const assumed = in["assumed"].value_or(false);
    double const value = end(in, "value", key, rule.kind);
    if (assumed || in.contains("low") || in.contains("high")) {
      bool const ordered = end(in, "low", key, rule.kind) <= value && value <= end(in, "high", key, rule.kind);
      if (!ordered) refuse(in, key + ": allowed: low <= value <= high");
    }
    if (assumed) read_.assumed += (read_.assumed.empty() ? "" : ", ") + key;
    return value;
  }

  [[nodiscard]] double end(toml::table const& in, std::string_view which, std::string const& key,
                           figure_kind what) const {
    toml::node const* const at = in.get(which);
    if (at == nullptr) refuse(in, key + "." + std::string(which) + " is missing; an assumed figure has low and high");
    return number(*at, key + "." + std::string(which), what);
  }

  [[nodiscard]] double number(toml::node const& at, std::string const& key, figure_kind what) const {
    double const v = at.is_number() ? *at.value<double>() : std::nan("");
    if (!fits(v, what)) refuse(at, key + " must be " + std::string(allowed_for(what)));
    return v;
  }

  toml::table const& all_;
  std::string_view origin_;
  cluster read_;
};

}  // namespace

cluster parse_cluster(std::string_view text, std::string_view origin) {
  auto const refuse = [&](std::uint32_t line, std::string const& why) {
    throw usage_error(runtime::printable(std::string(origin) + ":" + std::to_string(line) + ": " + why));
  };
  if (std::uint32_t const line = runtime::line_of_deep_key(text); line > 0) {
    refuse(line, "a key has more than " + std::to_string(runtime::most_key_parts) + " parts");
  }
  toml::table all;
  try {
    all = toml::parse(text);
  } catch (toml::parse_error const& fault) {
    refuse(fault.source().begin.line, "this is not TOML: " + std::string(fault.description()));
  }
  return reader(all, origin).take();
}

}}}  // namespace skua::v0::ranks
