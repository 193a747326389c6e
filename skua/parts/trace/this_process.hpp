// SPDX-License-Identifier: MIT
// A trace's description of the process that writes it, and the file that a rank of a job writes. Shared by all machines that write traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skua { inline namespace v0 { namespace trace {

struct rank_of_job {
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  friend bool operator==(rank_of_job const&, rank_of_job const&) = default;
};

/// The rank that a launcher passes to its processes in variables (base/launcher.md); none: this process was not launched as a rank.
[[nodiscard]] std::optional<rank_of_job> find_rank();

/// The file in which this rank writes a trace of that name: with ".RANK" behind it; without a rank the name itself.
[[nodiscard]] std::string file_of_rank(std::string const& base, std::optional<rank_of_job> const& rank);

/// As the kernel knows it; empty if it does not tell.
[[nodiscard]] std::string program_name();
[[nodiscard]] std::vector<std::string> arguments();  ///< the program's path first
/// The same with blanks between them.
[[nodiscard]] std::string command_line();
/// NAME=VALUE of each variable of Skua and OpenMP that this process has, sorted: with the arguments they start it again.
[[nodiscard]] std::vector<std::string> variables();
[[nodiscard]] std::string host_name();

}}}  // namespace skua::v0::trace
