// SPDX-License-Identifier: MIT
// How the owner of an ordered store keeps it small: compaction, and the sweep that removes dead tasks. Part of ordered_store.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "skua/parts/ordered/ordered_store.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template <synchronisation Sync, std::size_t BlockSlots>
bool ordered_store<Sync, BlockSlots>::compact() noexcept {
  std::vector<slot*> live;
  try {
    live.reserve(static_cast<std::size_t>(size()) + 1);
  } catch (std::bad_alloc const&) {
    return false;
  }
  std::unique_lock const held(lock_, std::try_to_lock);
  if (!held) return false;
  offered_.clear();  // the slots move
  block* to = first_;
  std::size_t at = 0;
  std::uint64_t seen = 0;
  for (block* from = first_; seen < filled_; from = from->next) {
    for (std::size_t i = 0; i < BlockSlots && seen < filled_; ++i, ++seen) {
      slot& s = from->slots[i];
      if (s.taken.load(std::memory_order_relaxed)) continue;  // relaxed: thieves took it under the lock, or we did
      if (at == BlockSlots) {
        to = to->next;
        at = 0;
      }
      slot& target = to->slots[at++];
      live.push_back(&target);
      if (&target == &s) continue;
      target.place = s.place;
      target.is_placed = s.is_placed;
      target.kind = s.kind;
      target.task = s.task;
      target.group = s.group;
      target.weight = s.weight;
      std::memcpy(target.value, s.value, sizeof(s.value));
      target.number.set(s.number.get());
      target.taken.store(false, std::memory_order_relaxed);  // relaxed: the lock publishes it
    }
  }
  last_ = to;
  filled_of_last_ = at;
  filled_ = live.size();
  published_.store(filled_, std::memory_order_relaxed);  // relaxed: the lock publishes the slots
  by_owner_.replace_all(live);
  ++generation_;
  return filled_of_last_ < BlockSlots;
}

template <synchronisation Sync, std::size_t BlockSlots>
void ordered_store<Sync, BlockSlots>::sweep() noexcept {
  pops_since_sweep_ = 0;
  if (is_sparse()) static_cast<void>(compact());  // else most slots that we look at are empty
  std::unique_lock const held(lock_, std::try_to_lock);
  if (!held || filled_ == 0) return;
  constexpr std::uint64_t few = 4;
  std::uint64_t taken = 0;
  std::uint64_t alive = 0;
  std::uint64_t dead = 0;
  std::uint64_t at = roll_.next() % filled_;
  for (std::uint64_t n = 0; n < filled_ && alive < few + dead && taken < 8 * (few + dead); ++n) {
    slot& s = blocks_[at / BlockSlots]->slots[at % BlockSlots];
    if (++at == filled_) at = 0;
    if (s.taken.load(std::memory_order_relaxed)) {  // relaxed: as in compact
      ++taken;
    } else if (!is_dead(s)) {
      ++alive;
    } else if (reserve_swept()) {
      s.taken.store(true, std::memory_order_relaxed);  // relaxed: only we take now
      add(size_, -1);
      add(weight_, -static_cast<std::int64_t>(s.weight));
      swept_.push_back({s.task, s.group});
      ++dead;
    } else {
      return;
    }
  }
}

}}}  // namespace skua::v0::runtime
