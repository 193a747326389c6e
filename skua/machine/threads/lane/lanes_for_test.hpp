// SPDX-License-Identifier: MIT
// Lanes with a deque of joins, for models that run one fiber on them; and the newest join of such a fiber.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skua/machine/threads/lane/lanes.hpp"
#include "skua/parts/queue/deque_options.hpp"
#include "skua/parts/queue/fork_deque.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template <synchronisation Sync>
struct first_joins {
  fork_deque<Sync> first;
};

/// The second join comes to the slow path of a fork.
template <synchronisation Sync>
struct lanes_with_joins : private first_joins<Sync>, lanes<Sync> {
  explicit lanes_with_joins(deque_options const& options)
      : first_joins<Sync>{fork_deque<Sync>({.capacity = 12, .kind = options.kind, .memory = options.memory})},
        lanes<Sync>(options, first_joins<Sync>::first) {}
};

/// True: the push asks for attention.
template <synchronisation Sync>
[[nodiscard]] bool push_join(lanes<Sync>& l, void* task, std::uint64_t extra = 0) noexcept {
  auto& joins = l.forks();
  return joins.push(joins.first_free(), task, extra);
}
/// Pops the newest open join.
template <synchronisation Sync>
[[nodiscard]] bool pop_join(lanes<Sync>& l) noexcept {
  auto& joins = l.forks();
  return joins.pop(*(&joins.first_free() - 1));
}

}}}  // namespace skua::v0::runtime
