// SPDX-License-Identifier: MIT
// The events of a flow in a trace: when its nodes began and ended, and which nodes waited for them. A flow writes an
// edge when the node at its beginning ends, so a trace has the edges of that run. Meaning of the events:
// skua/parts/trace/event.hpp; trace.md, "Flows".
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skua/parts/trace/event.hpp"
#include "skua/program/flow/graph.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A `here` that may have a trace. Laws:
///  * begin_traced_flow(here)    returns a number for a run of a flow, unique in the trace; 0 if there is no trace
///  * name_in_trace(here, text)  returns the position of a name
///  * trace_ticks(here)          returns the present time
///  * note_event(here, e, name)  writes e at the present time, under `name` unless that is null
///  * note_event_at(here, e)     writes e, whose time is one that trace_ticks returned
template <class Here>
concept traces_flows = requires(Here& here, trace::event const& e, char const* text) {
  { begin_traced_flow(here) } -> std::same_as<std::uint32_t>;
  { name_in_trace(here, std::string_view(text)) } -> std::same_as<std::uint32_t>;
  { trace_ticks(here) } -> std::same_as<std::uint64_t>;
  note_event(here, e, text);
  note_event_at(here, e);
};

/// For a `here` without traces: writes nothing.
template <class Here>
class flow_trace {
 public:
  static constexpr bool is_on() noexcept { return false; }
  void begin(Here&, flow_graph const&) noexcept {}
  void end(Here&, flow_graph const&) noexcept {}
  void node_begins(Here&, flow_node const&, std::uint32_t) noexcept {}
  void node_ends(Here&, flow_node const&) noexcept {}
  static constexpr std::uint64_t now(Here const&) noexcept { return 0; }
  void releases(Here&, trace::kind, std::uint64_t, flow_node const&, flow_nodes const&,
                flow_edge<flow_node> const*) noexcept {}
};

template <traces_flows Here>
class flow_trace<Here> {
 public:
  /// True if the run writes a trace.
  [[nodiscard]] bool is_on() const noexcept { return run_ != 0; }

  // Before and after a run. `begin` looks up each name once, so that nodes need not.

  void begin(Here& here, flow_graph const& of) {
    run_ = begin_traced_flow(here);
    if (run_ == 0) return;
    std::vector<std::string> const& names = of.names();
    while (positions_.size() < names.size()) positions_.push_back(name_in_trace(here, names[positions_.size()]));
    note_event(here, {.what = trace::kind::flow_began, .id = trace::id_of_node(run_, 0), .value = of.nodes()}, nullptr);
  }
  void end(Here& here, flow_graph const& of) noexcept {
    if (run_ == 0) return;
    note_event(here, {.what = trace::kind::flow_ended, .id = trace::id_of_node(run_, 0), .value = of.nodes()}, nullptr);
    run_ = 0;
  }

  // For running nodes, if is_on().

  void node_begins(Here& here, flow_node const& n, std::uint32_t width) noexcept {
    trace::event e = event_of(trace::kind::node_began, n);
    e.detail = static_cast<std::uint8_t>(n.hints.type.value_or(task_type{0}).number);
    e.count = static_cast<std::uint16_t>(width);
    if (n.label < positions_.size()) e.other = positions_[n.label];
    note_event(here, e, e.other == 0 ? n.kind->function : nullptr);
  }
  /// For a member of a team, and for a node that threw: they release no nodes.
  void node_ends(Here& here, flow_node const& n) noexcept {
    note_event(here, event_of(trace::kind::node_ended, n), nullptr);
  }

  [[nodiscard]] static std::uint64_t now(Here const& here) noexcept { return trace_ticks(here); }
  /// Writes which nodes waited for `n`: the nodes that it added, and the ends of its edges, which begin with `first`.
  /// `what` is node_ended, or released if the end of `n` has been written.
  void releases(Here& here, trace::kind what, std::uint64_t ticks, flow_node const& n, flow_nodes const& added,
                flow_edge<flow_node> const* first) noexcept {
    trace::event e = event_of(what, n);
    e.ticks = ticks;
    auto const add = [&](flow_node const& to) {
      if (e.count == trace::most_successors) {
        note_event_at(here, e);
        e = event_of(trace::kind::released, n);
        e.ticks = ticks;
      }
      trace::add_successor(e, to.number);
    };
    for (flow_node const* a = added.first; a != nullptr; a = a == added.last ? nullptr : a->next) add(*a);
    for (; first != nullptr; first = first->next) add(*first->successor);
    if (e.what == trace::kind::node_ended || e.count > 0) note_event_at(here, e);
  }

 private:
  [[nodiscard]] trace::event event_of(trace::kind what, flow_node const& n) const noexcept {
    return {.what = what, .id = trace::id_of_node(run_, n.number)};
  }

  std::uint32_t run_ = 0;                 ///< 0: the run writes no trace
  std::vector<std::uint32_t> positions_;  ///< in the trace, of the names of nodes, by label
};

}}}  // namespace skua::v0::runtime
