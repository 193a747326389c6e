// SPDX-License-Identifier: MIT
// A comparison as the data of its page (compare --html): the document of --json, and further data for the figures.
#pragma once

#include <string>
#include <vector>

#include "cli/compare/comparison.hpp"
#include "cli/measure/measure.hpp"
#include "cli/text/report.hpp"

namespace skua::cli {

/// How the rows were made, for the page.
struct comparison_origin {
  std::string command = {};  ///< the command that repeats it
  std::string date = {};     ///< of its end
  unsigned warm_up_rounds = 0;
  std::uint64_t seed = 0;               ///< of the order within rounds
  std::vector<std::string> notes = {};  ///< conditions that may have disturbed it
};

/// Adds to `document`, which --json writes and which has a row for each of `c`, in their order: "question", "command",
/// "date", "warm_up_rounds", "seed_of_order", "notes", "summary", "spread" (what part of the rounds it is),
/// "reference", "worker_counts"; and to each row "kind" (serial, policy or peer), "wrong_answers", "first_error",
/// "spread_s", "speed_up", "efficiency" and "to_peer".
[[nodiscard]] json page_data(comparison const& c, json document, comparison_origin const& origin);

/// "heat --n 640": the app and its options, as --json has them.
[[nodiscard]] std::string app_in_words(json const& document);

}  // namespace skua::cli
