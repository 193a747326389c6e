// SPDX-License-Identifier: MIT
// Reads a trace file into memory: tracks in the order of time, times in nanoseconds, names as text. Format: trace.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "skua/parts/trace/event.hpp"

namespace skua { inline namespace v0 { namespace trace {

/// An event of a trace that has been read: `ticks` is nanoseconds since the trace began, at least 0.
struct track_events {
  std::vector<event> events;  ///< oldest first
  std::uint64_t lost = 0;     ///< older ones that were overwritten
  std::uint64_t missing = 0;  ///< newer ones that the file ends before; 0 if their number is missing, too
  bool is_cut = false;        ///< the file ends before this track's end: what follows `events` is unknown
};

struct trace_data {
  std::string path;
  std::string description;  ///< JSON
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  bool is_virtual = false;       ///< simulated
  bool is_complete = false;      ///< false: its process has not ended the trace
  std::uint64_t began_ns = 0;    ///< monotonic clock of rank 0; 0 if virtual
  std::uint64_t wall_ns = 0;     ///< since 1970; 0 if virtual
  std::uint64_t ended_ns = 0;    ///< since it began: that of the last event, or of the end
  std::uint64_t file_bytes = 0;  ///< as its header says
  std::uint64_t cut_bytes = 0;   ///< of them, those that the file lacks
  std::vector<track_events> tracks;
  std::string names;  ///< NUL-terminated texts; `name` finds one
  std::unordered_map<std::uint32_t, std::string>
      in_words;  ///< other texts for names, which whoever shows them has found

  [[nodiscard]] std::string_view name(std::uint32_t at) const noexcept {
    if (auto const found = in_words.find(at); found != in_words.end()) return found->second;
    return at < names.size() ? std::string_view(names.c_str() + at) : std::string_view();
  }
};

/// Throws usage_error, which names the file, if it cannot be read, is no trace, or has lengths that contradict each other. A
/// file cut short gives what it has, and says of which tracks it is not all. Memory: the file's size and its events.
[[nodiscard]] trace_data read_trace(std::string const& path);

/// The files of one run whose traces were named `base` (SKUA_TRACE): base, base-2, .. for its pools, and base.0, base.1, ..
/// for its ranks. Throws usage_error if there is none.
[[nodiscard]] std::vector<std::string> files_of_trace(std::string const& base);

}}}  // namespace skua::v0::trace
