// SPDX-License-Identifier: MIT
// For tests of what happens where the system refuses stacks.
#pragma once

#include <cstddef>
#include <vector>

#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/stack.hpp"

namespace skua { inline namespace v0 { namespace testing {

/// While it lives, the address space has no room for another stack of `bytes`. Not under a sanitizer, which lives there itself.
class no_more_stacks {
 public:
  static constexpr bool is_possible = !runtime::under_tsan && !runtime::under_asan;
  static constexpr std::size_t bytes = std::size_t{1} << 40;

  no_more_stacks() {
    while (runtime::stack* const s = rest_.try_take()) taken_.push_back(s);
  }
  ~no_more_stacks() {
    for (runtime::stack* const s : taken_) rest_.give(s);
  }
  no_more_stacks(no_more_stacks const&) = delete;
  no_more_stacks& operator=(no_more_stacks const&) = delete;

 private:
  runtime::stack_pool rest_{bytes};
  std::vector<runtime::stack*> taken_;
};

}}}  // namespace skua::v0::testing
