// SPDX-License-Identifier: MIT
// The machine and the build that measured something. Every report of a measurement names them.
#pragma once

#include <cstddef>
#include <string>

#include "cli/text/report.hpp"

namespace skua::cli {

struct machine_facts {
  std::string cpu;          ///< the processor's model, in the kernel's words
  unsigned pus = 0;         ///< of the whole machine
  unsigned usable_pus = 0;  ///< in our affinity mask
  std::string kernel;
  std::string compiler;
  std::string build_type;
  std::string skua_version;
  double load_average = 0;  ///< over the last minute, now; -1 = not known
};

/// Reads a few files of /proc.
[[nodiscard]] machine_facts look_at_machine();
[[nodiscard]] json to_json(machine_facts const& facts);
/// Two lines.
[[nodiscard]] std::string to_text(machine_facts const& facts);

/// The size of the first-level data cache that a folder of the kernel describes (/sys/devices/system/cpu/cpuN/cache).
/// 0: it describes none.
[[nodiscard]] std::size_t first_level_bytes_in(std::string const& folder);
/// The same of the first PU that this thread may use.
[[nodiscard]] std::size_t first_level_bytes_of_this_thread();

}  // namespace skua::cli
