// SPDX-License-Identifier: MIT
// One run as `skua report` sees it: the trace files of its pools and ranks, merged into one list of workers on one clock.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/report/again.hpp"
#include "cli/text/report.hpp"
#include "skua/parts/trace/event.hpp"
#include "skua/parts/trace/trace_reader.hpp"

namespace skua::cli::traced {

using trace::event;
using trace::kind;

inline constexpr std::uint64_t to_the_end = ~std::uint64_t{0};

/// A worker, and what it did. Events have run-wide references: `other` of stolen, lost, sent and moved is an index into
/// run::workers (but see run::is_from_rank), and that of task_began, member_began, node_began, construct_began, called, region_opened, mark,
/// scheduler_changed (whose `id` is another one) and call_choice is an index into run::names. `count` of stolen is an index into run::distances.
/// The runs of flows, in the upper half of the `id` of their events, are numbered through.
struct traced_worker {
  std::uint32_t rank = 0;
  std::uint32_t pool = 0;                              ///< which of the run's files
  std::int64_t place = -1, node = -1, processor = -1;  ///< -1: unknown; places of other ranks have other numbers
  double speed = 1;                                    ///< as a part of the fastest ones', on cores of several kinds
  std::vector<event> events;                           ///< oldest first; ticks: nanoseconds since the run began
  std::uint64_t lost = 0;                              ///< older events that were overwritten
  std::uint64_t missing = 0;               ///< newer events that a file cut short lacks, if it says how many
  std::uint64_t known_to_ns = to_the_end;  ///< what it did later is in no file
};

struct run {
  std::string label;  ///< the base name of its files, and its process if several have it
  std::string program, command, host, policy, version, machine;
  start_of_run how;
  json options = json::object();
  bool simulated = false;
  bool complete = true;  ///< every process ended its trace
  std::uint32_t ranks = 1;
  std::uint64_t cut_bytes = 0;  ///< that its files lack, of those that their headers state
  std::uint64_t length_ns =
      0;  ///< from the first event to the last, or to where overwritten and missing ones may have been
  std::uint64_t uncounted_ns =
      0;  ///< left out of length_ns: before, between and after the program's runs (counted.hpp)
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
  /// Nothing was overwritten or cut off, and every process ended its trace: counts and sums are those of the run.
  [[nodiscard]] bool is_whole() const noexcept;
};

/// Merges the files of one run. Throws usage_error if a simulated and a measured one are among them.
[[nodiscard]] run merge(std::string label, std::vector<trace::trace_data> files);

/// Only what happened in [from_ns, to_ns) of the run, which then begins at from_ns. What a worker was doing at that moment
/// is kept.
[[nodiscard]] run cut(run whole, std::uint64_t from_ns, std::uint64_t to_ns);

/// Reads the files of `base` (trace::files_of_trace), and merges those of each program run: usually all. Files that several
/// processes wrote under one name, or that a job of another number of ranks left, are runs of their own, whose labels say
/// which process wrote them. Throws usage_error.
[[nodiscard]] std::vector<run> read_runs(std::string const& base);

/// The same for files that have been read.
[[nodiscard]] std::vector<run> runs_of(std::string const& base, std::vector<trace::trace_data> files);

}  // namespace skua::cli::traced
