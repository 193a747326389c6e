// SPDX-License-Identifier: MIT
// Runs mixed programs from several threads at once, on two pools that call each other, and says what went wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/mixed/mixed_step.hpp"

namespace skua { inline namespace v0 { namespace testing {

struct mixed_run {
  std::string policy;  ///< of the first pool; the second one's follows from the seed
  std::uint32_t workers = 2;
  std::uint64_t seed = 1;
  std::uint32_t programs = 20;  ///< per caller
  std::uint32_t callers = 2;
  int depth = 5;
  std::vector<mixed_step> these{};  ///< instead of those that the seed draws; the callers take turns
  std::uint32_t times = 1;          ///< each of them
};

/// What it runs: those that its seed draws, or `these`.
[[nodiscard]] std::vector<mixed_step> programs_of(mixed_run const& r);

/// The command that repeats it.
[[nodiscard]] std::string command_of(mixed_run const& r);

/// Empty: every program had its answer, and nothing is left. If for `patience_s` no step of any program begins, the process
/// says what it ran and aborts: a debugger, or SKUA_STALL, shows who waits.
[[nodiscard]] std::string fault_of(mixed_run const& r, unsigned patience_s = 60);

/// The same in a child process, for a process that has no other threads: true if it failed, aborted or crashed.
[[nodiscard]] bool fails_in_a_child(mixed_run const& r, unsigned patience_s, bool is_quiet);

}}}  // namespace skua::v0::testing
