// SPDX-License-Identifier: MIT
// Regions of few workers, among workers that are not members: a member finds what is pushed, even if other workers search,
// fall asleep or are woken meanwhile; and a pool that closes wakes all workers (sleep.md). Each mutant removes one step,
// and the explorer must find work that no worker fetches.
#include "skua/machine/threads/engine/loop/work_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "skua/machine/threads/engine/loop/searching_worker_for_test.hpp"
#include "skua/machine/threads/engine/sleep/sleep.hpp"
#include "skua/machine/threads/lane/region_looks.hpp"
#include "skua/parts/queue/deque.hpp"
#include "skua/parts/queue/injector.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using skua::worker_id;
using skua::runtime::reach, skua::runtime::work_search;

enum class fault : std::uint8_t {
  none,
  relies_on_searchers,  ///< P4 of a small region accepts any searcher. Not a fault by itself: S5 repairs it
  nobody_hands_on,      ///< S3, S5: a worker that sees work only for others does nothing about it
  both,                 ///< the two together
  taken_for_all,        ///< the region is taken for one of all workers
  found_in_silence,     ///< F1 wakes no worker
  closes_in_silence,    ///< closing wakes no worker
  woken_unnoticed,      ///< a worker that was woken from its first sleep does not know that it counts as searching
};

template <class Sync, fault Fault>
struct pool_core {
  explicit pool_core(std::uint32_t workers)
      : real_sleep(immortal<skua::runtime::sleep_state<Sync>>(workers, &memory())), faulty{real_sleep} {}

  struct faulty_sleep {
    skua::runtime::sleep_state<Sync>& all;
    void start_search() { all.start_search(); }
    unsigned found(skua::runtime::remains left = {}) { return Fault == fault::found_in_silence ? 0 : all.found(left); }
  };
  faulty_sleep& sleep() { return faulty; }
  bool closing() const { return closing_.load(std::memory_order_acquire); }
  void close() {
    closing_.store(true, std::memory_order_release);
    if (Fault != fault::closes_in_silence) real_sleep.wake_all();
  }
  static std::uint64_t spin_ns() { return 0; }

  skua::runtime::sleep_state<Sync>& real_sleep;
  faulty_sleep faulty;
  model_atomic<bool> closing_{false};
};

template <class Sync>
struct worker_slot {
  skua::runtime::deque<Sync>& forks = immortal<skua::runtime::deque<Sync>>(
      skua::runtime::deque_options{.capacity = 8, .kind = Sync::kind(), .memory = &memory()});
  skua::runtime::injector<Sync>& inbox = immortal<skua::runtime::injector<Sync>>();
  bool looks_stolen() { return forks.outside().looks_empty(); }
  static bool tagged_lanes_look_empty() { return true; }
  /// A thief that has lost continues when the others are done: time would pass meanwhile.
  bool steal() {
    skua::runtime::entry got;
    ++thieves_;
    skua::runtime::outcome const how = forks.outside().steal(got);
    --thieves_;
    if (how == skua::runtime::outcome::lost) current_world()->step([this] { return thieves_ == 0; });
    return how == skua::runtime::outcome::got;
  }

 private:
  int thieves_ = 0;
};

template <class Sync, fault Fault>
class worker;

struct no_lanes_outside {
  static bool look_empty() { return true; }
};

/// One owner's lane, and the injected tasks. Members only take.
template <class Sync, fault Fault>
struct region {
  region(pool_core<Sync, Fault>& c, std::vector<worker_id> m) : pool(c), members(std::move(m)) {}

  worker_slot<Sync>* slot_for(worker<Sync, Fault> const& w) {
    return std::ranges::find(members, w.number()) == members.end() ? nullptr : &owners;
  }
  /// Nothing is at hand: only the last searcher finds what is pushed.
  static bool leaves_something_to(worker_slot<Sync>&) { return false; }
  bool looks_empty_to(worker_slot<Sync>* mine) {
    return skua::runtime::nothing_for(mine, ready, injected, no_lanes_outside{},
                                      std::array<worker_slot<Sync>*, 1>{&owners}, [](std::uint32_t) { return false; });
  }
  /// Called in S3 and S5.
  bool notify_work() {
    if (Fault == fault::nobody_hands_on || Fault == fault::both) return false;
    return was_pushed();
  }
  /// Called by the pusher.
  bool was_pushed() {
    if (Fault == fault::taken_for_all) return pool.real_sleep.notify();
    if (Fault == fault::relies_on_searchers || Fault == fault::both) {
      Sync::full_fence();
      if (pool.real_sleep.searching_now() > 0) return false;
    }
    return pool.real_sleep.notify_members(members);
  }

  pool_core<Sync, Fault>& pool;
  std::vector<worker_id> members;
  worker_slot<Sync> owners;
  skua::runtime::injector<Sync>& ready = immortal<skua::runtime::injector<Sync>>();  ///< frames
  skua::runtime::injector<Sync>& injected = immortal<skua::runtime::injector<Sync>>();
};

/// A worker of one region, or of none.
template <class Sync, fault Fault>
class worker : public skua::runtime::searching_worker {
 public:
  worker(region<Sync, Fault>& r, worker_id n) : regions_{&r}, core_(r.pool), number_(n) {}

  struct found {
    worker_slot<Sync>* slot = nullptr;
    bool is_frame = false;
    [[nodiscard]] bool leaves_more() const { return !is_frame && !slot->looks_stolen(); }
  };
  pool_core<Sync, Fault>& pool() { return core_; }
  worker_id number() const { return number_; }
  auto const& regions() const { return regions_; }
  /// As a worker's thread begins (worker::sleep_at_first).
  void sleep_until_woken() {
    core_.real_sleep.sleep_until_woken(number_);
    if (Fault != fault::woken_unnoticed) note_woken();
  }
  found take_ready() {
    region<Sync, Fault>& r = *regions_[0];
    worker_slot<Sync>* const mine = r.slot_for(*this);
    return {mine == nullptr || r.ready.pop() == nullptr ? nullptr : mine, true};
  }
  found probe_everywhere() {
    region<Sync, Fault>& r = *regions_[0];
    worker_slot<Sync>* const mine = r.slot_for(*this);
    if (mine == nullptr) return {};
    if (r.owners.steal()) return {mine};
    return {r.injected.pop() == nullptr ? nullptr : mine};
  }
  bool fall_asleep() {
    return core_.real_sleep.fall_asleep(
        number_, [this] { regions_[0]->owners.forks.outside().request_attention(); },
        [this](reach r) { return work_search::anything_to_do(*this, r); });
  }

 private:
  std::array<region<Sync, Fault>*, 1> regions_;
  pool_core<Sync, Fault>& core_;
  worker_id number_;
};

/// What the scripts share: a pool, a region of some of its workers, and the number of entries fetched.
template <class Sync, fault Fault>
class scene {
 public:
  scene(std::uint32_t workers, std::vector<worker_id> members) : core_(workers), region_(core_, std::move(members)) {}

  /// Runs a worker until it fetches an entry, which keeps it busy from then on, or until the pool closes.
  void work(int number) {
    worker<Sync, Fault> me{region_, worker_id{static_cast<unsigned>(number)}};
    if (work_search::find_work(me).slot != nullptr) ++fetched_;
  }
  /// The pool has just been made.
  void begin_asleep() { core_.real_sleep.begin_asleep(); }
  /// A thread from outside wakes the worker for a task, which the worker then has.
  void wake_for_a_task(unsigned number) {
    core_.real_sleep.wake(worker_id{number});
    core_.sleep().found();
  }
  void work_from_the_start(int number) {
    worker<Sync, Fault> me{region_, worker_id{static_cast<unsigned>(number)}};
    me.sleep_until_woken();
    if (work_search::find_work(me).slot != nullptr) ++fetched_;
  }
  void push(int& job) {
    if (!region_.owners.forks.push(&job)) return;
    region_.owners.forks.poll();
    region_.was_pushed();
  }
  void inject(skua::runtime::injectable& job) {
    region_.injected.push(job);
    region_.was_pushed();
  }
  void make_ready(skua::runtime::injectable& frame) {
    region_.ready.push(frame);
    region_.was_pushed();
  }
  void close() { core_.close(); }
  void check(int pushed) { require(fetched_ == pushed, "each pushed entry is fetched once"); }

 private:
  pool_core<Sync, Fault> core_;
  region<Sync, Fault> region_;
  int fetched_ = 0;
};

/// Worker 0 is not a member; worker 1 is the only one. Work comes from outside.
template <class Sync, fault Fault = fault::none>
struct from_outside {
  static constexpr int threads = 3;
  scene<Sync, Fault> s{2, {worker_id{1}}};
  skua::runtime::injectable job;

  void run(int me) {
    if (me == 2) return s.inject(job);
    current_world()->may_rest();
    s.work(me);
  }
  void finish() { s.check(1); }
};

/// The same with a frame that has become ready.
template <class Sync>
struct ready_from_outside {
  static constexpr int threads = 3;
  scene<Sync, fault::none> s{2, {worker_id{1}}};
  skua::runtime::injectable frame;

  void run(int me) {
    if (me == 2) return s.make_ready(frame);
    current_world()->may_rest();
    s.work(me);
  }
  void finish() { s.check(1); }
};

/// Worker 0 is not a member. Worker 3 pushes two entries; 1 and 2 are the members that may fetch one each. When both
/// sleep, the first push wakes one of them, and the second need not wake any: the first to fetch wakes another
/// worker in its stead, perhaps worker 0.
template <class Sync, fault Fault = fault::none>
struct two_entries {
  static constexpr int threads = 4;
  scene<Sync, Fault> s{4, {worker_id{1}, worker_id{2}, worker_id{3}}};
  int job[2] = {};

  void run(int me) {
    if (me == 3) {
      s.push(job[0]);
      s.push(job[1]);
      return;
    }
    current_world()->may_rest();
    s.work(me);
  }
  void finish() { s.check(2); }
};

/// A pool that was just made: worker 0 is woken for a task from outside, and pushes two entries for workers 1 and 2,
/// which have slept from the start.
template <class Sync, fault Fault = fault::none>
struct first_work {
  static constexpr int threads = 3;
  scene<Sync, Fault> s{3, {worker_id{0}, worker_id{1}, worker_id{2}}};
  int job[2] = {};

  first_work() { s.begin_asleep(); }
  void run(int me) {
    if (me == 0) {
      s.wake_for_a_task(0);
      s.push(job[0]);
      s.push(job[1]);
      return;
    }
    current_world()->may_rest();
    s.work_from_the_start(me);
  }
  void finish() { s.check(2); }
};

/// The pool closes: workers that sleep or fall asleep end.
template <class Sync, fault Fault = fault::none>
struct closing {
  static constexpr int threads = 3;
  scene<Sync, Fault> s{2, {worker_id{0}, worker_id{1}}};

  void run(int me) { me == 2 ? s.close() : s.work(me); }
  void finish() { s.check(0); }
};

/// The pool closes when it has just been made: all workers have slept from the start, and none has work.
template <class Sync, fault Fault = fault::none>
struct closing_at_first {
  static constexpr int threads = 3;
  scene<Sync, Fault> s{2, {worker_id{0}, worker_id{1}}};

  closing_at_first() { s.begin_asleep(); }
  void run(int me) { me == 2 ? s.close() : s.work_from_the_start(me); }
  void finish() { s.check(0); }
};

/// A busy worker, and a frame that becomes ready meanwhile.
template <class Sync>
struct ready_among_tasks {
  static constexpr int threads = 2;
  static constexpr int tasks = 4;
  pool_core<Sync, fault::none> core{1};
  region<Sync, fault::none> in{core, {worker_id{0}}};
  skua::runtime::injectable frame;
  skua::runtime::injectable task[tasks];
  model_atomic<int>& begun = immortal<model_atomic<int>>(0);
  int seen_after_push = 0;
  int before_frame = 0;

  ready_among_tasks() {
    for (auto& t : task) in.injected.push(t);
  }
  void run(int me) {
    if (me == 1) {
      in.ready.push(frame);
      seen_after_push = begun.load(std::memory_order_seq_cst);
      return;
    }
    worker<Sync, fault::none> w{in, worker_id{0}};
    for (int taken = 0; taken < tasks + 1;) {
      auto const found = work_search::find(w);
      if (found.slot == nullptr) {
        current_world()->step([this] { return !in.ready.looks_empty(); });
        continue;
      }
      ++taken;
      if (found.is_frame) {
        before_frame = begun.load(std::memory_order_seq_cst);
      } else {
        begun.fetch_add(1, std::memory_order_seq_cst);
      }
    }
  }
  void finish() { require(before_frame - seen_after_push <= 1, "a ready frame waits for one task at most"); }
};

/// What the scripts require of the queues.
constexpr char const* not_once = "each pushed entry is fetched once";

// All executions of three threads with at most two preemptions; of four, all without, and some at random. (With one
// preemption, four threads have 7*10^5 states; all of them hold.)
constexpr options of_three{.preemptions = 2};
constexpr options of_four{.preemptions = 0};
options const at_random{.random = skua::runtime::under_tsan ? 500U : skua::testing::full_or(20'000U, 4'000U),
                        .seed = 1};

}  // namespace

TEST(work_search_model, work_from_outside_is_found) { holds<from_outside<full_model_sync>>(of_three); }
TEST(work_search_model, a_ready_frame_goes_before_tasks) { holds<ready_among_tasks<model_sync>>(); }
TEST(work_search_model, a_ready_frame_is_found) { holds<ready_from_outside<full_model_sync>>({.preemptions = 1}); }
TEST(work_search_model, two_entries_are_both_found) {
  holds<two_entries<model_sync>>(of_four);
  holds<two_entries<model_sync>>(at_random);
}
TEST(work_search_model, two_entries_are_both_found_with_full_fences) {
  holds<two_entries<full_model_sync>>(of_four);
  holds<two_entries<full_model_sync>>(at_random);
}
TEST(work_search_model, to_rely_on_any_searcher_is_enough_as_long_as_it_hands_on) {
  holds<from_outside<full_model_sync, fault::relies_on_searchers>>(of_three);
  holds<two_entries<model_sync, fault::relies_on_searchers>>(of_four);
}
TEST(work_search_model, the_first_work_of_a_region_is_found) {
  holds<first_work<model_sync>>(of_three);
  holds<first_work<full_model_sync>>(of_three);
}
TEST(work_search_model, a_region_that_closes_lets_its_workers_go) { holds<closing<full_model_sync>>(of_three); }
TEST(work_search_model, a_region_that_closes_at_once_lets_its_workers_go) {
  holds<closing_at_first<full_model_sync>>(of_three);
}

// On weak memory: all executions with at most one preemption and one stale load.
TEST(work_search_model, work_is_found_on_weak_memory) {
  constexpr options one_each{.model = memory_model::weak, .preemptions = 1, .stale = 1};
  constexpr options none_and_one{.model = memory_model::weak, .preemptions = 0, .stale = 1};
  holds<from_outside<full_model_sync>>(one_each);
  holds<two_entries<model_sync>>(none_and_one);
  holds<two_entries<full_model_sync>>(none_and_one);
  holds<first_work<model_sync>>(one_each);
  holds<first_work<full_model_sync>>(one_each);
  holds<closing<full_model_sync>>(one_each);
  holds<closing_at_first<full_model_sync>>(one_each);
}

TEST(work_search_mutant, relying_on_searchers_who_do_not_hand_on_is_caught) {
  fails<from_outside<full_model_sync, fault::both>>(not_once, of_three);
}
TEST(work_search_mutant, handing_on_to_nobody_is_caught) {
  fails<two_entries<model_sync, fault::nobody_hands_on>>(not_once, of_four);
}
TEST(work_search_mutant, a_region_of_few_taken_for_all_is_caught) {
  fails<from_outside<full_model_sync, fault::taken_for_all>>("no end in sight", {.preemptions = 2, .steps = 300});
}
TEST(work_search_mutant, found_in_silence_is_caught) {
  fails<two_entries<model_sync, fault::found_in_silence>>(not_once, of_four);
}
TEST(work_search_mutant, no_short_wait_is_caught) { fails<two_entries<no_time>>(not_once, of_four); }
TEST(work_search_mutant, first_work_found_in_silence_is_caught) {
  fails<first_work<model_sync, fault::found_in_silence>>(not_once, of_three);
}
TEST(work_search_mutant, woken_unnoticed_is_caught) {
  fails<first_work<model_sync, fault::woken_unnoticed>>(not_once, of_three);
}
TEST(work_search_mutant, closing_in_silence_is_caught) {
  fails<closing<full_model_sync, fault::closes_in_silence>>("deadlock", of_three);
  fails<closing_at_first<full_model_sync, fault::closes_in_silence>>("deadlock", of_three);
}
