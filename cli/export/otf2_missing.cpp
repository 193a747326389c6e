// SPDX-License-Identifier: MIT
// Stands in for otf2.cpp where the OTF2 library was not found.
#include "cli/export/formats.hpp"
#include "cli/text/option_values.hpp"

namespace skua::cli {

bool has_otf2() noexcept { return false; }

void write_otf2(timeline const&, std::string const&) {
  refuse("--format", "otf2",
         "perfetto, json and csv, because this build found no OTF2 library (package libotf2-trace-dev)");
}

}  // namespace skua::cli
