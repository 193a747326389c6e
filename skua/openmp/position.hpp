// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 { namespace openmp {

/// Where a thread is, or a member of a nested team would be, and the partition in which its next team is placed: `count` places from `first` on. Numbers of
/// places count from 0.
struct position {
  static constexpr std::uint32_t none = 0xffff'ffff;
  std::uint32_t place = none;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  friend bool operator==(position const&, position const&) = default;
};

}}}  // namespace skua::v0::openmp
