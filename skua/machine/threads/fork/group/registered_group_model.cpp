// SPDX-License-Identifier: MIT
// Groups whose children run elsewhere, inside joins that are stolen later, under every schedule: once a stolen join has
// failed and the owner has recorded that it was stolen, every child of a group inside learns of it, whatever it found clean
// before; no child learns of a join that lies inside its group (group.md, "Registered groups"). Each mutant removes one
// step, and the explorer must find the harm.
#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "skua/machine/threads/fork/fiber/exposing.hpp"
#include "skua/machine/threads/fork/group/stolen_joins.hpp"
#include "skua/machine/threads/fork/join/join_stage_for_test.hpp"
#include "skua/machine/threads/lane/failure_epoch.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using namespace skua::runtime::join_stage;
using skua::runtime::any_failed, skua::runtime::clean_mark, skua::runtime::failure_epoch, skua::runtime::open_join;
using skua::runtime::pop_join, skua::runtime::push_join, skua::runtime::registered_group, skua::runtime::stolen_joins;
using std::memory_order, std::memory_order_acquire, std::memory_order_relaxed, std::memory_order_release;

enum class fault : std::uint8_t {
  none,
  not_registered,   ///< a group is linked under what was stolen before it was opened, and no more
  no_alarm,         ///< a fiber that links a join that has failed already does not raise the alarm
  stale_epoch,      ///< a fiber that has linked a join reads the epoch without the order of latest()
  no_request,       ///< that alarm begins an epoch, but requests no attention
  places_ignored,   ///< a group is linked under every join that is stolen
  no_note_at_park,  ///< a fiber that parks does not note what it has offered
  noted_late,       ///< an owner that exposes a group notes steals once its children run
};

/// As stop_node: what a child of the group watches.
template <class Sync>
struct node {
  open_join<Sync> const* watched;
  node const* outer = nullptr;
  clean_mark<Sync> clean{};
  [[nodiscard]] bool has_failed(std::uint64_t epoch) const noexcept { return watched->wants_end(epoch); }
};

/// As region: the alarm reaches every lane.
template <class Sync>
struct region {
  failure_epoch<Sync> failures;
  lanes<Sync>* of_child = nullptr;
  void raise_alarm(bool requests = true) {
    failures.begin_next();
    if (of_child != nullptr && requests) of_child->request_attention();
  }
};

/// A fiber as far as it opens joins and groups, and notes steals.
template <class Sync, fault Fault = fault::none>
class fiber {
 public:
  fiber(lanes<Sync>& l, region<Sync>& r) : lane_(&l), region_(r) {}

  void push(join<Sync>& j) {
    if (push_join(*lane_, &j)) make_room();
  }
  void make_room() {
    require(lane_->make_room([this] { note(); }), "there is memory");
  }
  void open(registered_group<Sync>& g) {
    std::int64_t opened_at = place();
    if (Fault == fault::places_ignored) opened_at = std::numeric_limits<std::int64_t>::max();
    if (Fault == fault::not_registered) opened_at = -1;
    stolen_.open(g, opened_at);
  }
  void close(registered_group<Sync>& g) { stolen_.close(g); }
  /// The join's first child has returned. As fiber::wait_stolen.
  void close(join<Sync>& j) {
    if (!pop_join(*lane_)) {
      if (!j.left_only(1)) {
        note_steal_of(j);
        j.wait_for();
      }
      stolen_.forget(j);
    }
    std::destroy_at(&j);
  }
  void note_steals() {
    if (Fault != fault::noted_late) note();
  }
  void watch(node<Sync> const*) {}
  void note_at_park() {
    if (Fault != fault::no_note_at_park) note();
  }
  void park() {
    leaving_fiber<Sync, fiber> leaving(*this, *lane_);
    require(skua::runtime::moving::clear_lanes(leaving), "there is memory");
  }
  void resume_at(lanes<Sync>& other) {
    other.enter(lane_->forks());
    lane_ = &other;
  }
  bool stop_requested() {
    if (lane_->forks().may_have_stolen()) note();
    return stolen_.want_end(region_.failures.now());
  }
  void note() {
    bool const any = note_stolen(lane_->forks(), [this](void* entry, std::int64_t place) {
      stolen_.link(*static_cast<join<Sync>*>(entry), place);
      return true;
    });
    if (any) pass_failure_on();
  }

 private:
  void note_steal_of(join<Sync>& j) {
    note();
    if (stolen_.link_ended(j, place())) pass_failure_on();
  }
  void pass_failure_on() {
    if (Fault == fault::no_alarm) return;
    auto const epoch = Fault == fault::stale_epoch ? region_.failures.now() : region_.failures.latest();
    if (stolen_.want_end(epoch)) region_.raise_alarm(Fault != fault::no_request);
  }
  [[nodiscard]] std::int64_t place() { return lane_->forks().index_of(lane_->forks().first_free()); }

  lanes<Sync>* lane_;
  region<Sync>& region_;
  stolen_joins<Sync> stolen_;
};

/// A join around a group has been stolen. It fails, its owner notes the steal, and a child of the group looks or forks,
/// all at once.
template <class Sync, bool ChildForks, fault Fault = fault::none>
struct link_and_failure {
  static constexpr int threads = 3;
  lanes<Sync>& l = make_lanes<Sync>();
  lanes<Sync>& of_child = make_lanes<Sync>();
  region<Sync> r;
  fiber<Sync, Fault> owner{l, r};
  join<Sync> outer;
  open_join<Sync> group{1};
  registered_group<Sync> known{group};
  node<Sync> inside{&group};
  model_atomic<bool> noted{false};
  model_atomic<bool> raised{false};

  link_and_failure() {
    r.of_child = &of_child;
    owner.push(outer);
    owner.open(known);
    static_cast<void>(steal_fork(l));
  }
  void run(int me) {
    if (me == 0) {
      owner.note();
      noted.store(true, memory_order_release);
    } else if (me == 1) {
      outer.end_piece(outer.failed, [this] { r.raise_alarm(); });
      raised.store(true, memory_order_release);
    } else {
      for (int look = 0; look < 2; ++look) {
        bool const must = noted.load(memory_order_acquire) && raised.load(memory_order_acquire);
        require(hears() || !must, "a child hears of the failure");
      }
    }
  }
  bool heard = false;
  bool hears() {
    if constexpr (ChildForks) {
      if (push_join(of_child, this)) {
        require(of_child.make_room([] {}), "there is memory");
        heard = heard || any_failed(&inside, r.failures);
      }
      static_cast<void>(pop_join(of_child));
      return heard;
    }
    return any_failed(&inside, r.failures);
  }
  void finish() { require(any_failed(&inside, r.failures), "a failure is not forgotten"); }
};

/// Two stolen joins. The outer one is known to be stolen, and was found clean; now it fails, the owner notes that the inner
/// one was stolen, and the thief's child of the inner one looks, all at once.
template <class Sync, fault Fault = fault::none>
struct inner_link_and_failure {
  static constexpr int threads = 3;
  lanes<Sync>& l = make_lanes<Sync>();
  region<Sync> r;
  fiber<Sync, Fault> owner{l, r};
  join<Sync> outer;
  join<Sync> inner;
  node<Sync> inside{&inner};
  model_atomic<bool> noted{false};
  model_atomic<bool> raised{false};

  inner_link_and_failure() {
    owner.push(outer);
    owner.push(inner);
    static_cast<void>(steal_fork(l));
    static_cast<void>(owner.stop_requested());
    static_cast<void>(steal_fork(l));
  }
  void run(int me) {
    if (me == 0) {
      owner.note();
      noted.store(true, memory_order_release);
    } else if (me == 1) {
      outer.end_piece(outer.failed, [this] { r.raise_alarm(); });
      raised.store(true, memory_order_release);
    } else {
      for (int look = 0; look < 2; ++look) {
        bool const must = noted.load(memory_order_acquire) && raised.load(memory_order_acquire);
        require(any_failed(&inside, r.failures) || !must, "a child hears of the failure");
      }
    }
  }
  void finish() { require(any_failed(&inside, r.failures), "a failure is not forgotten"); }
};

/// Two joins around a group. The outer one has failed, and the group is linked under it; now it is linked under the inner
/// one.
template <class Sync>
struct relinked {
  static constexpr int threads = 2;
  lanes<Sync>& l = make_lanes<Sync>();
  region<Sync> r;
  fiber<Sync> owner{l, r};
  join<Sync> outer;
  join<Sync> inner;
  open_join<Sync> group{1};
  registered_group<Sync> known{group};

  relinked() {
    owner.push(outer);
    owner.push(inner);
    static_cast<void>(steal_fork(l));
    outer.raise(outer.failed);
    owner.note();
    owner.open(known);
    static_cast<void>(steal_fork(l));
  }
  void run(int me) {
    if (me == 0) {
      owner.note();
    } else {
      require(group.wants_end(r.failures.now()), "a failure that could be seen is seen");
    }
  }
  void finish() { require(group.wants_end(r.failures.now()), "a failure is not forgotten"); }
};

enum class owner_then : std::uint8_t { asks, parks };

/// The owner opens a group inside one join, and another join inside the group. Thieves steal one after the other, and one
/// fails, while a child of the group runs elsewhere.
template <class Sync, bool InnerFails, owner_then Then, fault Fault = fault::none>
struct group_between {
  static constexpr int threads = 3;
  lanes<Sync>& l = make_lanes<Sync>();
  region<Sync> r;
  fiber<Sync, Fault> owner{l, r};
  join<Sync>& outer = immortal<join<Sync>>();
  open_join<Sync>& group = immortal<open_join<Sync>>(std::uint64_t{1});
  registered_group<Sync> known{group};
  join<Sync>& inner = immortal<join<Sync>>();
  node<Sync> inside{&group};
  model_atomic<int> noted{0};
  model_atomic<int> raised{0};
  model_atomic<int> child_ended{0};

  group_between() {
    owner.push(outer);
    owner.open(known);
    owner.push(inner);
  }
  void run(int me) {
    if (me == 0) return run_owner();
    if (me == 1) return steal_oldest();
    bool const must = raised.load(memory_order_acquire) == 1 && noted.load(memory_order_acquire) == 1;
    bool const hears = any_failed(&inside, r.failures);
    if (InnerFails) require(!hears, "a child does not hear of what lies inside its group");
    if (!InnerFails) require(hears || !must, "a child hears of the failure");
    child_ended.exchange(1, memory_order_release);
    child_ended.notify_all();
  }
  void run_owner() {
    bool const had_failed = raised.load(memory_order_acquire) == 1;
    if (Then == owner_then::parks) {
      owner.park();
      owner.resume_at(l);
    } else {
      static_cast<void>(owner.stop_requested());
    }
    if (Then == owner_then::parks || had_failed) noted.exchange(1, memory_order_release);
    noted.notify_all();
    owner.close(inner);
    child_ended.wait(0, memory_order_acquire);
    owner.close(known);
    std::destroy_at(&group);
    owner.close(outer);
  }
  void steal_oldest() {
    for (int i = 0; i < 2; ++i) run_piece_of(steal_fork(l));
    if (Then != owner_then::parks) return;
    noted.wait(0, memory_order_relaxed);
    for (int i = 0; i < 2; ++i) run_piece_of(steal_spawned(l));
  }
  void run_piece_of(join<Sync>* got) {
    if (got == nullptr) return;
    bool const fails = (got == &inner) == InnerFails;
    got->end_piece(fails ? got->failed : 0, [this] { r.raise_alarm(); });
    if (fails) raised.store(1, memory_order_release);
  }
  void finish() {}
};

/// The fiber leaves its lane with an open join and a group inside, and opens another join in its next lane.
template <class Sync, fault Fault = fault::none>
struct next_lane {
  static constexpr int threads = 2;
  lanes<Sync>& l = make_lanes<Sync>();
  lanes<Sync>& elsewhere = make_lanes<Sync>();
  region<Sync> r;
  fiber<Sync, Fault> owner{l, r};
  join<Sync>& outer = immortal<join<Sync>>();
  open_join<Sync> group{1};
  registered_group<Sync> known{group};
  join<Sync>& inner = immortal<join<Sync>>();

  next_lane() {
    owner.push(outer);
    owner.open(known);
    owner.park();
    owner.resume_at(elsewhere);
    owner.push(inner);
  }
  void run(int me) {
    if (me == 0) {
      static_cast<void>(owner.stop_requested());
      owner.close(inner);
    } else if (join<Sync>* const got = steal_fork(elsewhere)) {
      require(got == &inner, "the next lane holds one join");
      got->end_piece(got->failed, [this] { r.raise_alarm(); });
    }
  }
  void finish() {
    require(!group.wants_end(r.failures.now()), "a child does not hear of what lies inside its group");
    outer.raise(outer.failed);
    r.raise_alarm();
    require(group.wants_end(r.failures.now()), "a child hears of what was offered");
  }
};

/// The owner's join is stolen, and fails, perhaps before the owner exposes a group inside of it. Then a child of the group that has
/// been sent away learns of it at its first check, whatever the owner does meanwhile.
template <class Sync, fault Fault = fault::none>
struct exposed_inside {
  static constexpr int threads = 3;
  enum class sent : std::uint8_t { not_yet, before_the_failure, after_it };
  lanes<Sync>& l = make_lanes<Sync>();
  region<Sync> r;
  fiber<Sync, Fault> owner{l, r};
  join<Sync>& outer = immortal<join<Sync>>();
  struct counted_group : open_join<Sync> {
    counted_group() : open_join<Sync>(1) {}
    void add(std::uint64_t n) { shares += n; }
    std::uint64_t shares = 0;
  };
  counted_group& group = immortal<counted_group>();
  registered_group<Sync> known{group};
  node<Sync> inside{&group};
  model_atomic<int> raised{0};
  model_atomic<sent> child{sent::not_yet};
  model_atomic<int> child_ended{0};

  exposed_inside() { owner.push(outer); }
  void run(int me) {
    if (me == 0) return run_owner();
    if (me == 1) {
      if (join<Sync>* const got = steal_fork(l)) {
        got->end_piece(got->failed, [this] { r.raise_alarm(); });
        raised.store(1, memory_order_release);
      }
      return;
    }
    child.wait(sent::not_yet, memory_order_acquire);
    bool const must = child.load(memory_order_acquire) == sent::after_it;
    require(any_failed(&inside, r.failures) || !must, "a child hears of the failure");
    child_ended.exchange(1, memory_order_release);
    child_ended.notify_all();
  }
  void run_owner() {
    bool const had_failed = raised.load(memory_order_acquire) == 1;
    owner.open(known);
    skua::runtime::begin_exposed(owner, group, inside);
    child.exchange(had_failed ? sent::after_it : sent::before_the_failure, memory_order_release);
    child.notify_all();
    child_ended.wait(0, memory_order_acquire);
    owner.close(known);
    owner.close(outer);
  }
  void finish() { require(group.shares == 1, "the owner has a share of its own"); }
};

// Mutants of the atomics façade. Each breaks one thing.

/// A later link does not publish the link of the join that it leads to.
struct unpublished_links : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    void store(T value, memory_order order) noexcept {
      bool const links = std::is_same_v<T, open_join<unpublished_links>*>;
      model_atomic<T>::store(value, links ? memory_order_relaxed : order);
    }
  };
};

/// All executions with at most two preemptions.
constexpr options bounded{.preemptions = 2, .races = true};
/// On weak memory, where three threads run: at most one preemption and one stale load.
constexpr options one_each{.model = memory_model::weak, .preemptions = 1, .stale = 1, .races = true};

}  // namespace

TEST(registered_group_model, a_child_that_looks_hears_of_a_failure_before_or_after_the_link) {
  holds<link_and_failure<model_sync, false>>({.races = true});
  holds<link_and_failure<model_sync, false>>(weak_races);
}
TEST(registered_group_model, a_thiefs_child_hears_of_a_failure_before_or_after_the_link) {
  holds<inner_link_and_failure<model_sync>>({.races = true});
  holds<inner_link_and_failure<model_sync>>(weak_races);
}
TEST(registered_group_model, a_child_that_forks_hears_of_a_failure_before_or_after_the_link) {
  holds<link_and_failure<model_sync, true>>(bounded);
  holds<link_and_failure<model_sync, true>>(one_each);
}
TEST(registered_group_model, a_link_further_in_keeps_those_further_out) {
  holds<relinked<model_sync>>({.races = true});
  holds<relinked<model_sync>>(weak_races);
}
TEST(registered_group_model, children_hear_of_the_join_around_and_not_of_that_inside) {
  holds<group_between<model_sync, false, owner_then::asks>>(bounded);
  holds<group_between<model_sync, true, owner_then::asks>>(bounded);
  holds<group_between<model_sync, false, owner_then::asks>>(one_each);
  holds<group_between<model_sync, true, owner_then::asks>>(one_each);
}
TEST(registered_group_model, a_parked_owner_has_linked_what_it_offered) {
  holds<group_between<model_sync, false, owner_then::parks>>(bounded);
  holds<group_between<model_sync, true, owner_then::parks>>(bounded);
  holds<group_between<model_sync, false, owner_then::parks>>(one_each);
}
TEST(registered_group_model, who_exposes_a_group_has_linked_what_was_stolen_around_it) {
  holds<exposed_inside<model_sync>>(bounded);
  holds<exposed_inside<model_sync>>(one_each);
}
TEST(registered_group_model, places_stay_in_the_next_lane) {
  holds<next_lane<model_sync>>({.races = true});
  holds<next_lane<model_sync>>(weak_races);
}

TEST(registered_group_mutant, a_group_that_is_not_registered_is_caught) {
  fails<group_between<model_sync, false, owner_then::asks, fault::not_registered>>("a child hears", bounded);
}
TEST(registered_group_mutant, steals_that_are_noted_after_the_children_are_sent_are_caught) {
  fails<exposed_inside<model_sync, fault::noted_late>>("a child hears", bounded);
}
TEST(registered_group_mutant, a_link_without_an_alarm_is_caught) {
  fails<link_and_failure<model_sync, false, fault::no_alarm>>("a failure is not forgotten", bounded);
}
TEST(registered_group_mutant, a_link_without_a_request_is_caught) {
  fails<link_and_failure<model_sync, true, fault::no_request>>("a child hears", bounded);
}
TEST(registered_group_mutant, a_stale_epoch_after_a_link_is_caught) {
  fails<link_and_failure<model_sync, false, fault::stale_epoch>>("a child hears", weak_races);
  fails<inner_link_and_failure<model_sync, fault::stale_epoch>>("a child hears", weak_races);
}
TEST(registered_group_mutant, an_unpublished_link_is_caught) { fails<relinked<unpublished_links>>("race", weak_races); }
TEST(registered_group_mutant, ignored_places_are_caught) {
  fails<group_between<model_sync, true, owner_then::asks, fault::places_ignored>>("what has been destroyed", bounded);
}
TEST(registered_group_mutant, no_note_at_park_is_caught) {
  fails<group_between<model_sync, false, owner_then::parks, fault::no_note_at_park>>("a child hears", bounded);
}
