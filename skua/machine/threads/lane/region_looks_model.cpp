// SPDX-License-Identifier: MIT
// Wherever a task lies, a worker that falls asleep or a caller that leaves finds it, or is notified: the conditions of region_looks.hpp, in work_search
// and between a caller's steps, under every schedule. If one of them forgets a source, a script for that source ends with a task that no worker
// takes.
#include "skua/machine/threads/lane/region_looks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "skua/machine/threads/engine/callers/place.hpp"
#include "skua/machine/threads/engine/core/departure.hpp"
#include "skua/machine/threads/engine/loop/work_search.hpp"
#include "skua/machine/threads/engine/outside/lane_list.hpp"
#include "skua/machine/threads/engine/sleep/sleep.hpp"
#include "skua/machine/threads/lane/lanes_for_test.hpp"
#include "skua/parts/queue/deque.hpp"
#include "skua/parts/queue/injector.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using skua::worker_id;
using skua::runtime::entry, skua::runtime::injectable, skua::runtime::outcome, skua::runtime::reach,
    skua::runtime::sleep_state, skua::runtime::work_search;
using sync = model_sync;
using queue = skua::runtime::injector<sync>;
using thread = sleep_state<sync>::thread;

/// Where a task may lie.
enum class source : std::uint8_t {
  ready,
  injected,
  outside,
  older_outside,
  inbox,
  forks,
  spawned,
  mailbox,
  local,
  migrated,
  next,
  nodes,
  ordered
};
constexpr bool is_outside(source s) { return s == source::outside || s == source::older_outside; }
constexpr bool is_lane(source s) { return s == source::forks || s == source::spawned; }
/// Putting a task there notifies.
constexpr bool tells_itself(source s) { return is_lane(s) || is_outside(s); }

/// What a worker has in the region. Of the queues all that counts here is that they say whether they look empty.
struct slot : skua::runtime::lanes_with_joins<sync> {
  slot() : lanes_with_joins({.capacity = 2, .kind = sync::kind(), .memory = &memory()}) {}
  [[nodiscard]] bool tagged_lanes_look_empty() const {
    return skua::runtime::tagged_lanes_are_empty(mailbox, local, migrated, next, nodes, &ordered);
  }
  queue mailbox;
  queue local;
  queue migrated;
  queue next;
  queue nodes;
  queue ordered;
};

template <unsigned Number>
class place_of;
using place = place_of<0>;

/// A region of two workers, each of which is a member.
struct region {
  explicit region(sleep_state<sync>& s) : sleep(s) {}
  /// As outside_lanes, but no worker takes two tasks at once.
  struct lanes_outside {
    struct lane {
      skua::runtime::deque<sync> tasks{{.capacity = 2, .kind = sync::kind(), .memory = &memory()}};
      lane* next = nullptr;
    };
    [[nodiscard]] bool look_empty() const { return all.looks_empty(); }
    /// Two threads come. One of them submits a task, and wakes a sleeper: the newer one, or the older one before the other comes.
    template <class Wake>
    void put(injectable& submitted, bool into_older, Wake wake) {
      lane* const older = into_older ? nullptr : &add();
      lane& mine = add();
      static_cast<void>(mine.tasks.push(&submitted) && mine.tasks.poll() == skua::runtime::attention::full);
      wake();
      if (older == nullptr) add();
    }
    lane& add() {
      lane& made = immortal<lane>();
      made.next = all.newest();
      all.link(made);
      return made;
    }
    bool take() {
      for (lane* l = all.first(); l != nullptr; l = l->next) {
        entry got;
        if (l->tasks.outside().steal(got) == outcome::got) return true;
      }
      return false;
    }
    skua::runtime::lane_list<lane, sync> all;
  };
  template <unsigned Number>
  slot* slot_for(place_of<Number> const&) {
    return slots[Number];
  }
  [[nodiscard]] bool looks_empty_to(slot* mine) const {
    return skua::runtime::nothing_for(mine, ready, injected, outside, slots, [this](unsigned i) { return sleeps(i); });
  }
  [[nodiscard]] bool sleeps(unsigned i) const { return sleep.is_asleep(worker_id{i}); }
  void request_attention_of_awake() {
    for (unsigned i = 0; i < slots.size(); ++i) {
      if (!sleeps(i)) slots[i]->request_attention();
    }
  }
  [[nodiscard]] bool leaves_something_to(slot& mine) const {
    return skua::runtime::leaves_for(mine, ready, injected, outside);
  }
  [[nodiscard]] bool holds_nothing() const { return skua::runtime::nothing_for_any(ready, injected, outside, slots); }
  void notify_work() const { sleep.notify(); }

  /// Null for a lane, and for those outside.
  queue* queue_of(source where, slot& s) {
    switch (where) {
      case source::ready: return &ready;
      case source::injected: return &injected;
      case source::inbox: return &s.inbox;
      case source::mailbox: return &s.mailbox;
      case source::local: return &s.local;
      case source::migrated: return &s.migrated;
      case source::next: return &s.next;
      case source::nodes: return &s.nodes;
      case source::ordered: return &s.ordered;
      default: return nullptr;
    }
  }
  void put(source where, slot& s) {
    if (is_outside(where)) return outside.put(task, where == source::older_outside, [this] { notify_work(); });
    if (queue* const q = queue_of(where, s)) return q->push(task);
    bool const asks = where == source::forks ? skua::runtime::push_join(s, &task) : s.spawned.push(&task, 0);
    if (!asks) return;
    static_cast<void>(where == source::forks ? s.forks().poll() : s.spawned.poll());
    notify_work();
  }
  bool take(source where, slot& s) {
    if (is_outside(where)) return outside.take();
    if (queue* const q = queue_of(where, s)) return q->pop() != nullptr;
    entry got;
    return (where == source::forks ? s.forks_outside().steal(got) : s.spawned.outside().steal(got)) == outcome::got;
  }

  sleep_state<sync>& sleep;
  queue& ready = immortal<queue>();
  queue& injected = immortal<queue>();
  lanes_outside& outside = immortal<lanes_outside>();
  std::array<slot*, 2> slots{&immortal<slot>(), &immortal<slot>()};
  injectable task;
};

/// A worker, for its own thread and a caller in turn.
template <unsigned Number>
class place_of {
 public:
  place_of(sleep_state<sync>& s, region& r) : core_{s, r}, regions_{&r} {}

  struct all {
    sleep_state<sync>& sleepers;
    region& only;
    auto& sleep() { return sleepers; }
    static bool closing() { return false; }
    static bool leaves_places_open() { return false; }  // open_place_model.cpp
    static void notify_of_common_work() {}
    static void request_attention_of_others(worker_id) {}
    void request_attention() { only.request_attention_of_awake(); }
  };
  all& pool() { return core_; }
  [[nodiscard]] static worker_id number() { return worker_id{Number}; }
  [[nodiscard]] static bool has_new_regions() { return false; }
  [[nodiscard]] static bool has_tied_ready() { return false; }
  [[nodiscard]] auto const& regions() const { return regions_; }

  void request_attention_of_own() { core_.only.slots[Number]->request_own_attention(); }
  bool fall_asleep() {
    return core_.sleepers.fall_asleep(
        number(), [this] { core_.request_attention(); },
        [this](reach r) { return work_search::anything_to_do(*this, r); });
  }

 private:
  all core_;
  std::array<region*, 1> regions_;
};

/// Worker 0 falls asleep while worker 1, or a thread from outside, puts a task somewhere.
template <source Where>
struct put_beside_a_sleeper {
  static constexpr int threads = 2;
  sleep_state<sync>& sleep = immortal<sleep_state<sync>>(2U, &memory());
  region& r = immortal<region>(sleep);
  place& worker = immortal<place>(sleep, r);
  slot& lies_at = *r.slots[Where == source::inbox ? 0 : 1];
  int taken = 0;

  put_beside_a_sleeper() { sleep.start_search(); }
  void run(int me) {
    if (me == 1) {
      r.put(Where, lies_at);
      if (Where == source::inbox) {
        sleep.notify_worker(place::number(), [] {});
      } else if (!tells_itself(Where)) {
        r.notify_work();
      }
      return;
    }
    current_world()->may_rest();
    while (!r.take(Where, lies_at)) worker.fall_asleep();
    sleep.found();
    ++taken;
  }
  void finish() { require(taken == 1, "the task is taken"); }
};

/// Another worker searches as long as the script runs, so worker 0 relies on it, but not for what only worker 0 may take.
template <source Where>
struct put_for_one_who_relies {
  static constexpr int threads = 2;
  sleep_state<sync>& sleep = immortal<sleep_state<sync>>(2U, &memory());
  region& r = immortal<region>(sleep);
  place& worker = immortal<place>(sleep, r);
  int taken = 0;

  put_for_one_who_relies() {
    sleep.start_search();
    sleep.start_search();
  }
  void run(int me) {
    if (me == 1) {
      r.put(Where, *r.slots[0]);
      sleep.notify_worker(place::number(), [] {});
      return;
    }
    current_world()->may_rest();
    while (!r.take(Where, *r.slots[0])) worker.fall_asleep();
    sleep.found();
    ++taken;
  }
  void finish() { require(taken == 1, "the task is taken"); }
};

/// The same while a caller leaves the place of worker 0, whose own thread waits. The caller has put the entries into the worker's own lanes.
template <source Where>
struct put_beside_a_caller {
  static constexpr int threads = is_lane(Where) ? 2 : 3;
  sleep_state<sync>& sleep = immortal<sleep_state<sync>>(1U, &memory());
  region& r = immortal<region>(sleep);
  place& worker = immortal<place>(sleep, r);
  slot& mine = *r.slots[0];
  skua::runtime::departure<sync> tied;
  int put = 0;
  int taken = 0;

  put_beside_a_caller() { sleep.begin_without_threads(); }
  void run(int me) {
    if (me == 2) {
      put_task();
      if (Where == source::inbox) {
        sleep.notify_worker(place::number(), [] {});
      } else if (!tells_itself(Where)) {
        r.notify_work();
      }
      return;
    }
    if (me == 1) {
      if (skua::runtime::take_place(sleep, place::number(), tied, [] {}) != skua::runtime::loan::given) return;
      if (is_lane(Where)) put_task();
      return skua::runtime::leave_place(worker);
    }
    current_world()->may_rest();
    sleep.sleep_until_woken(place::number());
    while (!r.take(Where, mine)) worker.fall_asleep();
    sleep.found();
    ++taken;
  }
  void put_task() {
    r.put(Where, mine);
    ++put;
  }
  void finish() { require(taken == put, "the task is taken"); }
};

/// Who ends the process finds each task, whichever worker it is for.
template <source Where>
struct put_before_the_end {
  static constexpr int threads = 1;
  sleep_state<sync>& sleep = immortal<sleep_state<sync>>(2U, &memory());
  region& r = immortal<region>(sleep);
  void run(int) {
    require(r.holds_nothing(), "an empty region holds nothing");
    r.put(Where, *r.slots[1]);
    require(!r.holds_nothing(), "a region with a task holds something");
  }
  void finish() {}
};

/// As worker 1 pushes after a caller has left the place of worker 0, it must see that a worker sleeps (C2).
struct neighbour_pushes_later {
  static constexpr int threads = 3;
  sleep_state<sync>& sleep = immortal<sleep_state<sync>>(2U, &memory());
  region& r = immortal<region>(sleep);
  place& worker = immortal<place>(sleep, r);
  skua::runtime::departure<sync> tied;
  model_atomic<int> left{0};
  model_atomic<int> taken{0};

  neighbour_pushes_later() {
    sleep.begin_without_threads();
    static_cast<void>(sleep.lend(worker_id{1}, [] { return true; }, [] {}));  // it runs
  }
  void run(int me) {
    if (me == 2) {
      require(skua::runtime::take_place(sleep, place::number(), tied, [] {}) == skua::runtime::loan::given,
              "it is free");
      skua::runtime::leave_place(worker);
      return set(left);
    }
    if (me == 1) {
      left.wait(0, std::memory_order_acquire);
      r.put(source::forks, *r.slots[1]);
      return taken.wait(0, std::memory_order_acquire);  // as a join does
    }
    sleep.sleep_until_woken(place::number());
    while (!r.take(source::forks, *r.slots[1])) worker.fall_asleep();
    sleep.found();
    set(taken);
  }
  static void set(model_atomic<int>& word) {
    word.exchange(1, std::memory_order_release);
    word.notify_all();
  }
  void finish() {}
};

/// A caller pushes in the place of worker 1 and waits, as a join does; worker 0 must hear of it. An earlier caller has used up the request in that
/// lane, and woken worker 0, which finds nothing and falls asleep.
struct second_caller_pushes {
  static constexpr int threads = 2;
  sleep_state<sync>& sleep = immortal<sleep_state<sync>>(2U, &memory());
  region& r = immortal<region>(sleep);
  place& worker = immortal<place>(sleep, r);
  place_of<1>& other = immortal<place_of<1>>(sleep, r);
  skua::runtime::departure<sync> tied;
  model_atomic<int> taken{0};

  second_caller_pushes() {
    sleep.begin_without_threads();
    for (slot* const s : r.slots) s->request_attention();  // as a region that opens
    call([] {});
  }
  void run(int me) {
    if (me == 1) return call([this] { taken.wait(0, std::memory_order_acquire); });
    sleep.sleep_until_woken(place::number());
    while (!r.take(source::forks, *r.slots[1])) worker.fall_asleep();
    sleep.found();
    taken.exchange(1, std::memory_order_release);
    taken.notify_all();
  }
  template <class Join>
  void call(Join join) {
    require(skua::runtime::take_place(sleep, worker_id{1}, tied, [this] { other.request_attention_of_own(); }) ==
                skua::runtime::loan::given,
            "it is free");
    r.put(source::forks, *r.slots[1]);
    join();
    static_cast<void>(skua::runtime::pop_join(*r.slots[1]));
    skua::runtime::leave_place(other);
  }
  void finish() {}
};

/// The own thread sleeps while a frame is parked that only it may resume; a caller wants its place meanwhile.
struct frame_is_tied {
  static constexpr int threads = 2;
  sleep_state<sync>& sleep = immortal<sleep_state<sync>>(1U, &memory());
  region& r = immortal<region>(sleep);
  place& worker = immortal<place>(sleep, r);
  skua::runtime::departure<sync> tied;

  frame_is_tied() { sleep.start_search(); }
  void run(int me) {
    if (me == 0) {
      current_world()->may_rest();
      tied.ties();
      static_cast<void>(worker.fall_asleep());
      return;
    }
    require(skua::runtime::take_place(sleep, place::number(), tied, [] {}) != skua::runtime::loan::given,
            "nobody takes a place to whose thread a frame is tied");
  }
  void finish() {}
};

/// A caller sleeps in the place until it gets a task; another one wants the place meanwhile, and then puts the task.
struct place_is_taken {
  static constexpr int threads = 2;
  sleep_state<sync>& sleep = immortal<sleep_state<sync>>(1U, &memory());
  region& r = immortal<region>(sleep);
  place& worker = immortal<place>(sleep, r);
  skua::runtime::departure<sync> tied;
  model_atomic<int> callers{0};

  place_is_taken() { sleep.begin_without_threads(); }
  void run(int me) {
    if (skua::runtime::take_place(sleep, place::number(), tied, [] {}) == skua::runtime::loan::given) {
      require(callers.fetch_add(1, std::memory_order_acq_rel) == 0, "one caller at a time has the place");
      if (me == 0) wait_for_the_task();
      callers.fetch_sub(1, std::memory_order_acq_rel);
      skua::runtime::leave_place(worker);
    }
    if (me == 0) return;
    r.put(source::injected, *r.slots[0]);
    sleep.notify_worker(place::number(), [] {});
  }
  void wait_for_the_task() {
    sleep.start_search();
    while (!r.take(source::injected, *r.slots[0])) {
      sleep.fall_asleep(place::number(), [] {}, [this](reach) { return !r.injected.looks_empty(); }, thread::callers);
    }
    sleep.found();
  }
  void finish() {}
};

constexpr options of_two{.model = memory_model::pso};
constexpr options of_three{.preemptions = 3};

/// Each script, on each source.
template <template <source> class Script>
void holds_for_all(options const& with) {
  holds<Script<source::ready>>(with);
  holds<Script<source::injected>>(with);
  options lanes_are_made = with;
  lanes_are_made.races = true;
  holds<Script<source::outside>>(lanes_are_made);
  holds<Script<source::older_outside>>(lanes_are_made);
  holds<Script<source::inbox>>(with);
  holds<Script<source::forks>>(with);
  holds<Script<source::spawned>>(with);
  holds<Script<source::mailbox>>(with);
  holds<Script<source::local>>(with);
  holds<Script<source::migrated>>(with);
  holds<Script<source::next>>(with);
  holds<Script<source::nodes>>(with);
  holds<Script<source::ordered>>(with);
}

}  // namespace

TEST(region_looks_model, who_falls_asleep_finds_what_is_put_anywhere) {
  holds_for_all<put_beside_a_sleeper>(of_two);
  holds_for_all<put_beside_a_sleeper>(weak);
}
TEST(region_looks_model, who_relies_on_a_searcher_finds_what_is_its_own) {
  for (options const& with : {of_two, weak}) {
    holds<put_for_one_who_relies<source::inbox>>(with);
    holds<put_for_one_who_relies<source::mailbox>>(with);
    holds<put_for_one_who_relies<source::local>>(with);
    holds<put_for_one_who_relies<source::migrated>>(with);
    holds<put_for_one_who_relies<source::next>>(with);
    holds<put_for_one_who_relies<source::nodes>>(with);
    holds<put_for_one_who_relies<source::ordered>>(with);
  }
}
TEST(region_looks_model, who_leaves_a_place_finds_what_is_put_anywhere) {
  holds_for_all<put_beside_a_caller>(of_three);
  holds_for_all<put_beside_a_caller>({.model = memory_model::weak, .preemptions = 1, .stale = 1});
}
TEST(region_looks_model, who_ends_the_process_finds_what_lies_anywhere) { holds_for_all<put_before_the_end>({}); }
TEST(region_looks_model, a_neighbour_hears_that_a_caller_has_left) {
  holds<neighbour_pushes_later>(of_three);
  holds<neighbour_pushes_later>({.model = memory_model::weak, .preemptions = 1, .stale = 1});
}
TEST(region_looks_model, a_push_into_the_lane_of_a_sleeper_is_heard) {
  holds<second_caller_pushes>(of_two);
  holds<second_caller_pushes>(weak);
}
TEST(region_looks_model, a_tied_frame_keeps_callers_away) {
  holds<frame_is_tied>(of_two);
  holds<frame_is_tied>(weak);
}
TEST(region_looks_model, a_place_in_which_a_caller_sleeps_is_taken) {
  holds<place_is_taken>(of_two);
  holds<place_is_taken>(weak);
}
