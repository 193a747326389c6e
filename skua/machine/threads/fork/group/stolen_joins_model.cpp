// SPDX-License-Identifier: MIT
// Stolen joins under many schedules, on real lanes: the owner links exactly those of its open joins that were stolen,
// in order. If a thief's child fails, the owner notices at its next fork, and so does a thief further in; no thread
// touches a join that has ended (group.md, "Stolen groups"). Each mutant removes one step, and the explorer must find
// the harm.
#include "skua/machine/threads/fork/group/stolen_joins.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <memory>

#include "skua/machine/threads/fork/join/join_stage_for_test.hpp"
#include "skua/machine/threads/lane/failure_epoch.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using namespace skua::runtime::join_stage;
using skua::runtime::failure_epoch, skua::runtime::pop_join, skua::runtime::push_join;
using std::memory_order, std::memory_order_acquire, std::memory_order_relaxed, std::memory_order_release;

enum class fault : std::uint8_t {
  none,
  no_note_at_fork,      ///< the slow path of a fork does not note steals
  no_alarm,             ///< the failing thief does not request attention
  own_steal_not_noted,  ///< an owner that waits for a join notes those around it, which alone are open
  pieces_not_known,     ///< a thief's piece of a numbered group is taken for an open join of the thief
};

/// A fiber as far as it opens joins and notes steals.
template <class Sync, fault Fault = fault::none>
class fiber {
 public:
  fiber(lanes<Sync>& l, failure_epoch<Sync> const& failures) : slot_(&l), failures_(failures) {}

  /// Returns false if the fork noticed a stop.
  bool push(join<Sync>& j) {
    if (!push_join(*slot_, &j)) return true;
    make_room();
    if (!wants_end()) return true;
    slot_->request_attention();
    return false;
  }
  void make_room() {
    auto look = [this] {
      if (Fault != fault::no_note_at_fork) note();
    };
    require(slot_->make_room(look), "there is memory");
  }
  /// The join's first child has returned.
  void close(join<Sync>& j, int thieves = 1) {
    close(j, thieves, [] {});
  }
  template <class BeforeWait>
  void close(join<Sync>& j, int thieves, BeforeWait const& before_wait) {
    if (!pop_join(*slot_)) {
      note();
      if (Fault != fault::own_steal_not_noted) {
        auto& joins = slot_->forks();
        static_cast<void>(stolen_.link_ended(j, joins.index_of(joins.first_free())));
      }
      before_wait();
      j.wait_for(thieves);
      stolen_.forget(j);
    }
    std::destroy_at(&j);
  }
  void note_at_park() { note(); }
  void park() {
    leaving_fiber<Sync, fiber> leaving(*this, *slot_);
    require(skua::runtime::moving::clear_lanes(leaving), "there is memory");
    require(slot_->forks().is_empty(), "a fiber leaves an empty lane");
  }
  void resume_at(lanes<Sync>& other) {
    other.enter(slot_->forks());
    slot_ = &other;
  }
  using piece = skua::runtime::stolen_joins<Sync>::piece;
  piece run_piece_of(join<Sync>& j) { return piece{stolen_, j}; }

  bool stop_requested() {
    if (slot_->forks().may_have_stolen()) note();
    return wants_end();
  }
  void note() {
    note_stolen(slot_->forks(), [this](void* entry, std::int64_t place) {
      auto* const stolen = static_cast<join<Sync>*>(entry);
      if (stolen_.runs_piece_of(*stolen) && Fault != fault::pieces_not_known) return false;
      stolen_.link(*stolen, place);
      return true;
    });
  }
  lanes<Sync>& slot() { return *slot_; }

 private:
  bool wants_end() const { return stolen_.want_end(failures_.now()); }

  lanes<Sync>* slot_;
  failure_epoch<Sync> const& failures_;
  skua::runtime::stolen_joins<Sync> stolen_;
};

/// The owner opens joins within joins, beyond its ring of two. The thief takes the oldest, and a child fails: that of
/// the first join it took, or of the second.
template <class Sync, int Failing, fault Fault = fault::none>
struct owner_and_thief {
  static constexpr int threads = 2;
  lanes<Sync>& l = make_lanes<Sync>();
  failure_epoch<Sync> failures;
  fiber<Sync, Fault> owner{l, failures};
  join<Sync>& outer = immortal<join<Sync>>();
  join<Sync>& middle = immortal<join<Sync>>();
  join<Sync>& inner = immortal<join<Sync>>();
  join<Sync>& second = immortal<join<Sync>>();
  model_atomic<join<Sync>*> failed{nullptr};  ///< set once the alarm has reached all workers

  void run(int me) {
    if (me == 1) return steal_oldest();
    static_cast<void>(owner.push(outer));
    static_cast<void>(owner.push(middle));
    push_inside(inner, {&outer, &middle});
    owner.close(inner);
    bool const middle_failed = failed.load(memory_order_acquire) == &middle;
    require(owner.stop_requested() || !middle_failed, "a fiber that asks sees the failure");
    owner.close(middle);
    push_inside(second, {&outer});
    owner.close(second);
    owner.close(outer);
    require(!owner.stop_requested(), "the reasons to stop end with the joins");
  }
  void steal_oldest() {
    for (int i = 0; i <= Failing; ++i) {
      join<Sync>* const got = steal_fork(l);
      if (got == nullptr) return;
      got->end_piece(i == Failing ? got->failed : 0, [this] {
        failures.begin_next();
        if (Fault != fault::no_alarm) l.request_attention();
      });
      if (i == Failing) failed.exchange(got, memory_order_release);
    }
  }
  /// A fork while these joins are open.
  void push_inside(join<Sync>& j, std::initializer_list<join<Sync>*> open) {
    auto const of_open = [&] {
      join<Sync>* const f = failed.load(memory_order_acquire);
      return std::ranges::find(open, f) != open.end();
    };
    bool const must = of_open();
    bool const stop = !owner.push(j);
    require(stop || !must, "the next fork notices the failure");
  }
  void finish() {}
};

/// Two thieves: the outer join's child fails, and the thief of the inner join notices at the latest when the owner
/// waits for it.
template <class Sync, fault Fault = fault::none>
struct thief_further_in {
  static constexpr int threads = 3;
  lanes<Sync>& l = make_lanes<Sync>();
  failure_epoch<Sync> failures;
  fiber<Sync, Fault> owner{l, failures};
  join<Sync>& outer = immortal<join<Sync>>();
  join<Sync>& inner = immortal<join<Sync>>();
  model_atomic<int> failed{0};
  model_atomic<int> waits{0};

  thief_further_in() {
    static_cast<void>(owner.push(outer));
    static_cast<void>(owner.push(inner));
  }
  void run(int me) {
    if (me > 0) return steal_oldest();
    owner.close(inner, 1, [this] { waits.exchange(1, memory_order_release); });
    owner.close(outer);
  }
  void steal_oldest() {
    join<Sync>* const got = steal_fork(l);
    if (got == nullptr) return;
    if (got == &outer) {
      got->end_piece(got->failed, [this] {
        failures.begin_next();
        failed.exchange(1, memory_order_release);
      });
      return;
    }
    bool const must_hear = waits.load(memory_order_acquire) == 1 && failed.load(memory_order_acquire) == 1;
    require(got->wants_end(failures.now()) || !must_hear, "a thief further in notices the failure");
    got->end_piece(0, [] {});
  }
  void finish() {}
};

/// The owner parks for something else with two joins open, and continues in other lanes: both joins count as stolen.
template <class Sync, fault Fault = fault::none>
struct parks_with_open_joins {
  static constexpr int threads = 2;
  lanes<Sync>& l = make_lanes<Sync>();
  lanes<Sync>& elsewhere = make_lanes<Sync>();
  failure_epoch<Sync> failures;
  fiber<Sync, Fault> owner{l, failures};
  join<Sync>& outer = immortal<join<Sync>>();
  join<Sync>& inner = immortal<join<Sync>>();
  model_atomic<int> offered{0};
  model_atomic<int> resumed{0};
  int taken = 0;

  parks_with_open_joins() {
    static_cast<void>(owner.push(outer));
    static_cast<void>(owner.push(inner));
  }
  void run(int me) {
    if (me == 1) return steal_oldest();
    owner.park();
    offered.exchange(1, memory_order_release);
    offered.notify_all();
    resumed.wait(0, memory_order_acquire);
    owner.resume_at(elsewhere);
    require(owner.stop_requested(), "a resumed fiber notices the failure");
    owner.close(inner);
    owner.close(outer);
    require(taken == 2, "each open join is taken once");
  }
  void steal_oldest() {
    join<Sync>* first = steal_fork(l);
    if (first == nullptr) first = steal_spawned(l);
    offered.wait(0, memory_order_acquire);
    if (first == nullptr) first = steal_spawned(l);
    join<Sync>* const last = steal_spawned(l);
    require(first != last && first != nullptr && last != nullptr, "each open join can be taken, once");
    if (current_world()->violation().empty()) {
      taken = 2;
      first->end_piece(first->failed, [this] { failures.begin_next(); });
      resumed.exchange(1, memory_order_release);
      resumed.notify_all();
      last->end_piece(0, [] {});
    }
  }
  void finish() {}
};

/// A numbered group of three whose first thief is stolen from in turn. Only the owner links it.
template <class Sync, fault Fault = fault::none>
struct piece_of_a_group {
  static constexpr int threads = 3;
  lanes<Sync>& l = make_lanes<Sync>();
  lanes<Sync>& thief_lanes = make_lanes<Sync>();
  failure_epoch<Sync> failures;
  fiber<Sync, Fault> owner{l, failures};
  fiber<Sync, Fault> thief{thief_lanes, failures};
  join<Sync>& all = immortal<join<Sync>>(std::uint64_t{3});
  model_atomic<int> stolen{0};

  piece_of_a_group() { static_cast<void>(owner.push(all)); }
  void run(int me) {
    if (me == 0) {
      stolen.wait(0, memory_order_relaxed);
      owner.close(all, 2);
    } else if (me == 1) {
      run_piece();
    } else if (join<Sync>* const rest = steal_fork(thief_lanes); rest != nullptr) {
      rest->end_piece(0, [] {});
    }
  }
  void run_piece() {
    join<Sync>* const got = steal_fork(l);
    require(got == &all, "nobody else takes it");
    {
      auto const it = thief.run_piece_of(*got);
      static_cast<void>(thief.push(*got));
      stolen.exchange(1, memory_order_relaxed);
      stolen.notify_all();
      thief.note();                                          // as a fork of its first child
      if (pop_join(thief.slot())) got->end_piece(0, [] {});  // the last child has ended, too
    }
    got->end_piece(0, [] {});
    require(!thief.stop_requested(), "a piece knows nothing of its group once it has ended");
  }
  void finish() {}
};

// Mutants of the atomics façade. Each breaks one thing.

/// The owner leaves an entry in its ring slot that it took as the lane's last one.
struct uncleared_slots : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    void store(T value, memory_order order) noexcept {
      if constexpr (std::is_pointer_v<T>) {
        if (value == nullptr) return;
      }
      model_atomic<T>::store(value, order);
    }
  };
};

/// The link to the outer join is not published.
struct unpublished_link : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_or(T bits, memory_order) noexcept { return model_atomic<T>::fetch_or(bits, memory_order_relaxed); }
  };
};

/// All executions with at most two preemptions.
constexpr options bounded{.preemptions = 2, .races = true};
constexpr options unbounded{.races = true};

}  // namespace

TEST(stolen_joins_model, the_oldest_join_fails) { holds<owner_and_thief<model_sync, 0>>(bounded); }
TEST(stolen_joins_model, the_second_join_fails) { holds<owner_and_thief<model_sync, 1>>(bounded); }
TEST(stolen_joins_model, the_oldest_join_fails_with_full_fences) {
  holds<owner_and_thief<full_model_sync, 0>>(bounded);
}
TEST(stolen_joins_model, a_fiber_may_park_with_open_joins) {
  holds<parks_with_open_joins<model_sync>>(full_or(3, unbounded));
}
TEST(stolen_joins_model, a_thief_further_in_is_told) { holds<thief_further_in<model_sync>>(bounded); }
TEST(stolen_joins_model, a_piece_of_a_group_is_told) { holds<piece_of_a_group<model_sync>>(bounded); }
// On weak memory: all executions with at most two preemptions and two stale loads, or one where three threads run.
TEST(stolen_joins_model, holds_on_weak_memory) {
  holds<owner_and_thief<model_sync, 0>>(weak_races);
  holds<owner_and_thief<model_sync, 1>>(weak_races);
  holds<owner_and_thief<full_model_sync, 0>>(weak_races);
  holds<parks_with_open_joins<model_sync>>(weak_races);
}
TEST(stolen_joins_model, three_threads_hold_on_weak_memory) {
  constexpr options one_each{.model = memory_model::weak, .preemptions = 1, .stale = 1, .races = true};
  holds<thief_further_in<model_sync>>(one_each);
  holds<piece_of_a_group<model_sync>>(one_each);
}

TEST(stolen_joins_mutant, no_note_at_fork_is_caught) {
  fails<owner_and_thief<model_sync, 0, fault::no_note_at_fork>>("the next fork notices", bounded);
}
TEST(stolen_joins_mutant, no_alarm_is_caught) {
  fails<owner_and_thief<model_sync, 0, fault::no_alarm>>("the next fork notices", bounded);
}
TEST(stolen_joins_mutant, pieces_not_known_is_caught) {
  fails<piece_of_a_group<model_sync, fault::pieces_not_known>>("race: destroyed", bounded);
}
TEST(stolen_joins_mutant, own_steal_not_noted_is_caught) {
  fails<thief_further_in<model_sync, fault::own_steal_not_noted>>("a thief further in notices", bounded);
}
TEST(stolen_joins_mutant, kept_slots_is_caught) {
  fails<owner_and_thief<uncleared_slots, 0>>("what has been destroyed", bounded);
}
TEST(stolen_joins_mutant, unpublished_link_is_caught) { fails<thief_further_in<unpublished_link>>("race", bounded); }
