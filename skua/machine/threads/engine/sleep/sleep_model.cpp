// SPDX-License-Identifier: MIT
// The sleep protocol together with the deque, under many schedules: what is pushed is found, or a sleeper is woken
// (sleep.md). Each mutant removes one step of the proof, and the explorer must find a sleeper that no thread wakes.
#include <gtest/gtest.h>

#include "skua/machine/threads/engine/outside/keep_batch.hpp"
#include "skua/machine/threads/engine/sleep/sleep.hpp"
#include "skua/machine/threads/fork/fiber/moving.hpp"
#include "skua/machine/threads/lane/lanes_for_test.hpp"
#include "skua/parts/queue/deque.hpp"
#include "skua/parts/queue/tagged_queue.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using skua::worker_id;

/// Worker 0 pushes two entries, one after the other. Worker 1 has nothing to do, falls asleep, and takes what it finds.
/// Worker 0 waits, as a join does, until worker 1 has taken an entry: if the wake-up is lost, both wait for ever.
template <class Sync>
struct owner_and_sleeper {
  static constexpr int threads = 2;
  using deque = skua::runtime::deque<Sync>;
  deque& lane = immortal<deque>(skua::runtime::deque_options{.capacity = 8, .kind = Sync::kind(), .memory = &memory()});
  skua::runtime::sleep_state<Sync>& sleep = immortal<skua::runtime::sleep_state<Sync>>(2U, &memory());
  typename Sync::template atomic<int> taken{0};
  int job[2] = {};

  void run(int me) {
    if (me == 0) {
      push(0);
      push(1);
      if (taken.load(std::memory_order_acquire) == 0) taken.wait(0, std::memory_order_acquire);
      return;
    }
    sleep.start_search();
    for (;;) {
      skua::runtime::entry got;
      skua::runtime::outcome const how = lane.outside().steal(got);
      if (how == skua::runtime::outcome::got) {
        sleep.found();
        taken.store(1, std::memory_order_seq_cst);
        taken.notify_all();
        return;
      }
      sleep.fall_asleep(
          worker_id{1}, [this] { lane.outside().request_attention(); },
          [this](auto) { return !lane.outside().looks_empty(); });
    }
  }
  void push(int which) {
    if (!lane.push(&job[which])) return;
    lane.poll();
    sleep.notify();
  }
  void finish() { require(taken.load(std::memory_order_relaxed) == 1, "a pushed entry is taken"); }
};

/// A count of items that any worker may take.
template <class Sync>
class item_count {
 public:
  void put() { items_.fetch_add(1, std::memory_order_seq_cst); }
  [[nodiscard]] bool any() const { return items_.load(std::memory_order_seq_cst) > 0; }
  bool take() {
    int seen = items_.load(std::memory_order_seq_cst);
    while (seen > 0) {
      if (items_.compare_exchange_strong(seen, seen - 1, std::memory_order_seq_cst, std::memory_order_relaxed)) {
        taken_.fetch_add(1, std::memory_order_seq_cst);
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] int taken() const { return taken_.load(std::memory_order_seq_cst); }

 private:
  typename Sync::template atomic<int> items_{0};
  typename Sync::template atomic<int> taken_{0};
};

/// The same as an ordered store: one thread puts items, with nothing stronger than a release. What P3 does not order, the
/// short wait makes visible.
template <class Sync>
class stored_items {
 public:
  void put() {
    // relaxed: one writer
    put_.store(put_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  [[nodiscard]] bool any() const {
    return taken_.load(std::memory_order_relaxed) < put_.load(std::memory_order_acquire);
  }
  bool take() {
    int seen = taken_.load(std::memory_order_relaxed);
    while (seen < put_.load(std::memory_order_acquire)) {
      if (taken_.compare_exchange_strong(seen, seen + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
        return true;
    }
    return false;
  }
  [[nodiscard]] int taken() const { return taken_.load(std::memory_order_seq_cst); }

 private:
  typename Sync::template atomic<int> put_{0};
  typename Sync::template atomic<int> taken_{0};
};

/// The same as the lane of a thread from outside, which alone puts items. One thread at a time takes them.
template <class Sync>
class lane_items {
 public:
  void put() {
    if (lane_.push(this)) require(lane_.poll() != skua::runtime::attention::full, "there is memory");
  }
  [[nodiscard]] bool any() const { return !lane_.outside().looks_empty(); }
  bool take() {
    skua::runtime::entry got;
    if (lane_.outside().steal(got) != skua::runtime::outcome::got) return false;
    taken_.fetch_add(1, std::memory_order_seq_cst);
    return true;
  }
  [[nodiscard]] int taken() const { return taken_.load(std::memory_order_seq_cst); }

 private:
  using deque = skua::runtime::deque<Sync>;
  deque& lane_ =
      immortal<deque>(skua::runtime::deque_options{.capacity = 8, .kind = Sync::kind(), .memory = &memory()});
  typename Sync::template atomic<int> taken_{0};
};

template <class Sync, class Items = item_count<Sync>>
struct from_outside {
  static constexpr int threads = 3;
  skua::runtime::sleep_state<Sync>& sleep = immortal<skua::runtime::sleep_state<Sync>>(2U, &memory());
  Items items;

  /// Two workers fall asleep; thread 2 submits two items.
  void run(int me) {
    if (me == 2) {
      for (int i = 0; i < 2; ++i) {
        items.put();
        sleep.notify();
      }
      return;
    }
    sleep.start_search();
    while (!items.take()) {
      sleep.fall_asleep(worker_id{static_cast<unsigned>(me)}, [] {}, [this](auto) { return items.any(); });
    }
    sleep.found();
  }
  void finish() { require(items.taken() == 2, "both items are taken"); }
};

/// Worker 0 leaves with an open join, which goes from lane to lane until it lies in a tagged one, and is busy from then
/// on; worker 1 falls asleep meanwhile. The count of a tagged lane is read without its lock.
template <class Sync, bool Notifies = true>
struct offer_and_sleeper {
  static constexpr int threads = 2;
  using tagged = skua::runtime::tagged_queue<skua::runtime::entry, Sync, typename Sync::mutex>;
  struct worker_slot : skua::runtime::lanes_with_joins<Sync> {
    explicit worker_slot(tagged& k)
        : skua::runtime::lanes_with_joins<Sync>({.capacity = 2, .kind = Sync::kind(), .memory = &memory()}), local(k) {}
    struct {
      static bool preempts() { return true; }
    } policy;
    void notify_work() {
      if (Notifies) sleep.notify();
    }
    tagged& local;
    skua::runtime::sleep_state<Sync>& sleep = immortal<skua::runtime::sleep_state<Sync>>(2U, &memory());
  };
  tagged local;
  worker_slot& owner = immortal<worker_slot>(local);
  typename Sync::template atomic<int> taken{0};
  int job = 0;

  // The fiber, for `moving`.
  worker_slot& slot() { return owner; }
  void make_room() {
    require(owner.make_room([] {}), "there is memory");
    owner.sleep.notify();
  }
  static void note_steals() {}
  static skua::runtime::entry as_published(skua::runtime::entry const& e) { return e; }

  void run(int me) {
    if (me == 0) {
      if (skua::runtime::push_join(owner, &job)) make_room();
      require(skua::runtime::moving::clear_lanes(*this), "there is memory");
      if (taken.load(std::memory_order_acquire) == 0) taken.wait(0, std::memory_order_acquire);
      return;
    }
    owner.sleep.start_search();
    while (!take()) {
      owner.sleep.fall_asleep(
          worker_id{1}, [this] { owner.request_attention(); },
          [this](auto) { return !owner.looks_stolen() || !local.looks_empty(); });
    }
    owner.sleep.found();
    taken.fetch_add(1, std::memory_order_seq_cst);
    taken.notify_all();
  }
  bool take() {
    skua::runtime::entry got;
    if (local.take_oldest(got, [](skua::runtime::entry const&) { return true; }) == skua::runtime::outcome::got)
      return true;
    return owner.forks_outside().steal(got) == skua::runtime::outcome::got ||
           owner.spawned.outside().steal(got) == skua::runtime::outcome::got;
  }
  void finish() { require(taken.load(std::memory_order_relaxed) == 1, "the offered join is taken"); }
};

/// Thread 0 submits two tasks and is then the worker that takes both from the lane, keeps the first one and offers the
/// other, which the first one waits for. Worker 1 falls asleep meanwhile. (engine/outside/outside_lane.md, "nothing hidden")
template <class Sync, bool Notifies = true>
struct share_and_sleeper {
  static constexpr int threads = 2;
  using deque = skua::runtime::deque<Sync>;
  static deque& make(skua::runtime::fences kind) {
    return immortal<deque>(skua::runtime::deque_options{.capacity = 8, .kind = kind, .memory = &memory()});
  }
  deque& outside = make(skua::runtime::fences::full);  // a thief that revokes would let the other one spin
  deque& spawned = make(Sync::kind());
  skua::runtime::sleep_state<Sync>& sleep = immortal<skua::runtime::sleep_state<Sync>>(2U, &memory());
  typename Sync::template atomic<int> taken{0};
  int job[2] = {};

  void run(int me) {
    if (me == 0) {
      for (int& j : job) require(!outside.push(&j) || outside.poll() != skua::runtime::attention::full, "memory");
      sleep.notify();
      move_share();
      if (taken.load(std::memory_order_acquire) == 0) taken.wait(0, std::memory_order_acquire);
      return;
    }
    sleep.start_search();
    skua::runtime::entry got;
    while (!take(outside, got) && !take(spawned, got)) {
      sleep.fall_asleep(
          worker_id{1}, [this] { spawned.outside().request_attention(); },
          [this](auto) { return !outside.outside().looks_empty() || !spawned.outside().looks_empty(); });
    }
    sleep.found();
    taken.fetch_add(1, std::memory_order_seq_cst);
    taken.notify_all();
  }
  static bool take(deque& from, skua::runtime::entry& got) {
    return from.outside().steal(got) == skua::runtime::outcome::got;
  }
  bool notify_work() { return Notifies && sleep.notify(); }
  void move_share() {
    struct {
      skua::runtime::entry tasks[2];
      std::size_t size = 2;
    } batch;
    if (!take(outside, batch.tasks[0]) || !take(outside, batch.tasks[1])) return;  // the other worker has one
    skua::runtime::keep_batch(spawned, batch, [](auto const&) {}, *this);
  }
  void finish() { require(taken.load(std::memory_order_relaxed) == 1, "the other worker gets a task"); }
};

/// Items for worker 0 only, as in its inbox, or in a lane of thread 2. Thread 0 is the worker's own, thread 1 a caller that takes the
/// worker's place if it can, thread 2 pushes. The own thread must take what the caller leaves.
template <class Sync, int Items, class Queue = item_count<Sync>, bool Looks = true>
struct caller_in_its_place {
  static constexpr int threads = 3;
  skua::runtime::sleep_state<Sync>& sleep = immortal<skua::runtime::sleep_state<Sync>>(1U, &memory());
  Queue items;
  typename Sync::template atomic<int> users{0};  // of the worker's state

  caller_in_its_place() { sleep.begin_asleep(); }
  void run(int me) {
    if (me == 0) return own_thread();
    if (me == 1) return caller();
    for (int i = 0; i < Items; ++i) {
      items.put();
      sleep.notify_worker(worker_id{0}, [] {});
    }
  }
  void own_thread() {
    current_world()->may_rest();  // if the caller has taken the last item
    sleep.sleep_until_woken(worker_id{0});
    while (items.taken() < Items) {
      use();
      bool const got = items.take();
      leave();
      if (!got) fall_asleep(thread::own);
    }
  }
  /// Takes one item if there are two; waits for it in the worker's place.
  void caller() {
    if (sleep.lend(worker_id{0}, [] { return true; }, [] {}) != skua::runtime::loan::given) return;
    use();
    if (Items > 1) {
      sleep.start_search();
      while (!items.take()) {
        leave();
        fall_asleep(thread::callers);
        use();
      }
      sleep.found();
    }
    leave();
    sleep.take_back(worker_id{0}, [this] { return Looks && items.any(); });
  }
  using thread = typename skua::runtime::sleep_state<Sync>::thread;
  void fall_asleep(thread who) {
    sleep.fall_asleep(worker_id{0}, [] {}, [this](auto) { return items.any(); }, who);
  }
  void use() { require(users.fetch_add(1, std::memory_order_seq_cst) == 0, "one thread at a time is the worker"); }
  void leave() { users.fetch_sub(1, std::memory_order_seq_cst); }
  void finish() { require(items.taken() == Items, "all items are taken"); }
};

/// The end of the process: thread 0 is the worker's own, thread 1 retires it if it can and ends it, thread 2 pushes an item and takes it
/// back if no worker will come. Without E1 the worker continues; it must not lose the item then, either. It begins asleep, or is about to.
template <class Sync, bool TakesBack = true, bool Asleep = true>
struct end_and_pusher {
  static constexpr int threads = 3;
  skua::runtime::sleep_state<Sync>& sleep = immortal<skua::runtime::sleep_state<Sync>>(1U, &memory());
  item_count<Sync> items;
  typename Sync::template atomic<bool> closing{false};
  typename Sync::template atomic<bool> looks{false};  // the own thread does, in S3 or S5

  end_and_pusher() {
    if (Asleep) {
      sleep.begin_asleep();
    } else {
      sleep.start_search();
    }
  }
  void run(int me) {
    if (me == 0) return own_thread();
    if (me == 1) {
      bool const ends = sleep.retire([this] {
        require(!looks.load(std::memory_order_seq_cst), "whoever retires uses nothing");
        return !items.any();
      });
      require(sleep.is_retired() == ends, "a worker that goes on is not retired");
      if (!ends) return;
      closing.store(true, std::memory_order_release);
      sleep.wake_all();
      return;
    }
    items.put();
    sleep.notify();
    if (TakesBack && sleep.is_retired()) items.take();
  }
  void own_thread() {
    current_world()->may_rest();  // if the pusher has taken its item back, and the process could not retire the worker
    if (Asleep) sleep.sleep_until_woken(worker_id{0});
    while (!is_closing() && !items.take()) {
      sleep.fall_asleep(worker_id{0}, [] {}, [this](auto) { return anything(); });
    }
  }
  /// The own thread is awake.
  bool is_closing() {
    bool const retired = sleep.is_retired();
    bool const ends = closing.load(std::memory_order_acquire);
    require(ends || !retired, "a worker that is retired sleeps until the end");
    return ends;
  }
  bool anything() {
    looks.store(true, std::memory_order_seq_cst);
    bool const any = items.any() || is_closing();
    looks.store(false, std::memory_order_seq_cst);
    return any;
  }
  void finish() { require(items.taken() == 1, "the item is taken"); }
};

/// The same with a caller (thread 1) that takes the worker's place if it can, and waits there for the item. Thread 2 tries to
/// retire the worker, and pushes the item then. The caller is no thread of the pool's, so nothing that it waits for may be lost.
template <class Sync>
struct end_and_caller {
  static constexpr int threads = 3;
  using thread = typename skua::runtime::sleep_state<Sync>::thread;
  skua::runtime::sleep_state<Sync>& sleep = immortal<skua::runtime::sleep_state<Sync>>(1U, &memory());
  item_count<Sync> items;
  bool came = false;

  end_and_caller() { sleep.begin_asleep(); }
  void run(int me) {
    if (me == 0) {
      current_world()->may_rest();
      sleep.sleep_until_woken(worker_id{0});
    } else if (me == 1) {
      caller();
    } else {
      static_cast<void>(sleep.retire([] { return true; }));
      items.put();
      sleep.notify_worker(worker_id{0}, [] {});
    }
  }
  void caller() {
    if (sleep.lend(worker_id{0}, [] { return true; }, [] {}) != skua::runtime::loan::given) return;
    came = true;
    sleep.start_search();
    while (!items.take()) sleep.fall_asleep(worker_id{0}, [] {}, [this](auto) { return items.any(); }, thread::callers);
    sleep.found();
    sleep.take_back(worker_id{0}, [this] { return items.any(); });
  }
  void finish() { require(items.taken() == (came ? 1 : 0), "a caller gets what it waits for"); }
};

/// Thread 2 forgets P3.
struct unfenced_pusher : model_sync {
  static void full_fence() noexcept {
    if (current_world()->thread() != 2) model_sync::full_fence();
  }
};

}  // namespace

TEST(sleep_model, a_searcher_falls_asleep_while_the_owner_pushes) { holds<owner_and_sleeper<model_sync>>(); }
TEST(sleep_model, a_searcher_falls_asleep_while_the_owner_pushes_with_full_fences) {
  holds<owner_and_sleeper<full_model_sync>>();
}
// At most three preemptions. (Without a bound there are 10^6 states; all of them hold.)
TEST(sleep_model, an_offer_goes_from_lane_to_lane_while_a_searcher_falls_asleep) {
  holds<offer_and_sleeper<model_sync>>({.preemptions = 3, .races = true});
  holds<offer_and_sleeper<full_model_sync>>({.preemptions = 3, .races = true});
}
TEST(sleep_model, a_share_of_a_lane_is_moved_while_a_searcher_falls_asleep) {
  holds<share_and_sleeper<model_sync>>({.preemptions = 2});
  holds<share_and_sleeper<full_model_sync>>({.preemptions = 2});
}
// Three threads: all executions with at most two preemptions.
TEST(sleep_model, work_from_outside_wakes_a_sleeper) { holds<from_outside<model_sync>>({.preemptions = 2}); }
TEST(sleep_model, work_of_an_ordered_store_wakes_a_sleeper) {
  holds<from_outside<model_sync, stored_items<model_sync>>>({.preemptions = 2});
  holds<from_outside<model_sync, stored_items<model_sync>>>(weak);
}

TEST(sleep_model, a_caller_takes_a_place_and_leaves_nothing_behind) {
  holds<caller_in_its_place<model_sync, 1>>();
  holds<caller_in_its_place<full_model_sync, 1>>();
}
TEST(sleep_model, a_caller_leaves_nothing_behind_in_a_lane_outside) {
  holds<caller_in_its_place<model_sync, 1, lane_items<model_sync>>>({.preemptions = 3});
  holds<caller_in_its_place<model_sync, 2, lane_items<model_sync>>>({.preemptions = 2});
}
TEST(sleep_model, a_caller_sleeps_in_its_place) { holds<caller_in_its_place<model_sync, 2>>({.preemptions = 2}); }

TEST(sleep_model, a_worker_retires_while_somebody_pushes) {
  holds<end_and_pusher<model_sync>>({.preemptions = 3});
  holds<end_and_pusher<model_sync>>(weak);
  holds<end_and_pusher<model_sync, true, false>>({.preemptions = 2});
  holds<end_and_pusher<model_sync, true, false>>(weak);
}
TEST(sleep_model, a_worker_retires_while_a_caller_comes_and_sleeps_in_its_place) {
  holds<end_and_caller<model_sync>>({.preemptions = 3});
  holds<end_and_caller<model_sync>>(weak);
}

// On weak memory: all executions with at most two preemptions and two stale loads, or fewer where that takes long.
constexpr options briefly{.model = memory_model::weak, .preemptions = 1, .stale = 2, .races = true};

TEST(sleep_model, a_searcher_falls_asleep_on_weak_memory) {
  holds<owner_and_sleeper<model_sync>>(weak);
  holds<owner_and_sleeper<full_model_sync>>(weak);
}
TEST(sleep_model, an_offer_or_a_share_moves_on_weak_memory) {
  holds<offer_and_sleeper<model_sync>>(briefly);
  holds<offer_and_sleeper<full_model_sync>>(briefly);
  holds<share_and_sleeper<model_sync>>(weak);
  holds<share_and_sleeper<full_model_sync>>(weak);
}
TEST(sleep_model, work_from_outside_wakes_a_sleeper_on_weak_memory) { holds<from_outside<model_sync>>(briefly); }
TEST(sleep_model, a_caller_takes_a_place_on_weak_memory) {
  holds<caller_in_its_place<model_sync, 1>>(weak);
  holds<caller_in_its_place<full_model_sync, 1>>(weak);
  holds<caller_in_its_place<model_sync, 2>>(weak);
  holds<caller_in_its_place<model_sync, 1, lane_items<model_sync>>>(weak);
  holds<caller_in_its_place<model_sync, 2, lane_items<model_sync>>>(briefly);
}

TEST(sleep_mutant, a_caller_that_leaves_without_looking_is_caught) {
  fails<caller_in_its_place<model_sync, 1, item_count<model_sync>, false>>("all items are taken");
}
TEST(sleep_mutant, a_push_into_a_lane_outside_without_a_fence_is_caught) {
  fails<caller_in_its_place<unfenced_pusher, 1, lane_items<unfenced_pusher>>>("all items are taken");
}
TEST(sleep_mutant, a_push_into_a_tagged_lane_that_notifies_nobody_is_caught) {
  fails<offer_and_sleeper<model_sync, false>>("deadlock", {.races = true});
}
TEST(sleep_mutant, a_share_that_is_moved_and_notifies_nobody_is_caught) {
  fails<share_and_sleeper<model_sync, false>>("deadlock");
}
TEST(sleep_mutant, a_push_to_a_retired_worker_that_is_not_taken_back_is_caught) {
  fails<end_and_pusher<model_sync, false>>("the item is taken");
}
TEST(sleep_mutant, no_short_wait_is_caught) { fails<owner_and_sleeper<no_time>>("deadlock"); }
