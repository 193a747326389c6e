// SPDX-License-Identifier: MIT
// What a trace does not say: in words, so that nobody takes missing time for idle time.
#pragma once

#include <string>
#include <vector>

#include "cli/report/concurrency.hpp"
#include "cli/report/run.hpp"

namespace skua::cli::traced {

struct gap {
  std::string key;    ///< for machines: partly_known, cut, overwritten, unended
  std::string title;  ///< a few words
  std::string text;   ///< with the numbers, and how to get more
};

/// What it means for the figures comes first. None if the trace is whole.
[[nodiscard]] std::vector<gap> gaps_of(run const& of, concurrency const& busy);

}  // namespace skua::cli::traced
