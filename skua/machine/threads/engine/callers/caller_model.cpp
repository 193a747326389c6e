// SPDX-License-Identifier: MIT
// Callers that come and leave while regions are opened, while a frame of their worker becomes ready, and as guests that
// are woken late, under every schedule: what they leave is found, and no thread touches a guest that is gone (caller.md). Each
// mutant forgets one look or one wait.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "skua/machine/threads/engine/callers/place.hpp"
#include "skua/machine/threads/engine/core/departure.hpp"
#include "skua/machine/threads/engine/loop/searching_worker_for_test.hpp"
#include "skua/machine/threads/engine/loop/work_search.hpp"
#include "skua/machine/threads/engine/outside/visitors.hpp"
#include "skua/machine/threads/engine/sleep/sleep.hpp"
#include "skua/parts/queue/injector.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using skua::worker_id;
using skua::runtime::injectable, skua::runtime::injector, skua::runtime::loan, skua::runtime::reach,
    skua::runtime::sleep_state, skua::runtime::visitors, skua::runtime::work_search;

using sync = model_sync;
using sleepers = sleep_state<sync>;

enum class fault : std::uint8_t {
  none,
  knows_only_old_regions,  ///< a leaving caller checks only the regions that were open when it came
  forgets_ready_frames,    ///< a leaving caller does not check the worker's ready frames
  waits_for_no_visitor,    ///< a guest's pool ends while a thread wakes its worker
};

class place;

/// A region of all workers, as far as those see it who look for injected tasks.
struct region {
  explicit region(sleepers& s) : sleep(s) {}
  struct slot {};
  slot* slot_for(place const&) { return &only; }
  bool looks_empty_to(slot const*) const { return injected.looks_empty(); }
  bool leaves_something_to(slot const&) const { return !injected.looks_empty(); }
  bool notify_work() { return sleep.notify(); }
  void inject(injectable& task) {
    injected.push(task);
    notify_work();
  }
  sleepers& sleep;
  slot only;
  injector<sync>& injected = immortal<injector<sync>>();
};

/// A pool and the one region that may be open.
struct pool_core {
  explicit pool_core(std::uint32_t workers) : sleepers_of(immortal<sleepers>(workers, &memory())), later(sleepers_of) {
    sleepers_of.begin_without_threads();  // an own thread that has yet to wait has nothing else to do, either
  }
  sleepers& sleep() { return sleepers_of; }
  static bool closing() { return false; }
  static std::uint64_t spin_ns() { return 0; }
  static void request_attention() {}  // there are no lanes
  static void request_attention_of_others(worker_id) {}
  static bool leaves_places_open() { return false; }  // open_place_model.cpp
  static void notify_of_common_work() {}
  /// As pool_core::publish.
  void open() { regions_version.fetch_add(1, std::memory_order_release); }

  sleepers& sleepers_of;
  region later;
  model_atomic<std::uint64_t> regions_version{0};
};

/// A worker's place, for its own thread and callers in turn.
class place : public skua::runtime::searching_worker {
 public:
  place(pool_core& c, unsigned n) : core_(c), number_(worker_id{n}) { regions_seen_.set(0); }

  struct found {
    region* slot = nullptr;
    [[nodiscard]] bool leaves_more() const { return !slot->injected.looks_empty(); }
  };

  // What work_search asks.
  pool_core& pool() { return core_; }
  [[nodiscard]] bool has_new_regions() const {
    return regions_seen_.get() != core_.regions_version.load(std::memory_order_acquire);
  }
  void refresh_regions() { regions_seen_.set(core_.regions_version.load(std::memory_order_acquire)); }
  [[nodiscard]] std::span<region* const> regions() const { return {&later_, regions_seen_.get() == 0 ? 0U : 1U}; }
  [[nodiscard]] bool has_tied_ready() const { return !tied_ready.looks_empty(); }
  found take_ready() { return {tied_ready.pop() == nullptr ? nullptr : later_}; }
  found probe_everywhere() { return {regions().empty() || later_->injected.pop() == nullptr ? nullptr : later_}; }
  bool fall_asleep() {
    return core_.sleep().fall_asleep(number_, [] {}, [this](reach r) { return work_search::anything_to_do(*this, r); });
  }

  /// The own thread, from its first sleep on. True: it has found something, and is busy from then on.
  bool live() {
    core_.sleep().sleep_until_woken(number_);
    note_woken();
    return work_search::find_work(*this).slot != nullptr;
  }
  /// A caller; false if it does not get the place.
  bool come() {
    if (skua::runtime::take_place(core_.sleep(), number_, tied_, [] {}) != loan::given) return false;
    refresh_regions();
    return true;
  }
  template <fault Fault>
  void leave() {
    if (Fault == fault::none) return skua::runtime::leave_place(*this);
    core_.sleep().take_back(number_, [this] {
      if (Fault == fault::knows_only_old_regions) {
        return has_tied_ready() || (!regions().empty() && later_->leaves_something_to(later_->only));
      }
      return has_new_regions();
    });
  }
  [[nodiscard]] worker_id number() const { return number_; }

  injector<sync>& tied_ready = immortal<injector<sync>>();

 private:
  pool_core& core_;
  worker_id const number_;
  region* later_ = &core_.later;
  sync::plain<std::uint64_t> regions_seen_;
  skua::runtime::departure<sync> tied_;
};

/// Callers come and leave; the last one opens a region and submits a task to it, in its call or, without a place, as a guest would.
template <int Workers, int Callers, fault Fault = fault::none>
struct opened_beside_callers {
  static constexpr int threads = Workers + Callers;
  pool_core core{Workers};
  std::array<place*, Workers> places{};
  injectable task;
  int fetched = 0;

  opened_beside_callers() {
    for (unsigned w = 0; w < Workers; ++w) places[w] = &immortal<place>(core, w);
  }
  void run(int me) {
    if (me < Workers) {
      current_world()->may_rest();
      if (places[static_cast<std::size_t>(me)]->live()) ++fetched;
    } else {
      call(me == threads - 1);
    }
  }
  void call(bool opens) {
    place* mine = nullptr;
    for (place* const p : places) {
      if (mine == nullptr && p->come()) mine = p;
    }
    if (opens) {
      core.open();
      core.later.inject(task);
    }
    if (mine != nullptr) mine->template leave<Fault>();
  }
  void finish() { require(fetched == 1, "the task of the new region is run"); }
};

/// A caller leaves while a frame that only its worker may resume becomes ready: a member of a team that it had taken.
template <fault Fault = fault::none>
struct member_stays_behind {
  static constexpr int threads = 3;
  pool_core core{1};
  place& only = immortal<place>(core, 0U);
  injectable frame;
  int resumed = 0;

  void run(int me) {
    if (me == 0) {
      current_world()->may_rest();
      if (only.live()) ++resumed;
    } else if (me == 1) {
      if (only.come()) only.leave<Fault>();
    } else {  // as worker::send_home
      only.tied_ready.push(frame);
      core.sleep().wake(only.number());
    }
  }
  void finish() { require(resumed == 1, "the member goes on"); }
};

/// A worker that was woken for nothing searches, and falls asleep again, while a region is opened and gets a task, or while a frame becomes
/// ready that only this worker may resume.
template <bool Frame>
struct searcher_without_work {
  static constexpr int threads = 2;
  pool_core core{1};
  place& only = immortal<place>(core, 0U);
  injectable item;
  int fetched = 0;

  searcher_without_work() { core.sleep().wake(only.number()); }
  void run(int me) {
    if (me == 0) {
      current_world()->may_rest();
      if (only.live()) ++fetched;
    } else if (Frame) {
      only.tied_ready.push(item);
      core.sleep().wake(only.number());
    } else {
      core.open();
      core.later.inject(item);
    }
  }
  void finish() { require(fetched == 1, "it finds what is new"); }
};

/// A guest's caller waits for a frame of its call, which another thread makes ready (worker::send_home). It may see the frame and leave
/// before it is woken; its guest is then used again, or used up and destroyed (guest_list::run).
template <fault Fault = fault::none>
struct guest_that_is_woken {
  static constexpr int threads = 2;
  pool_core& core = immortal<pool_core>(1U);
  place& only = immortal<place>(core, 0U);
  visitors<sync>& inside = immortal<visitors<sync>>();
  injectable frame;
  sync::plain<bool> is_there;
  bool has_called = false;
  int ended = 0;

  guest_that_is_woken() { is_there.set(true); }
  void run(int me) {
    if (me == 1) {
      current_world()->step([this] { return has_called; });
      inside.enter();
      only.tied_ready.push(frame);
      require(is_there.get(), "whoever wakes a guest finds it there");
      core.sleep().wake(only.number());
      require(is_there.get(), "whoever has woken a guest finds it there");
      inside.leave();
      return;
    }
    require(core.sleep().lend(
                only.number(), [] { return true; }, [] {}) == loan::given,
            "a guest's place is free at first");
    has_called = true;
    wait_for_the_frame();
    core.sleep().take_back(only.number(), [this] { return work_search::anything_left(only); });
    // The next call. It is refused if the worker was woken in between: the guest is used up.
    bool const again = core.sleep().lend(only.number(), [] { return true; }, [] {}) == loan::given;
    if (again) core.sleep().take_back(only.number(), [] { return false; });
    // Used up, or because the pool ends.
    while (Fault != fault::waits_for_no_visitor && !inside.are_gone())
      current_world()->step([this] { return inside.are_gone(); });
    is_there.set(false);
    ++ended;
  }
  void wait_for_the_frame() {
    using thread = sleepers::thread;
    core.sleep().start_search();
    while (only.tied_ready.pop() == nullptr) {
      core.sleep().fall_asleep(only.number(), [] {}, [this](reach) { return only.has_tied_ready(); }, thread::callers);
    }
    core.sleep().found();
  }
  void finish() { require(ended == 1, "the guest's call ends"); }
};

}  // namespace

TEST(caller_model, a_region_is_opened_while_a_caller_leaves) {
  holds<opened_beside_callers<1, 2>>({.preemptions = 2, .races = true});
  holds<opened_beside_callers<1, 2>>({.model = memory_model::weak, .preemptions = 1, .stale = 1, .races = true});
}
TEST(caller_model, a_region_is_opened_while_two_callers_leave_two_workers) {
  holds<opened_beside_callers<2, 2>>({.preemptions = 1, .races = true});
  holds<opened_beside_callers<2, 2>>({.random = skua::testing::full_or(200'000U, 20'000U), .seed = 1, .races = true});
}
TEST(caller_model, a_member_of_a_team_that_a_caller_leaves_behind_goes_on) {
  holds<member_stays_behind<>>({.races = true});
  holds<member_stays_behind<>>(weak_races);
}
TEST(caller_model, a_searcher_finds_what_is_new_before_it_sleeps) {
  holds<searcher_without_work<false>>({.model = memory_model::pso, .races = true});
  holds<searcher_without_work<true>>({.model = memory_model::pso, .races = true});
  holds<searcher_without_work<false>>(weak_races);
  holds<searcher_without_work<true>>(weak_races);
}
TEST(caller_model, a_guest_is_there_while_somebody_wakes_it) {
  holds<guest_that_is_woken<>>({.races = true});
  holds<guest_that_is_woken<>>(weak_races);
}

TEST(caller_mutant, a_caller_that_knows_only_old_regions_is_caught) {
  fails<opened_beside_callers<1, 2, fault::knows_only_old_regions>>("the task of the new region",
                                                                    {.preemptions = 1, .races = true});
  fails<opened_beside_callers<2, 2, fault::knows_only_old_regions>>("the task of the new region",
                                                                    {.preemptions = 1, .races = true});
}
TEST(caller_mutant, a_caller_that_forgets_ready_frames_is_caught) {
  fails<member_stays_behind<fault::forgets_ready_frames>>("the member goes on", {.races = true});
}
TEST(caller_mutant, a_guest_that_ends_while_it_is_woken_is_caught) {
  fails<guest_that_is_woken<fault::waits_for_no_visitor>>("", {.races = true});
}
