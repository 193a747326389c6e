// SPDX-License-Identifier: MIT
// The split queue under every schedule: each task comes out once, and whole, whether the owner pops it or a thief takes it, while the
// owner shares, takes back, uses slots again and grows (split_queue.md). Its slots are plain variables, so that whoever reads one that another
// thread writes, or that was freed, is found.
#include "skua/machine/ranks/queue/split_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using std::memory_order_acquire, std::memory_order_relaxed, std::memory_order_release;

/// A ring begins with two slots, so that three tasks fill it.
template <class Sync>
class plain_slots {
 public:
  static constexpr std::uint64_t first_capacity = 2;
  using slot = typename Sync::template plain<int>;
  using run = std::span<slot const>;

  plain_slots(std::size_t, std::uint64_t slots) : all_(std::make_unique<slot[]>(slots)), slots_(slots) {}
  [[nodiscard]] slot* at(std::uint64_t index, std::size_t) const noexcept { return all_.get() + index; }
  [[nodiscard]] run run_at(std::uint64_t index, std::uint64_t slots, std::size_t) const noexcept {
    require(index + slots <= slots_, "a range lies in the ring");
    return {all_.get() + index, slots};
  }
  static void put(slot* to, void const* task, std::size_t) noexcept { to->set(*static_cast<int const*>(task)); }
  static void get(void* task, slot const* from, std::size_t) noexcept { *static_cast<int*>(task) = from->get(); }
  static void copy(slot* to, slot const* from, std::size_t) noexcept { to->set(from->get()); }

 private:
  std::unique_ptr<slot[]> all_;
  std::uint64_t slots_;
};

/// What all scripts have: the queue, and what was taken.
template <class Sync, int Tasks>
class queue_of_tasks {
 public:
  void finish() {
    for (int tasks = 0; tasks < Tasks && pop();) ++tasks;
    require(!pop() && queue_.empty(), "empty is empty");
    require(std::ranges::count(taken_, 1) == Tasks, "what is put in comes out");
  }

 protected:
  void push(int task) { queue_.push(&task); }
  bool pop() {
    int task = -1;
    if (!queue_.pop(&task)) return false;
    take(task);
    return true;
  }
  /// A thief that has room for so many; it copies them, and says that it has.
  void steal(std::uint64_t room) {
    auto const range = queue_.steal(room);
    require(range.tasks() <= room, "a thief gets no more than it has room for");
    int before = -1;
    for (auto const& slot : range.bytes()) {
      int const task = slot.get();
      require(task > before, "the oldest first");
      take(before = task);
    }
    queue_.give_back(range);
  }
  /// A thief for whom even tasks go alone.
  void steal_with_a_look() {
    auto const range = queue_.steal(3, [](auto const* oldest) { return oldest->get() % 2 == 0; });
    require(range.tasks() < 2 || range.bytes()[0].get() % 2 == 1, "an even one goes alone");
    for (auto const& slot : range.bytes()) take(slot.get());
    queue_.give_back(range);
  }
  auto& queue() { return queue_; }

 private:
  void take(int task) {
    require(task >= 0 && task < Tasks, "what comes out was put in");
    if (task >= 0 && task < Tasks)
      require(++taken_.at(static_cast<std::size_t>(task)) == 1, "what is put in comes out once");
  }

  using queue_type = skua::ranks::basic_split_queue<Sync, plain_slots<Sync>>;
  queue_type& queue_ = immortal<queue_type>(sizeof(int));
  std::array<int, Tasks> taken_{};
};

/// The owner lets `push` and `pop` share; the ring is full at the third task.
template <class Sync>
struct pushes_and_pops : queue_of_tasks<Sync, 4> {
  static constexpr int threads = 3;
  void run(int me) {
    if (me > 0) return this->steal(2);
    for (int task = 0; task < 3; ++task) this->push(task);
    this->pop();
    this->pop();
    this->push(3);
    this->pop();
  }
};

/// The owner shares all, takes back, shares again, and a thief comes twice.
template <class Sync>
struct shares_and_takes_back : queue_of_tasks<Sync, 4> {
  static constexpr int threads = 2;
  void run(int me) {
    if (me > 0) {
      this->steal(2);
      return this->steal(2);
    }
    for (int task = 0; task < 3; ++task) this->push(task);
    this->queue().share_all();
    this->pop();
    this->queue().share_all_but_one();
    this->pop();
    this->push(3);
    this->queue().share_all_but_one();
    this->queue().share_all();
    this->pop();
  }
};

/// A thief looks at the oldest task while the owner takes back, pushes and grows.
template <class Sync>
struct looks_at_the_oldest : queue_of_tasks<Sync, 5> {
  static constexpr int threads = 3;
  void run(int me) {
    if (me > 0) return this->steal_with_a_look();
    for (int task = 0; task < 4; ++task) this->push(task);
    this->queue().share_all();
    this->pop();
    this->push(4);
  }
};

/// Two ranges are in flight when the owner wants their slots, and come back in any order.
template <class Sync>
struct two_in_flight : queue_of_tasks<Sync, 4> {
  static constexpr int threads = 3;
  void run(int me) {
    if (me > 0) return this->steal(1);
    this->push(0);
    this->push(1);
    this->queue().share_all();
    this->push(2);
    this->push(3);
  }
};

/// A thief copies from a ring that the owner has left, and the owner frees it at the next growth; the slots of the last one are used again.
template <class Sync>
struct two_growths : queue_of_tasks<Sync, 6> {
  static constexpr int threads = 2;
  void run(int me) {
    if (me > 0) {
      this->steal(1);
      this->steal(1);
      return this->steal(2);
    }
    this->push(0);
    this->push(1);
    for (int task = 2; task < 6; ++task) {
      this->queue().share_all();
      this->push(task);
    }
  }
};

/// The end of a phase: the owner finds the queue empty, and another thread becomes its owner and fills it again, while a thief may still
/// copy what it took in the first one.
template <class Sync>
struct two_phases : queue_of_tasks<Sync, 5> {
  static constexpr int threads = 3;
  typename Sync::template atomic<int> over{0};
  void run(int me) {
    if (me == 1) {
      this->steal(1);
      return this->steal(2);
    }
    if (me == 0) {
      this->push(0);
      this->push(1);
      for (int tasks = 0; tasks < 2 && this->pop();) ++tasks;
      require(!this->pop(), "empty is empty");
      over.fetch_add(1, memory_order_release);
      return over.notify_all();
    }
    over.wait(0, memory_order_acquire);
    require(this->queue().empty(), "a queue from which its owner can take nothing is empty");
    for (int task = 2; task < 5; ++task) this->push(task);
    this->pop();
  }
};

/// Nobody waits for the lock.
struct open_lock : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T exchange(T value, std::memory_order order) noexcept {
      model_atomic<T>::exchange(value, order);
      return T{};
    }
  };
};

constexpr options races{.preemptions = 3, .races = true};

}  // namespace

TEST(split_queue_model, what_is_pushed_is_popped_or_stolen_once) {
  holds<pushes_and_pops<model_sync>>(full_or(2, races));
  holds<pushes_and_pops<model_sync>>(weak_races);
}
TEST(split_queue_model, what_is_shared_and_taken_back_comes_out_once) {
  holds<shares_and_takes_back<model_sync>>(races);
  holds<shares_and_takes_back<model_sync>>(weak_races);
}
TEST(split_queue_model, a_thief_may_look_at_the_task_that_it_takes) {
  holds<looks_at_the_oldest<model_sync>>(full_or(2, races));
  holds<looks_at_the_oldest<model_sync>>(weak_races);
}
TEST(split_queue_model, slots_in_flight_are_not_used_again) {
  holds<two_in_flight<model_sync>>(races);
  holds<two_in_flight<model_sync>>(weak_races);
}
TEST(split_queue_model, a_ring_that_was_left_stays_while_it_is_copied_from) {
  holds<two_growths<model_sync>>(races);
  holds<two_growths<model_sync>>(weak_races);
}
TEST(split_queue_model, an_emptied_queue_serves_its_next_owner) {
  holds<two_phases<model_sync>>(full_or(2, races));
  holds<two_phases<model_sync>>(weak_races);
}
TEST(split_queue_mutant, tasks_that_nobody_publishes_are_caught) {
  fails<two_in_flight<ordered_store<memory_order_relaxed>>>("race", races);
}
TEST(split_queue_mutant, a_thief_that_acquires_nothing_is_caught) {
  fails<two_in_flight<ordered_load<memory_order_relaxed>>>("race", races);
}
TEST(split_queue_mutant, a_copy_that_is_given_back_too_early_is_caught) {
  fails<two_growths<ordered_fetch_add<memory_order_relaxed>>>("", races);
}
TEST(split_queue_mutant, two_thieves_at_a_time_are_caught) { fails<two_in_flight<open_lock>>("", races); }
