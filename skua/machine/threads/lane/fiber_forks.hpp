// SPDX-License-Identifier: MIT
// The open joins of one fiber, with what a fork needs of the fiber. Each belongs to a region, and a fiber has one while it runs a task
// of that region: thieves that see it late are still among its workers.
#pragma once

#include <algorithm>
#include <cstddef>

#include "skua/machine/threads/lane/word_of_two.hpp"
#include "skua/parts/queue/fork_deque.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class fiber;

class fiber_forks final : public fork_deque<> {
 public:
  explicit fiber_forks(deque_options const& options) : fork_deque(options) {}  ///< Throws std::bad_alloc.

  /// How many joins can be open on a stack of this size: the smallest frame of a join takes 96 bytes (Clang; GCC: 112).
  [[nodiscard]] static constexpr std::size_t most_on(std::size_t stack_bytes) noexcept {
    return std::clamp(stack_bytes / 96, std::size_t{64}, most_capacity);
  }

  fiber* running = nullptr;   ///< the fiber whose joins these are
  word_of_two word{nullptr};  ///< the first word of its next join of two; contains the node that it watches

 private:
  friend class spare_forks;
  friend class shared_forks;
  fiber_forks* next_spare_ = nullptr;
  fiber_forks* next_made_ = nullptr;
};

}}}  // namespace skua::v0::runtime
