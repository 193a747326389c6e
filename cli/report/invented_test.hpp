// SPDX-License-Identifier: MIT
// Runs that tests invent: events of a few workers, times in nanoseconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/report/run.hpp"

namespace skua::cli::traced {

inline event at(std::uint64_t ns, event e) {
  e.ticks = ns;
  return e;
}

/// One list of events per worker. The run is as long as its last event says.
inline run invented(std::vector<std::vector<event>> workers,
                    std::vector<std::string> names = {"", "a", "b", "iteration"}) {
  run r;
  r.label = "t";
  r.program = "p";
  r.names = std::move(names);
  for (auto& events : workers) {
    for (event const& e : events) r.length_ns = std::max(r.length_ns, e.ticks);
    r.workers.emplace_back().events = std::move(events);
  }
  return r;
}

}  // namespace skua::cli::traced
