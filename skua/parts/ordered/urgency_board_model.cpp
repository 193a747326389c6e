// SPDX-License-Identifier: MIT
// Urgency across workers under every schedule of pusher, owner and thieves: each task comes out once, and a task that is
// offered while a thief looks is brought by its next look (urgency_board.md). Each mutant breaks one step.
#include "skua/parts/ordered/urgency_board.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "skua/parts/ordered/ordered_store.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using skua::worker_id;
using skua::runtime::ordered_store, skua::runtime::outcome, skua::runtime::requester, skua::runtime::strategy_kind,
    skua::runtime::taken_task, skua::runtime::urgency_board, skua::runtime::urgency_watch;
using std::memory_order, std::memory_order_relaxed;

/// Tasks 2k and 2k + 1 are equally urgent.
double urgency_of(void const* value) { return *static_cast<int const*>(value) / 2; }
double key(void const* value, requester const&) { return urgency_of(value); }
constexpr strategy_kind by_number{.key = key, .global_key = urgency_of};

/// Workers with stores of blocks of one slot, so that few pushes compact them; tasks are numbers.
template <class Sync, std::uint32_t Workers>
class stage {
 public:
  stage() {
    for (std::uint32_t w = 0; w < Workers; ++w) members_[w].emplace(board_, w);
  }
  void push(std::uint32_t w, int task) {
    member& m = *members_[w];
    require(m.tasks.push({.task = &times_.at(static_cast<std::size_t>(task)),
                          .kind = &by_number,
                          .value = &task,
                          .value_size = sizeof(task)}),
            "there is memory");
    m.looks.pushed();
  }
  /// A look that is due. True if it brought a task.
  bool look(std::uint32_t w) {
    member& m = *members_[w];
    m.now += 100;
    return m.looks.look([&m] { return m.now; }).has_value();
  }
  /// True if there was a task.
  bool pop(std::uint32_t w) {
    member& m = *members_[w];
    taken_task t;
    outcome const how = m.tasks.pop(t);
    m.looks.popped();
    if (how == outcome::got) ++*static_cast<int*>(t.task);
    return how == outcome::got;
  }
  void turn(std::uint32_t w) {
    static_cast<void>(look(w));
    static_cast<void>(pop(w));
  }
  [[nodiscard]] bool has_run(int task) const { return times_.at(static_cast<std::size_t>(task)) > 0; }
  [[nodiscard]] bool holds(std::uint32_t w) const { return !members_[w]->tasks.looks_empty(); }
  /// Runs what is left.
  void expect_once(int first, int last) {
    for (std::uint32_t w = 0; w < Workers; ++w) {
      while (pop(w)) {}
    }
    for (int i = first; i <= last; ++i) {
      require(times_.at(static_cast<std::size_t>(i)) == 1, "each task comes out once");
    }
  }

 private:
  using store = ordered_store<Sync, 1>;
  struct member {
    member(urgency_board<store, Sync>& all, std::uint32_t w)
        : tasks(requester{.worker = worker_id{w}}, memory()), looks(all, worker_id{w}, tasks, 1) {}
    store tasks;
    urgency_watch<store, Sync> looks;
    std::uint64_t now = 100;
  };
  urgency_board<store, Sync> board_{Workers};
  std::array<std::optional<member>, Workers> members_{};
  std::array<int, 32> times_{};
};

/// Worker 0 offers a task as urgent as one that it offered before and has run, so that its word is stale; the thief, which
/// holds a less urgent one, finds the stale word, the new one, or repairs the word meanwhile.
template <class Sync>
struct pusher_and_thief {
  static constexpr int threads = 2;
  stage<Sync, 2> on;
  bool brought = false;

  pusher_and_thief() {
    on.push(0, 2);
    require(on.pop(0), "it is there");
    on.push(1, 8);
  }
  void run(int me) {
    if (me == 0) on.push(0, 3);
    if (me == 1) brought = on.look(1);
  }
  void finish() {
    require(brought || on.look(1), "an offer is found by the next look");
    require(!on.holds(0), "the urgent task was brought");
    require(on.pop(1) && on.has_run(3), "the urgent task runs first");
    on.expect_once(2, 3);
    on.expect_once(8, 8);
  }
};

/// The owner turns to its next task while two thieves, which hold less urgent ones, look.
template <class Sync>
struct owner_and_thieves {
  static constexpr int threads = 3;
  stage<Sync, 3> on;

  owner_and_thieves() {
    on.push(0, 2);
    on.push(0, 0);
    on.push(1, 4);
    on.push(2, 5);
  }
  void run(int me) {
    if (me == 0) on.turn(0);
    if (me != 0) static_cast<void>(on.look(static_cast<std::uint32_t>(me)));
  }
  void finish() {
    on.expect_once(0, 0);
    on.expect_once(2, 2);
    on.expect_once(4, 5);
  }
};

/// The owner's next push compacts its store, in which an offered task moves, while a thief looks.
template <class Sync>
struct compaction {
  static constexpr int threads = 2;
  stage<Sync, 2> on;

  compaction() {
    on.push(0, 26);
    require(on.look(1) && on.pop(1), "it was offered");
    on.push(0, 28);  // in the second slot
    for (int i = 10; i < 17; ++i) {
      on.push(0, i);
      require(on.pop(0), "the more urgent one");
    }
    on.push(1, 31);
  }
  void run(int me) {
    if (me == 0) on.push(0, 29);
    if (me == 1) static_cast<void>(on.look(1));
  }
  void finish() {
    on.expect_once(10, 16);
    on.expect_once(26, 26);
    on.expect_once(28, 29);
    on.expect_once(31, 31);
  }
};

// ---- mutants --------------------------------------------------------------------------------------------------------

template <class T>
inline constexpr bool is_slot = std::is_pointer_v<T> && !std::is_same_v<T, strategy_kind const*>;

/// A slot is offered before it is filled.
struct unpublished_offers : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    void store(T value, memory_order order) noexcept {
      model_atomic<T>::store(value, is_slot<T> ? memory_order_relaxed : order);
    }
  };
};

/// A compaction leaves the offers of the slots that it moves.
struct kept_offers : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    void store(T value, memory_order order) noexcept {
      if constexpr (is_slot<T>) {
        if (value == nullptr) return;
      }
      model_atomic<T>::store(value, order);
    }
  };
};

/// A thief overwrites what the owner has announced since.
struct blind_repair : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    bool compare_exchange_strong(T& expected, T desired, memory_order yes, memory_order no) noexcept {
      if constexpr (!std::is_same_v<T, std::uint64_t>) {
        return model_atomic<T>::compare_exchange_strong(expected, desired, yes, no);
      } else {
        model_atomic<T>::store(desired, memory_order_relaxed);
        return true;
      }
    }
  };
};

constexpr options bounded{.preemptions = 3, .races = true};

}  // namespace

TEST(urgency_board_model, offered_task_is_brought_by_the_next_look) {
  holds<pusher_and_thief<model_sync>>(bounded);
  holds<pusher_and_thief<model_sync>>(weak_races);
}
TEST(urgency_board_model, owner_and_thieves_take_each_task_once) {
  holds<owner_and_thieves<model_sync>>({.preemptions = 1, .races = true});
}
TEST(urgency_board_model, compaction_withdraws_what_it_moves) { holds<compaction<model_sync>>(bounded); }

TEST(urgency_board_mutant, unpublished_offers_are_caught) {
  fails<pusher_and_thief<unpublished_offers>>("race", bounded);
}
TEST(urgency_board_mutant, kept_offers_are_caught) {
  fails<compaction<kept_offers>>("each task comes out once", bounded);
}
TEST(urgency_board_mutant, blind_repair_is_caught) {
  fails<pusher_and_thief<blind_repair>>("an offer is found by the next look", bounded);
}
