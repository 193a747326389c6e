// SPDX-License-Identifier: MIT
// What the models of stolen joins share: real lanes, joins in their owner's frame, and a thief.
#pragma once

#include <cstdint>

#include "skua/machine/threads/fork/fiber/moving.hpp"
#include "skua/machine/threads/fork/group/stolen_joins.hpp"
#include "skua/machine/threads/lane/lanes_for_test.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace join_stage {

template <class Sync>
using lanes = runtime::lanes<Sync>;

template <class Sync>
lanes<Sync>& make_lanes() {
  return explorer::immortal<lanes_with_joins<Sync>>(
      deque_options{.capacity = 2, .kind = Sync::kind(), .memory = &explorer::memory()});
}

/// A join of two, or a numbered group, in its owner's frame.
template <class Sync>
struct join : open_join<Sync> {
  join() : open_join<Sync>(word_of_two{nullptr}) {}
  explicit join(std::uint64_t children) : open_join<Sync>(children) {}
  /// Thieves that have finished; stands for parking.
  explorer::model_atomic<int>& over = explorer::immortal<explorer::model_atomic<int>>(0);

  /// As fiber::finish_piece of a thief's piece.
  template <class Alarm>
  void end_piece(std::uint64_t flags, Alarm alarm) {
    explorer::model_atomic<int>& told = over;  // once the piece has finished, the join may be gone
    static_cast<void>(this->finish(1, flags, alarm));
    told.fetch_add(1, std::memory_order_relaxed);
    told.notify_all();
  }
  /// The owner waits until all thieves have finished.
  void wait_for(int thieves = 1) {
    for (int seen = 0; !this->left_only(1); seen = over.load(std::memory_order_relaxed)) {
      if (seen < thieves) over.wait(seen, std::memory_order_relaxed);
    }
  }
};

/// What `moving` sees of a fiber that leaves its lanes, under a policy that does not preempt. Fiber: make_room() and
/// note_at_park().
template <class Sync, class Fiber>
class leaving_fiber {
 public:
  leaving_fiber(Fiber& f, lanes<Sync>& from) noexcept : fiber_(f), slot_{from, from.spawned, {}, {}} {}

  struct slot_type {
    lanes<Sync>& all;
    spawned_lane<Sync>& spawned;
    struct {
      static bool preempts() noexcept { return false; }
    } policy;
    struct {
      static bool push(entry const&) noexcept { return false; }
    } local;
    template <class Poll>
    bool offer_open_joins(Poll&& poll) noexcept {
      return all.offer_open_joins(poll);
    }
    static void notify_work() noexcept {}
  };
  slot_type& slot() noexcept { return slot_; }
  bool make_room() {
    fiber_.make_room();
    return true;
  }
  void note_steals() { fiber_.note_at_park(); }
  static entry const& as_published(entry const& e) noexcept { return e; }

 private:
  Fiber& fiber_;
  slot_type slot_;
};

/// The oldest join of the lane, or null.
template <synchronisation Sync>
join<Sync>* steal_fork(lanes<Sync>& from) {
  entry got;
  return from.forks_outside().steal(got) == outcome::got ? static_cast<join<Sync>*>(got.task) : nullptr;
}
template <synchronisation Sync>
join<Sync>* steal_spawned(lanes<Sync>& from) {
  entry got;
  return from.spawned.outside().steal(got) == outcome::got ? static_cast<join<Sync>*>(got.task) : nullptr;
}

}}}}  // namespace skua::v0::runtime::join_stage
