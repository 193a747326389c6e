// SPDX-License-Identifier: MIT
// How much memory of this process is resident, as the kernel counts it.
#pragma once

#include <unistd.h>

#include <fstream>

namespace skua::bench {

/// KiB; -1 where there is no /proc.
[[nodiscard]] inline long resident_kib() {
  std::ifstream statm("/proc/self/statm");
  long size_pages = 0;
  long resident_pages = 0;
  if (!(statm >> size_pages >> resident_pages)) return -1;
  return resident_pages * (sysconf(_SC_PAGESIZE) / 1024);
}

}  // namespace skua::bench
