// SPDX-License-Identifier: MIT
// The formats that traces can be exported to: one function each, from a timeline, or for CSV from the events, to the text
// of a file.
#pragma once

#include <span>
#include <string>

#include "cli/export/timeline.hpp"
#include "skua/parts/trace/trace_reader.hpp"

namespace skua::cli {

/// Perfetto's TrackEvent packets, for ui.perfetto.dev and Perfetto's SQL: any size.
[[nodiscard]] std::string perfetto_of(timeline const& t);

/// The JSON of Chrome's tracing page, which many viewers read, ui.perfetto.dev too. Larger and slower than perfetto_of.
[[nodiscard]] std::string chrome_json_of(timeline const& t);

/// A line for each event, failed attempts to steal too. RFC 4180.
[[nodiscard]] std::string csv_of(std::span<trace::trace_data const> traces);

/// Whether this build has the library that writes OTF2.
[[nodiscard]] bool has_otf2() noexcept;
/// A folder with the archive traces.otf2: slices, counters, points as regions without length, and arrows,
/// but for those from stay to stay. Throws
/// usage_error if the folder exists or this build has no OTF2, resource_error if it cannot be written.
void write_otf2(timeline const& t, std::string const& folder);

}  // namespace skua::cli
