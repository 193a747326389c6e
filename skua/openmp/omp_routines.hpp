// SPDX-License-Identifier: MIT
// The types of omp.h that the routines use.
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 { namespace openmp {

/// omp_lock_t
struct simple_lock {
  std::uint32_t word;
};
/// omp_nest_lock_t
struct nested_lock {
  std::uint32_t word;
  std::int32_t count;
  void* owner;
};

/// The teams of a host teams construct, as the calling thread sees them.
struct league {
  std::uint32_t count = 1;
  std::uint32_t number = 0;
};
[[nodiscard]] inline league& host_teams() noexcept {
  static thread_local league mine;
  return mine;
}

}}}  // namespace skua::v0::openmp
