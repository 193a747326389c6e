// SPDX-License-Identifier: MIT
// The word of a one_shot under every schedule, with memory orders as written: the waiter gets the value of one setter, is
// woken once if it enrolled, and destroys everything at once when it continues (one_shot.md). Each mutant removes an order
// or tears an operation in two, and the explorer must find what breaks.
#include <gtest/gtest.h>

#include <memory>

#include "skua/machine/threads/face/one_shot_word.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using skua::runtime::one_shot_waiter, skua::runtime::one_shot_word;
using std::memory_order, std::memory_order_acq_rel, std::memory_order_acquire, std::memory_order_relaxed,
    std::memory_order_release;

/// A one_shot, its value, and the frame of its waiter.
template <class Sync>
class scene {
  using word = one_shot_word<Sync>;
  using plain = typename Sync::template plain<int>;

 public:
  /// As set_value. True if this setter was the first.
  bool set(int to) {
    if (!word_.claim()) return false;
    value_.set(to);
    if (one_shot_waiter* const w = word_.publish()) w->wake(*w);
    return true;
  }
  /// As set_value if T's constructor throws.
  bool fail_to_set() {
    if (!word_.claim()) return false;
    value_.set(-1);
    word_.give_up();
    return true;
  }
  /// As wait: returns the value. The one_shot and the frame end at once. A fiber reads the word again when it continues,
  /// a thread that is no worker does not.
  int wait(bool looks_again = true) {
    bool enrolled = false;
    if (!word_.is_set()) {
      me_.name.set(1);
      enrolled = word_.enroll(me_) == word::enrolment::waits;
      if (enrolled) me_.woken->wait(0, memory_order_acquire);
    }
    require(wakings_ == (enrolled ? 1 : 0), "who enrolls is woken once, others never");
    require(!looks_again || word_.is_set(), "there is a value when the wait ends");
    int const got = value_.get();
    require(word_.take(), "nobody has taken the value before");
    std::destroy_at(&word_);
    std::destroy_at(&value_);
    std::destroy_at(&me_.name);
    return got;
  }

 private:
  struct waiter : one_shot_waiter {
    waiter() noexcept : one_shot_waiter{.wake = &waiter::wake_it} {}
    static void wake_it(one_shot_waiter& w) noexcept {
      auto& self = static_cast<waiter&>(w);
      require(self.name.get() == 1, "the setter finds the waiter's frame");
      model_atomic<int>& signal = *self.woken;
      ++*self.wakings;
      signal.exchange(1, memory_order_release);
      signal.notify_all();
    }
    plain name;
    model_atomic<int>* woken = nullptr;
    int* wakings = nullptr;
  };

  word& word_ = immortal<word>();
  plain& value_ = immortal<plain>();
  waiter& me_ = immortal<waiter>();
  model_atomic<int> woken_{0};
  int wakings_ = 0;

 public:
  scene() {
    me_.woken = &woken_;
    me_.wakings = &wakings_;
  }
};

/// LooksAgain: the waiter is a fiber, else a thread from outside.
template <class Sync, bool LooksAgain = true>
struct one_setter {
  static constexpr int threads = 2;
  scene<Sync> s;
  void run(int me) {
    if (me == 0) {
      require(s.set(7), "the only setter is the first");
    } else {
      require(s.wait(LooksAgain) == 7, "the waiter gets the value");
    }
  }
  void finish() {}
};

/// The second setter comes while the one_shot lives: the waiter looks only when both have tried.
template <class Sync>
struct two_setters {
  static constexpr int threads = 2;
  scene<Sync> s;
  int firsts = 0;
  void run(int me) {
    if (s.set(me + 1)) ++firsts;
  }
  void finish() { require(firsts == 1, "one setter is the first"); }
};

/// A setter whose value throws, and one that comes before, between or after.
template <class Sync>
struct a_setter_gives_up {
  static constexpr int threads = 3;
  scene<Sync> s;
  model_atomic<int> given_up{0};
  void run(int me) {
    if (me == 0) {
      require(s.fail_to_set(), "nobody else claims yet");
      given_up.exchange(1, memory_order_relaxed);  // relaxed: it orders nothing; give_up and claim must
      given_up.notify_all();
    } else if (me == 1) {
      given_up.wait(0, memory_order_relaxed);
      require(s.set(7), "what was given up can be claimed again");
    } else {
      require(s.wait() == 7, "the waiter gets the value of the setter that did not give up");
    }
  }
  void finish() {}
};

// The mutants.

template <memory_order Publication>
struct publishing : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T exchange(T value, memory_order) noexcept { return model_atomic<T>::exchange(value, Publication); }
  };
};
/// The setter does not publish the value.
using without_release = publishing<memory_order_acquire>;
/// The setter does not see the waiter's frame.
using without_acquire = publishing<memory_order_release>;

/// The waiter does not publish its frame, or does not see the value when it comes too late.
template <memory_order Yes, memory_order No>
struct enrolling : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    bool compare_exchange_weak(T& expected, T desired, memory_order, memory_order) noexcept {
      return model_atomic<T>::compare_exchange_weak(expected, desired, Yes, No);
    }
  };
};

using relaxed_look = ordered_load<memory_order_relaxed>;

/// Publishing is a load and a store: a waiter that enrolls in between is overwritten.
struct torn_publication : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T exchange(T value, memory_order order) noexcept {
      T const before = model_atomic<T>::load(memory_order_acquire);
      model_atomic<T>::exchange(value, order);
      return before;
    }
  };
};

/// Enrolling is a load and a store: a value that comes in between is overwritten.
struct torn_enrolment : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    bool compare_exchange_weak(T& expected, T desired, memory_order, memory_order no) noexcept {
      T const seen = model_atomic<T>::load(no);
      bool const same = seen == expected;
      if (same) model_atomic<T>::exchange(desired, memory_order_release);
      expected = seen;
      return same;
    }
  };
};

/// Claiming is a load and a store: two setters are the first.
using torn_claim = torn_fetch_or;

/// The setter looks at the word once more after it has published.
struct late_look : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T exchange(T value, memory_order order) noexcept {
      T const before = model_atomic<T>::exchange(value, order);
      static_cast<void>(model_atomic<T>::load(memory_order_relaxed));
      return before;
    }
  };
};

/// Giving up does not publish what the constructor has written.
struct relaxed_giving_up : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_and(T bits, memory_order) noexcept { return model_atomic<T>::fetch_and(bits, memory_order_relaxed); }
  };
};

constexpr options races{.races = true};

template <class Script>
void holds_in_all_models() {
  for (auto const model : {memory_model::tso, memory_model::pso}) holds<Script>({.model = model, .races = true});
  holds<Script>(weak_races);
}

}  // namespace

TEST(one_shot_model, the_waiter_gets_the_value_and_destroys_the_one_shot) {
  holds_in_all_models<one_setter<model_sync>>();
  holds_in_all_models<one_setter<model_sync, false>>();
}
TEST(one_shot_model, one_of_two_setters_is_the_first) { holds_in_all_models<two_setters<model_sync>>(); }
TEST(one_shot_model, a_setter_may_give_up) { holds_in_all_models<a_setter_gives_up<model_sync>>(); }

TEST(one_shot_mutant, publication_without_release_is_caught) { fails<one_setter<without_release>>("race", races); }
TEST(one_shot_mutant, publication_without_acquire_is_caught) { fails<one_setter<without_acquire>>("race", races); }
TEST(one_shot_mutant, enrolment_without_release_is_caught) {
  fails<one_setter<enrolling<memory_order_relaxed, memory_order_acquire>>>("race", races);
}
TEST(one_shot_mutant, look_without_acquire_is_caught) { fails<one_setter<relaxed_look>>("race", races); }
TEST(one_shot_mutant, torn_publication_is_caught) { fails<one_setter<torn_publication>>("", races); }
TEST(one_shot_mutant, torn_enrolment_is_caught) { fails<one_setter<torn_enrolment>>("", races); }
TEST(one_shot_mutant, torn_claim_is_caught) { fails<two_setters<torn_claim>>("", races); }
TEST(one_shot_mutant, a_look_after_publication_is_caught) { fails<one_setter<late_look>>("", races); }
TEST(one_shot_mutant, giving_up_without_release_is_caught) {
  fails<a_setter_gives_up<relaxed_giving_up>>("race", races);
}
