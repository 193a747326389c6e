// SPDX-License-Identifier: MIT
// The CPU quota of this process: how much processor time its control groups allow, and which file says so.
//
// A process is in one group of each hierarchy (v1: one per controller; v2: one for all; hybrid: both), groups are
// nested, and every group on the way to the root may set a limit. The tightest limit counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skua { inline namespace v0 { namespace runtime {

/// One limit that was found.
struct cpu_limit {
  std::uint64_t quota_us = 0;  ///< processor time per period
  std::uint64_t period_us = 1;
  std::string file = {};  ///< path of the file, as the process sees it

  [[nodiscard]] double cpus() const noexcept { return static_cast<double>(quota_us) / static_cast<double>(period_us); }
};

struct cpu_quota {
  std::vector<cpu_limit> limits = {};     ///< the tightest first; empty = unlimited
  std::vector<std::string> remarks = {};  ///< files that could not be understood, one sentence each

  [[nodiscard]] bool limited() const noexcept { return !limits.empty(); }
  /// The tightest limit, rounded up, at least 1; nullopt = unlimited. Half a processor is one worker, not none.
  [[nodiscard]] std::optional<std::uint32_t> whole_cpus() const noexcept;
};

/// Reads /proc/self/cgroup, /proc/self/mountinfo and the control files below the directory `root` ("" except in tests).
/// Never throws for missing or strange files (gVisor, WSL, old kernels): a file that cannot be read limits nothing.
/// Cost: opens 3 to 10 small files.
[[nodiscard]] cpu_quota read_cpu_quota(std::string const& root = "");

}}}  // namespace skua::v0::runtime
