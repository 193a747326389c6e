// SPDX-License-Identifier: MIT
// The options of a deque.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "skua/parts/base/bias_rule.hpp"
#include "skua/parts/base/platform.hpp"

namespace skua { inline namespace v0 { namespace runtime {

struct deque_options {
  std::size_t capacity = 64;   ///< entries of the first ring; a power of two, at least 2
  fences kind = fence_kind();  ///< a request: `full` if the kernel does not help
  bool polls_always = false;   ///< fork_deque: every push asks for a poll
  bias_rule bias_after = {};   ///< when the owner takes the bias back; 1 <= least <= most
  std::pmr::memory_resource* memory = std::pmr::new_delete_resource();
};

}}}  // namespace skua::v0::runtime
