// SPDX-License-Identifier: MIT
// How much memory this machine has: what is larger than that need not be tried.
#pragma once

#include <unistd.h>

#include <cstdint>

namespace skua { inline namespace v0 { namespace runtime {

/// Bytes; the largest number if the system does not say.
[[nodiscard]] inline std::uint64_t physical_memory() noexcept {
  long const pages = ::sysconf(_SC_PHYS_PAGES);
  long const bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0) return ~std::uint64_t{0};
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes);
}

}}}  // namespace skua::v0::runtime
