// SPDX-License-Identifier: MIT
// From the events of traces to what is drawn. A task that parks, or moves to another worker, is one slice per stay; arrows
// lead from stay to stay, from a victim to what its thief runs, from a sender to what the receiver runs, and from message
// to message between ranks.
//
// Rings forget their oldest events, and a crash cuts the newest. So an end without a beginning is dropped, and a beginning
// without an end lasts until something shows that it has ended, or until the trace ends. Its slice says that it was cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/export/timeline.hpp"
#include "skua/parts/trace/trace_reader.hpp"

namespace skua::cli {

/// Traces of one run, side by side: time 0 is when the first of them began. Failed attempts to steal are left out.
[[nodiscard]] timeline timeline_of(std::span<trace::trace_data const> traces);

/// The offset of each trace's times, so that all traces have one beginning.
[[nodiscard]] std::vector<std::uint64_t> offsets_of(std::span<trace::trace_data const> traces);

/// "rank 1: fib, adws": which of the traces this is, and what its description says. `pool` counts those of the rank from 1.
[[nodiscard]] std::string pool_name(trace::trace_data const& t, std::uint32_t pool);

/// Of the tracks, those that are workers' own; the others are of threads from outside.
[[nodiscard]] std::size_t workers_of(trace::trace_data const& t);

/// Of the distances that `stolen` counts in this trace, the one whose victims are ranks; none in that of a pool.
[[nodiscard]] std::optional<std::uint16_t> distance_of_ranks(trace::trace_data const& t);

/// The number of each trace among those of its rank, from 1.
[[nodiscard]] std::vector<std::uint32_t> pool_numbers(std::span<trace::trace_data const> traces);

}  // namespace skua::cli
