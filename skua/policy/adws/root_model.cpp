// SPDX-License-Identifier: MIT
// The tasks that come to a region from outside, under every schedule: one at a time is the root, it sees what the last one
// left, and it is worker 0's, or the one worker's that has fetched it. Replay's root is the same class, without a group.
#include "skua/policy/adws/root.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <mutex>

#include "skua/policy/adws/tag_fields.hpp"
#include "skua/policy/outside_tasks.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using skua::worker_id;
using skua::policies::outside_tasks;
using skua::policies::adws::group_id, skua::policies::adws::root_of_region, skua::policies::adws::tag_fields;
using ranges = skua::policies::adws::tree<model_sync>;

enum class root_then : std::uint8_t { ends, is_freed };

/// Two workers bring two tasks each, one after the other. Only the class orders what two roots do.
template <class Sync, root_then Then>
struct two_bring {
  static constexpr int threads = 2;
  outside_tasks<Sync>& tasks = immortal<outside_tasks<Sync>>();
  model_plain<int> roots{0};
  int begun = 0;

  void run(int me) {
    for (int i = 0; i < 2; ++i) {
      bool const may_be_root = me == 0 || i == 0;
      bool const is_root = tasks.begin(may_be_root);
      require(may_be_root || !is_root, "what may not be the root is free");
      if (is_root) {
        roots.set(roots.get() + 1);
        ++begun;
        if (Then == root_then::ends) {
          tasks.root_ends();
          continue;
        }
        tasks.root_is_freed();
      }
      require(tasks.any_free(), "who runs a free task sees that there is one");
      tasks.free_ends();
    }
  }
  void finish() {
    require(begun > 0 && roots.get() == begun, "a root sees the one before");
    require(!tasks.any_free(), "nothing is free in the end");
    require(tasks.begin(true), "the last root has ended");
  }
};

/// Workers 0 and 1 bring two tasks each. A root lies in worker 0's mailbox until worker 0 takes it, or until worker 2 fetches
/// it because it waits.
struct one_fetches {
  static constexpr int threads = 3;
  ranges& tree = immortal<ranges>(3U, &memory());
  root_of_region<model_sync>& root = immortal<root_of_region<model_sync>>(tree, 3U);
  model_mutex of_mailbox;
  bool is_filled = false;
  bool may_be_fetched = false;
  tag_fields in_mailbox{};
  model_plain<int> roots{0};
  int begun = 0;
  int ended = 0;

  void run(int me) {
    for (int i = 0; i < 2; ++i) {
      if (me == 2) {
        fetch();
        continue;
      }
      bring(me);
      if (me == 0) run_own();
    }
  }
  /// place(injected)
  void bring(int me) {
    auto const opened = root.open(true);
    if (!opened) return end_free_task();
    require(*opened == group_id{.node = 0, .level = 0}, "no other root is open");
    roots.set(roots.get() + 1);
    ++begun;
    tag_fields const c{.range = root.all(), .group = *opened, .is_root = true, .is_outside = true};
    if (me != 0) root.waits(word_of(c));
    std::lock_guard const hold(of_mailbox);
    require(!is_filled, "there is one root");
    is_filled = true;
    may_be_fetched = me != 0;
    in_mailbox = c;
  }
  /// A worker pops its own mailbox whatever lies there.
  void run_own() {
    {
      std::lock_guard const hold(of_mailbox);
      if (!is_filled) return;
      is_filled = false;
    }
    root.begins(word_of(in_mailbox));
    roots.set(roots.get() + 1);
    ++ended;
    root.ends(in_mailbox.group);
  }
  /// admits, place(stolen)
  void fetch() {
    {
      std::lock_guard const hold(of_mailbox);
      if (!is_filled || !root.is_waiting(word_of(in_mailbox))) return;
      require(may_be_fetched, "what worker 0 has brought is its own");
      is_filled = false;
    }
    require(root.is_waiting(word_of(in_mailbox)), "whoever has fetched the root knows that it is one");
    roots.set(roots.get() + 1);
    ++ended;
    root.is_fetched(in_mailbox.group);
    end_free_task();
  }
  void end_free_task() {
    require(root.any_free_task(), "who runs a free task sees that there is one");
    root.free_task_ends();
  }
  static std::uint64_t word_of(tag_fields const& c) { return c.written().words[0]; }

  void finish() {
    require(root.any_waits() == (is_filled && may_be_fetched), "a root that may be fetched waits until it is taken");
    run_own();
    require(begun > 0 && begun == ended && roots.get() == 2 * begun, "each root runs once");
    require(!root.any_free_task() && !root.any_waits(), "nothing is free, and nothing waits");
    require(tree.youngest(worker_id{0}) == skua::policies::adws::none, "the root's group is closed");
  }
};

/// Two workers may find the same room for a root.
struct torn_exchange : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T exchange(T value, std::memory_order order) noexcept {
      T const old = model_atomic<T>::load(order);
      this->store(value, std::memory_order_relaxed);
      return old;
    }
  };
};

constexpr options every{.races = true};

}  // namespace

TEST(root_model, one_task_at_a_time_is_the_root_and_sees_the_one_before) {
  holds<two_bring<model_sync, root_then::ends>>(every);
  holds<two_bring<model_sync, root_then::ends>>(weak_races);
  holds<two_bring<model_sync, root_then::is_freed>>(every);
  holds<two_bring<model_sync, root_then::is_freed>>(weak_races);
}
TEST(root_model, a_root_that_waits_is_fetched_once_and_one_of_worker_0_never) {
  holds<one_fetches>({.preemptions = 2, .races = true});
  holds<one_fetches>(weak_races);
}

TEST(root_mutant, a_torn_exchange_is_caught) { fails<two_bring<torn_exchange, root_then::ends>>("race", every); }
TEST(root_mutant, an_end_that_publishes_nothing_is_caught) {
  fails<two_bring<ordered_store<std::memory_order_relaxed>, root_then::ends>>("race", every);
}
