// SPDX-License-Identifier: MIT
// One run as `skua report` sees it: the trace files of its pools and ranks, merged into one list of workers on one clock.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/text/report.hpp"
#include "skua/parts/trace/event.hpp"
#include "skua/parts/trace/trace_reader.hpp"

namespace skua::cli::traced {

using trace::event;
using trace::kind;

/// A worker, and what it did. Events have run-wide references: `other` of stolen, lost, sent and moved is an index into
/// run::workers (but see run::is_from_rank), and that of task_began, member_began, node_began, called, region_opened, mark,
/// scheduler_changed (whose `id` is another one) and call_choice is an index into run::names. `count` of stolen is an index into run::distances.
/// The runs of flows, in the upper half of the `id` of their events, are numbered through.
struct traced_worker {
  std::uint32_t rank = 0;
  std::uint32_t pool = 0;                              ///< which of the run's files
  std::int64_t place = -1, node = -1, processor = -1;  ///< -1: unknown; places of other ranks have other numbers
  std::vector<event> events;                           ///< oldest first; ticks: nanoseconds since the run began
  std::uint64_t lost = 0;                              ///< older events that were overwritten
};

struct run {
  std::string label;  ///< the base name of its files
  std::string program, command, host, policy, version, machine;
  json options = json::object();
  bool simulated = false;
  bool complete = true;  ///< every process ended its trace
  std::uint32_t ranks = 1;
  std::uint64_t length_ns = 0;  ///< from the first event to the last
  std::vector<traced_worker> workers;
  std::vector<traced_worker> outside;  ///< tracks of threads that are no workers: they note marks and regions
  std::vector<std::string> names;      ///< short ones (text/short_name.hpp)
  std::vector<std::string> distances;  ///< names of the classes that `stolen` counts
  std::optional<std::uint16_t> distance_of_ranks;  ///< that of steals from other ranks

  /// Of a steal: its victim is a rank, whose number `other` is.
  [[nodiscard]] bool is_from_rank(event const& e) const noexcept {
    return e.what == kind::stolen && distance_of_ranks && e.count == *distance_of_ranks;
  }

  [[nodiscard]] std::uint64_t events() const noexcept;
  [[nodiscard]] std::uint64_t lost() const noexcept;
};

/// Merges the files of one run. Throws usage_error if a simulated and a measured one are among them.
[[nodiscard]] run merge(std::string label, std::vector<trace::trace_data> files);

/// Only what happened in [from_ns, to_ns) of the run, which then begins at from_ns. What a worker was doing at that moment
/// is kept.
[[nodiscard]] run cut(run whole, std::uint64_t from_ns, std::uint64_t to_ns);

/// Reads and merges the files of `base` (trace::files_of_trace). Throws usage_error.
[[nodiscard]] run read_run(std::string const& base);

}  // namespace skua::cli::traced
