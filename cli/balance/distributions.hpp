// SPDX-License-Identifier: MIT
// Loads of whole machines for `skua balance`: the paper's stress distributions, and files.
// [retentive-hpdc12 7.3]
#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "skua/policy/balance/loads.hpp"

namespace skua::cli {

using policies::balance::load_ns;
using policies::balance::machine_loads;

/// "Sorted by duration, dealt round robin, every n-th rank gets m tasks in a row."
struct dealing {
  std::uint32_t every = 4;  ///< n >= 1
  std::uint32_t tasks = 4;  ///< m >= 1
};

/// --pattern N,M. Throws usage_error.
[[nodiscard]] dealing read_pattern(std::string_view text);

/// A distribution that --distribution names.
struct distribution {
  std::string_view name;
  std::string_view about;
};
inline constexpr std::array distributions{
    distribution{"table3", "the 213,144 tasks of a Fock build of Be256 with tile 40; a load is a number of integrals"},
    distribution{"lognormal",
                 "as many tasks as --tasks says, drawn from a log-normal distribution with the same mean and spread"},
};

/// Integrals of each task of Be256 with tile 40. A second of work.
[[nodiscard]] std::vector<load_ns> be256_tasks();
/// Mean 158,376 and coefficient of variation 1.94, as of Be256. Same seed: same tasks.
[[nodiscard]] std::vector<load_ns> lognormal_tasks(std::uint32_t tasks, std::uint64_t seed);

/// Adds to each task `share` times the mean: a fixed cost per task, as packing and fetching have.
void add_overhead(std::vector<load_ns>& tasks, double share);

/// The longest first, to `ranks` ranks, at least 1.
[[nodiscard]] machine_loads dealt(std::vector<load_ns> tasks, std::uint32_t ranks, dealing how);

/// Lines "rank,load"; blank lines, and a first line that is just that, do not count. As many ranks as the largest says.
/// Throws usage_error "NAME:LINE: ..." for the first mistake.
[[nodiscard]] machine_loads read_loads(std::istream& in, std::string_view name);
/// The same from a file.
[[nodiscard]] machine_loads read_loads_file(std::string const& path);

}  // namespace skua::cli
