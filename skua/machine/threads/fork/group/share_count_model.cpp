// SPDX-License-Identifier: MIT
// The parking race under every schedule, with memory orders as written: a waiting group's frame is resumed once, when
// it is saved and all children have ended, and no thread touches the group afterwards (group.md, "Parking"). Each
// mutant removes an order or swaps two steps, and the explorer must find what breaks.
#include "skua/machine/threads/fork/group/share_count.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <utility>

#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using skua::runtime::parked, skua::runtime::share_count, skua::runtime::stop_node, skua::runtime::word_of_two;
using std::memory_order, std::memory_order_acq_rel, std::memory_order_acquire, std::memory_order_relaxed,
    std::memory_order_release;

enum class steps : std::uint8_t { as_written, park_before_saved, park_before_named };
/// What orders the resumed fiber after its resumer: the thread that continues it, or nothing at all, as a checker sees
/// it that follows flows instead of threads.
enum class view : std::uint8_t { threads, flows };

/// Stands for a stop_node.
alignas(8) constexpr char watched_place[8]{};
stop_node const* const watched = reinterpret_cast<stop_node const*>(watched_place);

/// A stack with a group whose owner waits, and thieves that deal with its children.
template <class Sync>
class scene {
 public:
  using count = share_count<Sync>;
  /// A number of children, or a word_of_two.
  template <class Children>
  explicit scene(Children children, view of = view::threads) : group(immortal<count>(children)), view_(of) {
    group.wait_in(from_before_);
  }

  count& group;
  using plain = typename Sync::template plain<int>;
  std::array<plain*, 4> values{&immortal<plain>(), &immortal<plain>(), &immortal<plain>(),
                               &immortal<plain>()};  ///< of the children, by thread
  plain& error = immortal<plain>();

  /// As fiber::wait, worker::park and worker::commit_share.
  void wait(std::uint64_t mine, steps in_order = steps::as_written) {
    if (group.left_only(mine)) return;
    if (in_order != steps::park_before_named) group.wait_in(frame_);
    if (in_order != steps::park_before_saved) frame_.saved.set(1);
    auto* const completed = group.park(mine);
    if (in_order == steps::park_before_named) group.wait_in(frame_);
    if (in_order == steps::park_before_saved) frame_.saved.set(1);
    if (completed == nullptr) {
      resumed_.wait(0, view_ == view::flows ? memory_order_relaxed : memory_order_acquire);
    } else {
      resume(*completed);
    }
    frame_.resumed();
    static_cast<void>(group.left_only(0));
    require(resumptions_ == 1, "a frame is resumed once");
  }
  /// As fiber::finish_piece, and the worker that gets a ready frame.
  template <class Alarm>
  void finish(std::uint64_t children, std::uint64_t flags, Alarm alarm) {
    if (auto* const ready = group.finish(children, flags, alarm)) resume(*ready);
  }
  void finish() {
    finish(1, 0, [] {});
  }
  /// The waiting function returns, and its stack frame dies.
  void leave() {
    std::destroy_at(&group);
    std::destroy_at(&frame_);
    for (plain* v : values) std::destroy_at(v);
    std::destroy_at(&error);
  }

 private:
  struct frame : parked<Sync> {
    typename Sync::template plain<int> saved;
  };

  void resume(parked<Sync>& ready) {
    require(&ready == &frame_, "the waiting frame is found");
    if (view_ == view::threads) {
      require(static_cast<frame&>(ready).saved.get() == 1, "a frame that is resumed was saved");
    }
    ++resumptions_;
    resumed_.exchange(1, view_ == view::flows ? memory_order_relaxed : memory_order_release);
    resumed_.notify_all();
  }

  frame& frame_ = immortal<frame>();
  frame& from_before_ = immortal<frame>();  // left on the stack by an earlier group
  model_atomic<int> resumed_{0};            // the fiber runs again
  int resumptions_ = 0;
  view view_;
};

/// A join of two, or of three and more: the owner accounts for one child, and each thief for another.
template <class Sync, int Thieves, view View = view::threads, steps Order = steps::as_written>
struct join {
  static constexpr int threads = Thieves + 1;
  static auto children() {
    if constexpr (Thieves == 1) {
      return word_of_two{watched};
    } else {
      return std::uint64_t{Thieves + 1};
    }
  }
  scene<Sync> s{children(), View};

  void run(int me) {
    if (me > 0) {
      s.values[static_cast<std::size_t>(me)]->set(me);
      s.finish();
      return;
    }
    s.wait(1, Order);
    for (int t = 1; t <= Thieves; ++t) {
      require(s.values[static_cast<std::size_t>(t)]->get() == t,
              "the children have ended, and the owner sees what they wrote");
    }
    if (Thieves == 1) require(s.group.watched() == watched, "a thief finds what the owner watched");
    s.leave();
  }
  void finish() {}
};

/// The thief's child throws while the owner's child runs.
template <class Sync>
struct failing_join {
  static constexpr int threads = 2;
  scene<Sync> s{word_of_two{watched}};
  model_atomic<int> alarm{0};

  void run(int me) {
    if (me == 1) {
      s.error.set(7);
      require(s.group.watched() == watched, "a thief finds what the owner watched");
      s.finish(1, s.group.failed, [this] { alarm.exchange(1, memory_order_acq_rel); });
      return;
    }
    if (alarm.load(memory_order_acquire) == 1) {
      require((s.group.flags() & s.group.failed) != 0, "a fiber that hears the alarm sees the failure");
    }
    s.wait(1);
    require((s.group.flags() & s.group.failed) != 0, "a failure is not forgotten");
    require(s.error.get() == 7, "the exception reaches the join");
    s.leave();
  }
  void finish() {}
};

/// Two pieces of a numbered group fail: the first keeps its exception.
template <class Sync>
struct failing_pieces {
  static constexpr int threads = 3;
  scene<Sync> s{std::uint64_t{3}};
  int kept = 0;

  void run(int me) {
    if (me > 0) {
      if ((s.group.raise(s.group.failed) & s.group.failed) == 0) {
        ++kept;
        s.error.set(me);
      }
      s.finish();
      return;
    }
    s.wait(1);
    require((s.group.flags() & s.group.failed) != 0, "a failure is not forgotten");
    require(kept == 1 && s.error.get() > 0, "one exception is kept");
    s.leave();
  }
  void finish() {}
};

/// Two thieves drop their child because of a stop.
template <class Sync>
struct dropped_twice {
  static constexpr int threads = 3;
  scene<Sync> s{std::uint64_t{3}};

  void run(int me) {
    if (me > 0) return s.finish(1, s.group.dropped, [] {});
    s.wait(1);
    require((s.group.flags() & (s.group.failed | s.group.dropped)) == s.group.dropped, "dropped, not failed");
    s.leave();
  }
  void finish() {}
};

/// A scope: thieves subtract before the owner knows the number of children (scope.hpp).
template <class Sync, bool CountsItself = true>
struct scope {
  static constexpr int threads = 3;
  static constexpr std::uint64_t bias = std::uint64_t{1} << 47;
  scene<Sync> s{bias};

  void run(int me) {
    if (me > 0) {
      s.values[static_cast<std::size_t>(me)]->set(me);
      s.finish();
      return;
    }
    s.group.add(2 + (CountsItself ? 1 : 0) - bias);
    s.wait(1);
    require(s.values[1]->get() + s.values[2]->get() == 3,
            "the children have ended, and the owner sees what they wrote");
    s.leave();
  }
  void finish() {}
};

// The mutants. Each breaks one thing.

/// The last piece does not see the frame, or the owner does not see what the pieces wrote.
using without_acquire = ordered_fetch_sub<memory_order_release>;
/// A piece does not publish what it wrote, or the owner does not publish the frame.
using without_release = ordered_fetch_sub<memory_order_acquire>;

/// O1 does not acquire.
using relaxed_look = ordered_load<memory_order_relaxed>;
/// The last thief does not publish that it has let go.
using relaxed_call = ordered_store<memory_order_relaxed>;

/// The subtraction is a load and a store, which overwrites what comes between.
struct torn_subtraction : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_sub(T by, memory_order order) noexcept {
      T const old = model_atomic<T>::load(order);
      model_atomic<T>::exchange(static_cast<T>(old - by), order);
      return old;
    }
  };
};

/// Raising flags is a load and a store.
using torn_flags = torn_fetch_or;

/// Flags are added, as if each were raised only once.
struct added_flags : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_or(T bits, memory_order order) noexcept { return model_atomic<T>::fetch_add(bits, order); }
  };
};

/// Flags are raised with the subtraction, after the alarm.
struct late_flags : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_or(T bits, memory_order order) noexcept {
      late_ |= bits;
      return model_atomic<T>::load(order);
    }
    T fetch_sub(T by, memory_order order) noexcept {
      if (late_ != 0) model_atomic<T>::fetch_or(std::exchange(late_, T{}), memory_order_relaxed);
      return model_atomic<T>::fetch_sub(by, order);
    }

   private:
    T late_{};
  };
};

constexpr options races{.races = true};

template <class Script>
void holds_in_both_models() {
  for (auto const model : {memory_model::tso, memory_model::pso}) holds<Script>({.model = model, .races = true});
}
template <class Script>
void holds_in_all_models() {
  holds_in_both_models<Script>();
  holds<Script>(weak_races);
}

}  // namespace

TEST(share_count_model, a_join_with_one_thief_ends_once) { holds_in_all_models<join<model_sync, 1>>(); }
TEST(share_count_model, a_join_with_two_thieves_ends_once) { holds_in_all_models<join<model_sync, 2>>(); }
TEST(share_count_model, a_join_with_three_thieves_ends_once) { holds_in_all_models<join<model_sync, 3>>(); }
// Not on weak memory: the processor always goes by threads.
TEST(share_count_model, a_join_with_one_thief_ends_once_going_by_flows) {
  holds_in_both_models<join<model_sync, 1, view::flows>>();
}
TEST(share_count_model, a_join_with_two_thieves_ends_once_going_by_flows) {
  holds_in_both_models<join<model_sync, 2, view::flows>>();
}
TEST(share_count_model, a_failing_join_ends_once) { holds_in_all_models<failing_join<model_sync>>(); }
TEST(share_count_model, pieces_that_fail_end_once) { holds_in_all_models<failing_pieces<model_sync>>(); }
TEST(share_count_model, a_child_dropped_twice_counts_once) { holds_in_all_models<dropped_twice<model_sync>>(); }
TEST(share_count_model, a_scope_ends_once) { holds_in_all_models<scope<model_sync>>(); }

TEST(share_count_mutant, parking_before_it_is_saved_is_caught) {
  fails<join<model_sync, 1, view::threads, steps::park_before_saved>>("race: read", races);
}
TEST(share_count_mutant, parking_before_it_is_named_is_caught) {
  fails<join<model_sync, 1, view::threads, steps::park_before_named>>("race: read", races);
}
TEST(share_count_mutant, subtraction_without_acquire_is_caught) {
  fails<join<without_acquire, 1>>("race", races);
  fails<join<without_acquire, 2>>("race", races);
}
TEST(share_count_mutant, subtraction_without_release_is_caught) {
  fails<join<without_release, 1>>("race", races);
  fails<scope<without_release>>("race", races);
}
TEST(share_count_mutant, look_without_acquire_is_caught) { fails<join<relaxed_look, 1>>("race: read", races); }
TEST(share_count_mutant, let_go_without_release_is_caught) {
  fails<join<relaxed_call, 1, view::flows>>("race: destroyed", races);
}
TEST(share_count_mutant, torn_subtraction_is_caught) { fails<join<torn_subtraction, 2>>("", races); }
TEST(share_count_mutant, torn_flags_is_caught) { fails<failing_pieces<torn_flags>>("", races); }
TEST(share_count_mutant, added_flags_is_caught) { fails<dropped_twice<added_flags>>("dropped, not failed", races); }
TEST(share_count_mutant, flags_after_the_alarm_is_caught) { fails<failing_join<late_flags>>("hears the alarm", races); }
TEST(share_count_mutant, a_scope_that_does_not_count_itself_is_caught) { fails<scope<model_sync, false>>("", races); }

TEST(share_count, the_word_of_a_join_of_two_keeps_an_address) {
  using count = share_count<>;
  // The highest address that an x86-64 kernel gives to a process, that of AArch64, a common one, and none.
  for (std::uintptr_t const address : {(std::uintptr_t{1} << 56) - 8, (std::uintptr_t{1} << 52) - 8,
                                       reinterpret_cast<std::uintptr_t>(watched), std::uintptr_t{0}}) {
    auto const* const node = reinterpret_cast<stop_node const*>(address);
    word_of_two const first{node};
    EXPECT_EQ(first.watched(), node);
    count group{first};
    parked<> frame;
    group.wait_in(frame);
    EXPECT_FALSE(group.left_only(1));
    for (std::uint64_t const flag : {count::failed, count::dropped, count::abandoned, count::enclosed}) {
      EXPECT_EQ(group.flags() & flag, 0U);
      group.raise(flag);
      EXPECT_NE(group.flags() & flag, 0U);
      EXPECT_EQ(group.watched(), node);
    }
    EXPECT_EQ(group.finish(1, 0, [] {}), nullptr);
    EXPECT_TRUE(group.left_only(1));
    EXPECT_EQ(group.watched(), node);
    EXPECT_EQ(group.park(1), &frame);
    EXPECT_EQ(group.watched(), node);
  }
}
