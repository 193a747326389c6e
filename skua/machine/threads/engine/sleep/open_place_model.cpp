// SPDX-License-Identifier: MIT
// Callers that enter and leave an open place, without the sleepers' lock, beside everybody who could miss them or be missed: pushers, the worker's own
// thread, searchers, other callers and the end of the process, under many schedules (open_place.md). Steps that these scripts need are removed by
// tools/mutants.toml.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "skua/machine/threads/engine/callers/place.hpp"
#include "skua/machine/threads/engine/core/departure.hpp"
#include "skua/machine/threads/engine/sleep/sleep.hpp"
#include "skua/parts/queue/deque.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using skua::worker_id;
using skua::runtime::entry, skua::runtime::loan, skua::runtime::outcome, skua::runtime::reach,
    skua::runtime::sleep_state;
using sync = model_sync;
using sleepers = sleep_state<sync>;
using thread = sleepers::thread;

/// Entries that up to two threads push, each with a release.
class entries {
 public:
  void put(unsigned by = 0) {
    // relaxed: one writer each
    put_[by].store(put_[by].load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  [[nodiscard]] bool any() const { return total() > taken_.load(std::memory_order_acquire); }
  bool take() {
    int seen = taken_.load(std::memory_order_acquire);
    while (seen < total()) {
      if (taken_.compare_exchange_strong(seen, seen + 1, std::memory_order_acq_rel, std::memory_order_acquire))
        return true;
    }
    return false;
  }

 private:
  [[nodiscard]] int total() const {
    return put_[0].load(std::memory_order_acquire) + put_[1].load(std::memory_order_acquire);
  }
  std::array<model_atomic<int>, 2> put_;
  model_atomic<int> taken_{0};
};

/// Steps that a thread counts and another one awaits, as a join does.
class progress {
 public:
  void add() {
    word_.fetch_add(1, std::memory_order_release);
    word_.notify_all();
  }
  void await(int enough) {
    for (int seen = now(); seen < enough; seen = now()) word_.wait(seen, std::memory_order_acquire);
  }
  [[nodiscard]] int now() const { return word_.load(std::memory_order_acquire); }

 private:
  model_atomic<int> word_{0};
};

/// Whom an entry is for.
enum class to : std::uint8_t { anybody, worker_0 };

/// What lies in a pool of one region: tasks from outside, what only worker 0 may take, and a lane of each worker.
template <unsigned Workers>
struct pool_of {
  using deque = skua::runtime::deque<sync>;
  static deque& lane() {
    return immortal<deque>(skua::runtime::deque_options{.capacity = 4, .kind = sync::kind(), .memory = &memory()});
  }
  pool_of() {
    for (auto& l : lanes) l = &lane();
    state.begin_without_threads();
    for (deque* const l : lanes) l->outside().request_attention();  // as a region that opens
  }

  // What leave_place asks of a pool.
  sleepers& sleep() { return state; }
  static bool leaves_places_open() { return true; }
  void request_attention() {
    for (unsigned w = 0; w < Workers; ++w) {
      if (!state.is_asleep(worker_id{w})) lanes[w]->outside().request_attention();
    }
  }
  void request_attention_of_others(worker_id left) {
    for (unsigned w = 0; w < Workers; ++w) {
      if (w != index(left) && !state.is_asleep(worker_id{w})) lanes[w]->outside().request_attention();
    }
  }
  void notify_of_common_work() {
    sync::full_fence();
    if (injected.any()) state.notify();
  }

  entries& items_for(to whom) { return whom == to::anybody ? injected : inbox; }
  void push_for(to whom) {
    items_for(whom).put();
    whom == to::anybody ? state.notify() : state.notify_worker(worker_id{0}, [] {});
  }
  void push(unsigned w, void* task) {
    if (!lanes[w]->push(task)) return;
    require(lanes[w]->poll() != skua::runtime::attention::full, "there is memory");
    state.notify();
  }
  bool steal(unsigned w) {
    entry got;
    return lanes[w]->outside().steal(got) == outcome::got;
  }
  /// S3, S5, as nothing_for.
  bool holds_something(unsigned self, reach looks_at) {
    if (injected.any() || (self == 0 && inbox.any())) return true;
    if (!lanes[self]->outside().looks_empty()) return true;
    if (looks_at == reach::own) return false;
    for (unsigned w = 0; w < Workers; ++w) {
      if (!state.is_asleep(worker_id{w}) && !lanes[w]->outside().looks_empty()) return true;
    }
    return false;
  }

  sleepers& state = immortal<sleepers>(Workers, &memory());
  entries injected;
  entries inbox;
  std::array<deque*, Workers> lanes;
};

/// A worker's place, for its own thread and callers in turn. `users`: the threads that use the worker's data.
template <unsigned Workers>
class place {
 public:
  place(pool_of<Workers>& all, unsigned w) : all_(all), number_(w) { used_.set(0); }

  pool_of<Workers>& pool() { return all_; }
  [[nodiscard]] worker_id number() const { return worker_id{number_}; }

  // What anything_left asks.
  [[nodiscard]] static bool has_new_regions() { return false; }
  [[nodiscard]] bool has_tied_ready() {
    touch();
    return number_ == 0 && all_.inbox.any();
  }
  struct region_of_all {
    place& me;
    place* slot_for(place&) { return &me; }
    [[nodiscard]] bool leaves_something_to(place& p) const {
      return p.all_.injected.any() || !p.all_.lanes[p.number_]->outside().looks_empty();
    }
  };
  [[nodiscard]] std::array<region_of_all*, 1> regions() { return {&only_}; }

  bool enter() {
    bool const open = skua::runtime::take_open_place(all_, number());
    if (!open && skua::runtime::take_place(all_.state, number(), tied_, [this] {
                   all_.lanes[number_]->outside().request_attention();
                 }) != loan::given)
      return false;
    begin();
    return true;
  }
  void leave() {
    touch();
    end();
    skua::runtime::leave_place(*this);
  }
  /// A caller that may find the place taken.
  void come_and_go() {
    if (enter()) leave();
  }
  /// Before the script: the last caller has left it open.
  void begin_open() {
    require(enter(), "it is free");
    leave();
  }
  /// Around what the present thread does as the worker.
  void begin() { require(users_.fetch_add(1, std::memory_order_relaxed) == 0, "one thread at a time is the worker"); }
  void end() { users_.fetch_sub(1, std::memory_order_relaxed); }
  /// The worker's plain data.
  void touch() { used_.set(used_.get() + 1); }

  bool fall_asleep(thread who = thread::own) {
    touch();
    end();
    bool const slept = all_.state.fall_asleep(
        number(), [this] { all_.request_attention(); },
        [this](reach r) {
          touch();
          return all_.holds_something(number_, r);
        },
        who);
    begin();
    touch();
    return slept;
  }
  /// The own thread, from its first sleep on.
  void sleep_at_first() {
    all_.state.sleep_until_woken(number());
    begin();
    touch();
  }
  /// The same, until take() gets something.
  template <class Take>
  void live(Take const& take) {
    sleep_at_first();
    while (!take()) fall_asleep();
    all_.state.found();
  }
  /// The same, until two items are taken, perhaps by others.
  void take_two(entries& items, int& taken) {
    sleep_at_first();
    while (taken < 2) items.take() ? static_cast<void>(++taken) : static_cast<void>(fall_asleep());
  }

 private:
  pool_of<Workers>& all_;
  unsigned const number_;
  region_of_all only_{*this};
  skua::runtime::departure<sync> tied_;
  model_atomic<int> users_{0};
  sync::plain<int> used_;
};

/// One worker, whose place is open at first.
struct one_open_place {
  pool_of<1>& all = immortal<pool_of<1>>();
  place<1>& worker = immortal<place<1>>(all, 0U);
  one_open_place() { worker.begin_open(); }
};

/// Thread 0 is the worker's own, thread 1 pushes for anybody, or for worker 0 only, the others are callers that come and leave.
template <to Whom, int Callers = 1>
struct pushed_beside_a_caller : one_open_place {
  static constexpr int threads = 2 + Callers;
  int taken = 0;

  void run(int me) {
    if (me == 1) return all.push_for(Whom);
    if (me > 1) return worker.come_and_go();
    current_world()->may_rest();
    worker.live([this] { return all.items_for(Whom).take(); });
    ++taken;
  }
  void finish() { require(taken == 1, "what is pushed is taken"); }
};

/// Two threads make frames ready that only worker 0 may resume (worker::send_home), beside a caller that leaves its open place.
struct frames_beside_a_caller : one_open_place {
  static constexpr int threads = 4;
  int taken = 0;

  void run(int me) {
    if (me == 3) return worker.come_and_go();
    if (me == 0) {
      current_world()->may_rest();
      return worker.take_two(all.inbox, taken);
    }
    all.inbox.put(static_cast<unsigned>(me - 1));
    all.state.wake(worker_id{0});
  }
  void finish() { require(taken == 2, "both resume"); }
};

/// The caller searches in its open place until it has one of two items, and may sleep there. The pusher may rely on it.
template <to Whom>
struct searches_in_an_open_place : one_open_place {
  static constexpr int threads = 3;
  int taken = 0;

  void run(int me) {
    if (me == 0) {
      current_world()->may_rest();
      worker.take_two(all.items_for(Whom), taken);
    } else if (me == 1) {
      for (int i = 0; i < 2; ++i) all.push_for(Whom);
    } else if (worker.enter()) {
      all.state.start_search();
      while (!all.items_for(Whom).take()) worker.fall_asleep(thread::callers);
      ++taken;
      all.state.found();
      worker.leave();
    }
  }
  void finish() {
    require(taken == 2, "both are taken");
    require(all.state.asleep_now() + all.state.searching_now() <= 1, "a worker counts once");
  }
};

/// A caller leaves the open place of worker 0 while worker 1, on which a pusher relies, gets one of two items, and waits for the other one, as a task may. (F1)
struct searcher_gets_another {
  static constexpr int threads = 4;
  pool_of<2>& all = immortal<pool_of<2>>();
  place<2>& worker = immortal<place<2>>(all, 0U);
  place<2>& other = immortal<place<2>>(all, 1U);
  progress taken;

  searcher_gets_another() {
    worker.begin_open();
    all.state.wake(worker_id{1});  // it searches
  }
  void run(int me) {
    if (me == 3) return worker.come_and_go();
    if (me == 2) {
      for (int i = 0; i < 2; ++i) all.push_for(to::anybody);
      return;
    }
    (me == 0 ? worker : other).live([this] { return all.injected.take(); });
    taken.add();
    taken.await(2);
  }
  void finish() {}
};

/// Worker 1 falls asleep as the last searcher while a caller comes to the open place of worker 0, pushes, and waits, as a join does.
struct pushes_in_an_open_place {
  static constexpr int threads = 2;
  pool_of<2>& all = immortal<pool_of<2>>();
  place<2>& worker = immortal<place<2>>(all, 0U);
  place<2>& other = immortal<place<2>>(all, 1U);
  progress taken;
  int job = 0;

  pushes_in_an_open_place() {
    require(worker.enter(), "it is free");
    all.push(0, &job);  // uses up the request of the region that opened, and wakes worker 1
    require(all.steal(0), "the entry is there");
    worker.leave();
  }
  void run(int me) {
    if (me == 1) {
      require(worker.enter(), "it is open");
      all.push(0, &job);
      taken.await(1);
      return worker.leave();
    }
    other.live([this] { return all.steal(0); });
    taken.add();
  }
  void finish() {}
};

/// A caller leaves the open place of worker 0 while worker 1 runs, and pushes later: it must see that a worker sleeps. `Other`: a caller leaves the place of
/// worker 2 at the same time; its thread is then the worker's own.
template <bool Other>
struct neighbour_pushes_later {
  static constexpr unsigned workers = Other ? 3 : 2;
  static constexpr int threads = Other ? 4 : 3;
  pool_of<workers>& all = immortal<pool_of<workers>>();
  place<workers>& worker = immortal<place<workers>>(all, 0U);
  place<workers>& runs = immortal<place<workers>>(all, 1U);
  place<workers>& third = immortal<place<workers>>(all, workers - 1);
  progress left;
  progress taken;
  int job = 0;

  neighbour_pushes_later() {
    worker.begin_open();
    require(runs.enter(), "it is free");
    if (Other) require(third.enter(), "it is free");
    // An earlier push has used up the request.
    require(all.lanes[1]->push(&job) && all.lanes[1]->poll() != skua::runtime::attention::full && all.steal(1),
            "the lane held a request");
  }
  void run(int me) {
    if (me == 1) {
      left.await(Other ? 2 : 1);
      all.push(1, &job);
      taken.await(1);
    } else if (me == 2) {
      worker.come_and_go();
      left.add();
    } else {
      if (me == 3) {
        third.leave();
        left.add();
      }
      current_world()->may_rest();  // the other one may take it
      (me == 0 ? worker : third).live([this] { return all.steal(1); });
      taken.add();
    }
  }
  void finish() { require(taken.now() == 1, "a worker takes it"); }
};

/// The own thread falls asleep (S1 to S6), and callers come meanwhile: the first one by the lock, the second one perhaps to an open place.
struct falls_asleep_beside_callers {
  static constexpr int threads = 3;
  pool_of<1>& all = immortal<pool_of<1>>();
  place<1>& worker = immortal<place<1>>(all, 0U);

  falls_asleep_beside_callers() { all.state.wake(worker_id{0}); }
  void run(int me) {
    if (me == 0) {
      current_world()->may_rest();
      worker.sleep_at_first();
      for (;;) worker.fall_asleep();
    }
    worker.come_and_go();
  }
  void finish() {}
};

/// The end of the process (E1) beside a caller. Then all that wait are woken, unless a caller is there.
struct ends_beside_a_caller : one_open_place {
  static constexpr int threads = 3;
  bool ended = false;

  void run(int me) {
    if (me == 0) {
      current_world()->may_rest();
      worker.sleep_at_first();
      require(ended, "only the end wakes it");
    } else if (me == 1) {
      worker.come_and_go();
    } else if (all.state.retire([this] {
                 worker.touch();
                 return true;
               })) {
      require(!worker.enter(), "nobody gets the place of a retired worker");
      ended = true;
      all.state.wake_all();
    }
  }
  void finish() {}
};

constexpr options of_two{.preemptions = 2, .races = true};
constexpr options of_three{.preemptions = 3, .races = true};
constexpr options briefly{.model = memory_model::weak, .preemptions = 1, .stale = 1, .races = true};

}  // namespace

TEST(open_place_model, what_is_pushed_beside_a_caller_is_taken) {
  holds<pushed_beside_a_caller<to::anybody>>(of_three);
  holds<pushed_beside_a_caller<to::worker_0>>(of_three);
  holds<pushed_beside_a_caller<to::anybody>>(weak_races);
  holds<pushed_beside_a_caller<to::worker_0>>(weak_races);
}
TEST(open_place_model, what_is_pushed_beside_two_callers_is_taken) {
  holds<pushed_beside_a_caller<to::anybody, 2>>(of_two);
  holds<pushed_beside_a_caller<to::worker_0, 2>>(of_two);
}
TEST(open_place_model, a_frame_beside_a_caller_resumes) {
  holds<frames_beside_a_caller>({.preemptions = 1, .races = true});
  holds<frames_beside_a_caller>(briefly);
}
TEST(open_place_model, a_caller_searches_and_sleeps_in_an_open_place) {
  holds<searches_in_an_open_place<to::anybody>>(of_two);
  holds<searches_in_an_open_place<to::worker_0>>(of_two);
  holds<searches_in_an_open_place<to::anybody>>(briefly);
  holds<searches_in_an_open_place<to::worker_0>>(briefly);
}
TEST(open_place_model, a_searcher_that_was_relied_on_gets_another_task) {
  holds<searcher_gets_another>({.preemptions = 1, .races = true});
  holds<searcher_gets_another>(briefly);
  holds<searcher_gets_another>({.random = skua::testing::full_or(200'000U, 20'000U), .seed = 1, .races = true});
}
TEST(open_place_model, a_sleeper_hears_of_a_push_in_an_open_place) {
  holds<pushes_in_an_open_place>(of_two);
  holds<pushes_in_an_open_place>(briefly);
}
TEST(open_place_model, a_neighbour_hears_that_a_caller_has_left_its_place_open) {
  holds<neighbour_pushes_later<false>>(of_two);
  holds<neighbour_pushes_later<false>>(briefly);
}
TEST(open_place_model, a_neighbour_hears_that_two_callers_have_left) {
  holds<neighbour_pushes_later<true>>({.preemptions = 1, .races = true});
  holds<neighbour_pushes_later<true>>({.random = skua::testing::full_or(200'000U, 20'000U), .seed = 1, .races = true});
}
TEST(open_place_model, the_own_thread_falls_asleep_beside_callers) {
  holds<falls_asleep_beside_callers>(of_three);
  holds<falls_asleep_beside_callers>(weak_races);
}
TEST(open_place_model, the_process_ends_beside_a_caller) {
  holds<ends_beside_a_caller>(of_three);
  holds<ends_beside_a_caller>(weak_races);
}
