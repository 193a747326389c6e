// SPDX-License-Identifier: MIT
// The queue of real threads, compiled once.
#include "skua/machine/ranks/queue/split_queue.hpp"

#include <cstddef>
#include <vector>

namespace skua { inline namespace v0 { namespace ranks {

template class basic_split_queue<runtime::real_sync, byte_slots>;

void drop_all(split_queue& queue, slot_shape const& shape) noexcept {
  if (!shape.has_block) return;
  for (std::vector<std::byte> slot(shape.bytes()); queue.pop(slot.data());) shape.drop(slot.data());
}

}}}  // namespace skua::v0::ranks
