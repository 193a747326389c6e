// SPDX-License-Identifier: MIT
// For tests of flows: the serial elision with a trace that keeps its events.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skua/parts/trace/event.hpp"
#include "skua/program/flow/flow_trace.hpp"
#include "skua/program/serial.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The serial elision with a trace. Its clock advances by one at each reading.
struct traced_serial : serial {
  std::uint32_t next_run = 7;  ///< 0: there is no trace
  std::vector<std::string> names{""};
  std::vector<std::pair<trace::event, std::string>> events;  ///< each with the function that was written with it
  std::uint64_t now = 100;

  template <class Body>
  decltype(auto) finish(Body&& body) {
    return finish_serially(*this, std::forward<Body>(body));
  }
  friend std::uint32_t begin_traced_flow(traced_serial& h) noexcept { return h.next_run == 0 ? 0 : h.next_run++; }
  friend std::uint32_t name_in_trace(traced_serial& h, std::string_view text) {
    auto const at = std::ranges::find(h.names, text);
    if (at == h.names.end()) h.names.emplace_back(text);
    return static_cast<std::uint32_t>(std::ranges::find(h.names, text) - h.names.begin());
  }
  friend std::uint64_t trace_ticks(traced_serial const& h) noexcept { return ++const_cast<traced_serial&>(h).now; }
  friend void note_event(traced_serial& h, trace::event e, char const* function) {
    e.ticks = ++h.now;
    h.events.emplace_back(e, function == nullptr ? "" : function);
  }
  friend void note_event_at(traced_serial& h, trace::event const& e) { h.events.emplace_back(e, ""); }
  friend void note_mark(traced_serial& h, char const* name, std::uint64_t number) {
    h.marks.emplace_back(name, number);
  }
  std::vector<std::pair<std::string, std::uint64_t>> marks{};
  /// Charges 1000 ticks for the code that has run.
  void charge_time() { now += 1000; }
};

template <>
inline constexpr bool is_checked_fork_join<traced_serial> = true;
static_assert(traces_flows<traced_serial>);

}}}  // namespace skua::v0::runtime
