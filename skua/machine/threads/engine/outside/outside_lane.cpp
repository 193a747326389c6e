// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/outside/outside_lane.hpp"

#include <algorithm>
#include <exception>
#include <memory>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/platform.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

/// How many tasks to take. Each visit costs the lane's owner as much as several pushes. So a worker that may take more than
/// one waits about 300 ns for a lane of a few tasks to fill: its owner may be submitting more.
std::size_t share_of(deque<>::victim lane, std::size_t of) noexcept {
  constexpr std::size_t few = 8;
  constexpr int patience = 16;
  if (of == 0) return 1;
  std::size_t there = lane.size_hint();
  if (there > 0 && there < few) {
    for (int i = 0; i < patience; ++i) relax();
    there = lane.size_hint();
  }
  return std::clamp(there / of, std::size_t{1}, outside_batch::most);
}

}  // namespace

outside_lanes::~outside_lanes() {
  outside_lane* lane = lanes_.first();
  if (lane != nullptr) pthread_key_delete(at_end_of_thread_);
  while (lane != nullptr) {
    if (current_thread() == lane) set_current_thread(nullptr);
    std::unique_ptr<outside_lane> const ends(lane);
    lane = lane->next;
  }
}

outside_lane* outside_lanes::adopt() noexcept {
  thread_record const* const before = current_thread();
  if (before != nullptr && before->submits_to == nullptr) return nullptr;
  if (outside_lane* const kept = left_here()) {
    set_current_thread(kept);
    return kept;
  }
  try {
    outside_lane& mine = find_or_make();
    // The thread keeps another region's lane, for when it returns to it.
    if (pthread_setspecific(at_end_of_thread_, &mine) != 0) {
      leave(&mine);
      return nullptr;
    }
    set_current_thread(&mine);
    return &mine;
  } catch (std::exception const&) {
    return nullptr;
  }
}

/// Returns the lane that the calling thread had here before it submitted to another region.
outside_lane* outside_lanes::left_here() noexcept {
  if (lanes_.first() == nullptr) return nullptr;  // before the first lane the key does not exist, either
  return static_cast<outside_lane*>(pthread_getspecific(at_end_of_thread_));
}

outside_lane& outside_lanes::find_or_make() {
  std::lock_guard const hold(changing_);
  outside_lane* const first = lanes_.newest();
  for (outside_lane* lane = first; lane != nullptr; lane = lane->next) {
    if (lane->ownership.try_lock()) return *lane;
  }
  auto made = std::make_unique<outside_lane>(*this, blocks_, first);
  if (first == nullptr && pthread_key_create(&at_end_of_thread_, &outside_lanes::leave) != 0) {
    throw resource_error("no pthread key is left");
  }
  lanes_.link(*made);
  return *made.release();
}

/// Called when the thread ends, or drops its lane.
void outside_lanes::leave(void* lane) noexcept {
  auto& mine = *static_cast<outside_lane*>(lane);
  if (current_thread() == &mine) set_current_thread(nullptr);
  mine.ownership.unlock();
}

outcome outside_lanes::take(outside_batch& taken, std::size_t of, revocation_count& spent) noexcept {
  outcome all = outcome::empty;
  taken.size = 0;
  for (outside_lane* lane = lanes_.first(); lane != nullptr; lane = lane->next) {
    auto const from = lane->tasks.outside();
    std::size_t const wanted = share_of(from, of);
    while (taken.size < wanted) {
      outcome const how = from.steal(taken.tasks[taken.size], spent);
      if (how == outcome::lost) all = how;
      if (how != outcome::got) break;
      prefetch_to_write(taken.tasks[taken.size++].task);
    }
    if (taken.size > 0) return outcome::got;
  }
  return all;
}

}}}  // namespace skua::v0::runtime
