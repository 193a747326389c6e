// SPDX-License-Identifier: MIT
// A limit on the workers that are awake, which changes at any time (limit.md): no entry waits for a wake-up that the limit forbade, a worker that stands down
// misses nothing that it alone may take, and a pool that closes wakes all. Workers run the real search.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "skua/machine/threads/engine/loop/searching_worker_for_test.hpp"
#include "skua/machine/threads/engine/loop/work_search.hpp"
#include "skua/machine/threads/engine/sleep/sleep.hpp"
#include "skua/parts/queue/injector.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using skua::worker_id;
using skua::runtime::reach, skua::runtime::work_search;

constexpr std::uint32_t workers = 2;

template <class Sync>
struct lanes {
  skua::runtime::injector<Sync>& inbox = immortal<skua::runtime::injector<Sync>>();
  static bool looks_stolen() { return true; }
  static bool tagged_lanes_look_empty() { return true; }
};

template <class Sync>
class worker;

/// Two workers. Entries come from outside, into the queue or into an inbox; in a region of few only worker 1 may take those of the queue.
template <class Sync>
struct scene {
  skua::runtime::sleep_state<Sync>& sleepers = immortal<skua::runtime::sleep_state<Sync>>(workers, &memory());
  skua::runtime::injector<Sync>& injected = immortal<skua::runtime::injector<Sync>>();
  std::array<lanes<Sync>, workers> slots;
  bool const is_of_few;
  int const pushed;
  model_atomic<int>& fetched = immortal<model_atomic<int>>(0);
  model_atomic<bool>& closes = immortal<model_atomic<bool>>(false);

  explicit scene(int entries, bool of_few = false) : is_of_few(of_few), pushed(entries) { sleepers.begin_asleep(); }

  // As a pool.
  skua::runtime::sleep_state<Sync>& sleep() { return sleepers; }
  bool closing() const { return closes.load(std::memory_order_acquire); }
  static std::uint64_t spin_ns() { return 0; }
  // As a region.
  lanes<Sync>* slot_for(worker<Sync> const& w) {
    return is_of_few && w.number() == worker_id{0} ? nullptr : &slots[index(w.number())];
  }
  bool looks_empty_to(lanes<Sync> const* mine) const {
    return injected.looks_empty() && (mine == nullptr || mine->inbox.looks_empty());
  }
  bool leaves_something_to(lanes<Sync> const& mine) const { return !looks_empty_to(&mine); }
  void notify_work() {
    std::array<worker_id, 1> const members{worker_id{1}};
    static_cast<void>(is_of_few ? sleepers.notify_members(members) : sleepers.notify());
  }

  void inject(skua::runtime::injectable& e) {
    injected.push(e);
    notify_work();
  }
  void put_into_inbox(worker_id of, skua::runtime::injectable& e) {
    slots[index(of)].inbox.push(e);
    sleepers.notify_worker(of, [] {});
  }
  /// The one that runs the last entry closes the pool.
  void count_one() {
    if (fetched.fetch_add(1, std::memory_order_acq_rel) + 1 < pushed) return;
    closes.store(true, std::memory_order_release);
    sleepers.wake_all();
  }
  void work(unsigned number) {
    worker<Sync> me{*this, worker_id{number}};
    sleepers.sleep_until_woken(worker_id{number});
    for (me.note_woken(); work_search::find_work(me).slot != nullptr;) count_one();
  }
  /// A caller that takes the place of worker 0, if it is free, and runs nothing but its own call, which counts as an entry: no pool closes before it has left.
  void call() {
    if (sleepers.lend(worker_id{0}, [] { return true; }, [] {}) == skua::runtime::loan::given) {
      worker<Sync> me{*this, worker_id{0}};
      static_cast<void>(sleepers.take_back(worker_id{0}, [&me] { return work_search::anything_left(me); }));
    }
    count_one();
  }
  void finish() const { require(fetched.load(std::memory_order_relaxed) == pushed, "each entry is fetched once"); }
};

template <class Sync>
class worker : public skua::runtime::searching_worker {
 public:
  worker(scene<Sync>& in, worker_id n) : core_(in), regions_{&in}, number_(n) {}
  struct found {
    lanes<Sync>* slot = nullptr;
    [[nodiscard]] static bool leaves_more() { return false; }
  };
  scene<Sync>& pool() { return core_; }
  [[nodiscard]] worker_id number() const { return number_; }
  auto const& regions() const { return regions_; }
  static found take_ready() { return {}; }
  found probe_everywhere() {
    lanes<Sync>* const mine = core_.slot_for(*this);
    if (mine == nullptr) return {};
    return {mine->inbox.pop() != nullptr || core_.injected.pop() != nullptr ? mine : nullptr};
  }
  bool stands_down(bool searches) {
    if (!core_.sleepers.is_over_limit() || work_search::anything_for_it_alone(*this)) return false;
    return core_.sleepers.stand_down(number_, searches, [this] { return work_search::anything_for_it_alone(*this); });
  }
  bool fall_asleep() {
    return core_.sleepers.fall_asleep(
        number_, [] {}, [this](reach r) { return work_search::anything_to_do(*this, r); });
  }

 private:
  scene<Sync>& core_;
  std::array<scene<Sync>*, 1> regions_;
  worker_id number_;
};

/// Two entries from outside, while the limit falls and rises.
template <class Sync>
struct while_the_limit_changes {
  static constexpr int threads = 4;
  scene<Sync> s{2};
  skua::runtime::injectable job[2];

  while_the_limit_changes() { s.sleepers.limit_to(2); }
  void run(int me) {
    if (me < 2) return s.work(static_cast<unsigned>(me));
    if (me == 2) {
      s.inject(job[0]);
      return s.inject(job[1]);
    }
    s.sleepers.limit_to(1);
    s.sleepers.limit_to(2);
  }
  void finish() { s.finish(); }
};

/// One worker may be awake, and a caller is: what comes meanwhile waits until it has left.
template <class Sync, bool OfFew = false>
struct beside_a_caller {
  static constexpr int threads = 4;
  scene<Sync> s{2, OfFew};
  skua::runtime::injectable job;

  beside_a_caller() { s.sleepers.limit_to(1); }
  void run(int me) {
    if (me < 2) return s.work(static_cast<unsigned>(me));
    me == 2 ? s.inject(job) : s.call();
  }
  void finish() { s.finish(); }
};

/// What only worker 1 may take comes while the limit falls.
template <class Sync>
struct into_an_inbox {
  static constexpr int threads = 4;
  scene<Sync> s{2};
  skua::runtime::injectable job[2];

  into_an_inbox() { s.sleepers.limit_to(2); }
  void run(int me) {
    if (me < 2) return s.work(static_cast<unsigned>(me));
    if (me == 2) return s.sleepers.limit_to(1);
    s.inject(job[0]);
    s.put_into_inbox(worker_id{1}, job[1]);
  }
  void finish() { s.finish(); }
};

/// Only worker 1 may take the entry of the queue; worker 0, which has another one, is all that may be awake.
template <class Sync>
struct for_the_other_one {
  static constexpr int threads = 3;
  scene<Sync> s{2, true};
  skua::runtime::injectable job[2];

  for_the_other_one() { s.sleepers.limit_to(1); }
  void run(int me) {
    if (me < 2) return s.work(static_cast<unsigned>(me));
    s.sleepers.wake(worker_id{0});
    s.inject(job[0]);
    s.inject(job[1]);
  }
  void finish() { s.finish(); }
};

/// Both workers are awake, and one may be. Worker 1 stands down while its inbox gets an entry.
template <class Sync>
struct inbox_of_one_that_stands_down {
  static constexpr int threads = 2;
  skua::runtime::sleep_state<Sync>& sleep = immortal<skua::runtime::sleep_state<Sync>>(workers, &memory());
  typename Sync::template atomic<int> inbox{0};
  int taken = 0;

  inbox_of_one_that_stands_down() { sleep.limit_to(1); }
  void run(int me) {
    if (me == 1) {
      inbox.store(1, std::memory_order_release);
      sleep.notify_worker(worker_id{1}, [] {});
      return;
    }
    current_world()->may_rest();
    auto const is_something = [this] { return inbox.load(std::memory_order_acquire) != 0; };
    for (bool searches = false; !is_something(); searches = true)
      sleep.stand_down(worker_id{1}, searches, is_something);
    ++taken;
  }
  void finish() { require(taken == 1, "the entry is taken"); }
};

constexpr options of_three{.preemptions = 2};
constexpr options of_four{.preemptions = 1};
options const at_random{.random = skua::runtime::under_tsan ? 500U : skua::testing::full_or(100'000U, 10'000U),
                        .seed = 1};

template <class Script>
void holds_for_four() {
  holds<Script>(of_four);
  holds<Script>(at_random);
}

}  // namespace

TEST(limit_model, entries_are_taken_while_it_changes) { holds_for_four<while_the_limit_changes<model_sync>>(); }
TEST(limit_model, a_caller_leaves_nothing_behind) {
  holds_for_four<beside_a_caller<model_sync>>();
  holds_for_four<beside_a_caller<model_sync, true>>();
}
TEST(limit_model, what_only_one_may_take_is_taken) { holds_for_four<into_an_inbox<model_sync>>(); }
TEST(limit_model, who_stands_down_finds_what_only_itself_may_take) {
  holds<inbox_of_one_that_stands_down<model_sync>>();
  holds<inbox_of_one_that_stands_down<model_sync>>({.model = memory_model::weak, .preemptions = 2, .stale = 2});
}
TEST(limit_model, the_last_searcher_hands_on) { holds<for_the_other_one<model_sync>>(of_three); }
TEST(limit_model, holds_on_weak_memory) {
  constexpr options one_stale{.model = memory_model::weak, .preemptions = 0, .stale = 1};
  holds<while_the_limit_changes<model_sync>>(one_stale);
  holds<beside_a_caller<model_sync>>(one_stale);
  holds<into_an_inbox<model_sync>>(one_stale);
  holds<for_the_other_one<model_sync>>({.model = memory_model::weak, .preemptions = 1, .stale = 1});
}
