// SPDX-License-Identifier: MIT
// How long a worker searches, and what it says about that: a worker that writes down what it is told to do, with a clock that
// each failed round turns by one.
#include "skua/machine/threads/engine/loop/work_search.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <string>

namespace skua { inline namespace v0 { namespace runtime { namespace {

class scripted {
 public:
  struct found {
    int const* slot = nullptr;
    bool more = false;
    [[nodiscard]] bool leaves_more() const { return more; }
  };
  /// One letter per round: '-' finds nothing, 'r' a ready frame, 't' a task, 'm' a task that is not the last, 'b' nothing because its policy bars it, 'c' the pool closes.
  explicit scripted(std::string rounds) : rounds_(rounds.begin(), rounds.end()) {}

  std::string done;  ///< what it did
  bool woken = false;
  bool sleeps = true;  ///< until it is woken
  unsigned wakes = 0;

  scripted& pool() { return *this; }
  struct sleepers {
    scripted& of;
    void start_search() const { of.done += "("; }
    [[nodiscard]] unsigned found(remains left = remains::unknown) const {
      of.done += left == remains::more ? "))" : ")";
      return of.wakes;
    }
  };
  sleepers sleep() { return {*this}; }
  scripted& counts() { return *this; }
  struct counter {
    unsigned value = 0;
    void add(unsigned n) { value += n; }
  } wakeups_sent;

  static std::uint64_t spin_ns() { return 3; }
  static std::uint64_t now_ns() { return time; }
  static inline std::uint64_t time = 1;

  [[nodiscard]] bool closing() const { return rounds_.empty() || rounds_.front() == 'c'; }
  bool was_woken() { return std::exchange(woken, false); }
  void refresh_regions() { done += "?"; }
  found take_ready() { return round_is('r'); }
  found probe_everywhere() {
    found const one = round_is('t');
    return one.slot != nullptr ? one : round_is('m');
  }
  void leave_finish() { done += "l"; }
  void note_failed_round(std::uint64_t) {
    ++time;
    done += "f";
  }
  bool is_barred() {
    bool const is = !rounds_.empty() && rounds_.front() == 'b';
    next();
    return is;
  }
  bool stands_down(bool) {
    if (rounds_.empty() || rounds_.front() != 'w') return false;
    next();
    done += "w";
    return true;
  }
  void short_sleep(std::uint64_t) { done += "s"; }
  std::uint64_t back_off(std::uint64_t) {
    done += ".";
    return offers;
  }
  std::uint64_t offers = 0;  ///< time that its budget does not count
  bool fall_asleep() {
    done += "z";
    return sleeps;
  }

 private:
  found round_is(char kind) {
    static constexpr int something = 0;
    if (rounds_.empty() || rounds_.front() != kind) return {};
    next();
    return {&something, kind == 'm'};
  }
  void next() {
    if (!rounds_.empty()) rounds_.pop_front();
  }
  std::deque<char> rounds_;
};

std::string search(scripted& me, bool finds) {
  EXPECT_EQ(work_search::find_work(me).slot != nullptr, finds);
  return me.done;
}

TEST(work_search, what_is_there_needs_no_search) {
  for (char const* const kind : {"t", "r"}) {
    scripted me(kind);
    EXPECT_EQ(search(me, true), "?");
    EXPECT_EQ(me.wakeups_sent.value, 0U);
  }
}

TEST(work_search, lasts_as_long_after_a_sleep_as_before) {
  scripted me("---------t");
  EXPECT_EQ(search(me, true), "?lf(.?lf.?lf.?lfz?lf.?lf.?lf.?lfz?lf.?)");
}

TEST(work_search, the_time_of_an_offered_processor_is_no_time_of_the_search) {
  scripted me("---------t");
  me.offers = 1;
  EXPECT_EQ(search(me, true), "?lf(.?lf.?lf.?lf.?lf.?lf.?lf.?lf.?lf.?)");
}

TEST(work_search, whoever_finds_something_says_so_and_may_wake_another) {
  scripted me("-t");
  me.wakes = 1;
  EXPECT_EQ(search(me, true), "?lf(.?)");
  EXPECT_EQ(me.wakeups_sent.value, 1U);
}

TEST(work_search, who_was_woken_searches_already) {
  scripted me("-t");
  me.woken = true;
  EXPECT_EQ(search(me, true), "?lf.?)");
}

TEST(work_search, who_was_woken_says_that_there_is_more) {
  scripted at_first("-m");
  at_first.woken = true;
  EXPECT_EQ(search(at_first, true), "?lf.?))");
  scripted later("----m");
  EXPECT_EQ(search(later, true), "?lf(.?lf.?lf.?lfz?))");
}

TEST(work_search, who_was_awake_says_nothing_of_more) {
  scripted me("-m");
  EXPECT_EQ(search(me, true), "?lf(.?)");
  scripted stays_awake("----m");
  stays_awake.sleeps = false;
  EXPECT_EQ(search(stays_awake, true), "?lf(.?lf.?lf.?lfz?)");
}

TEST(work_search, counts_all_whom_it_woke) {
  scripted me("m");
  me.woken = true;
  me.wakes = 2;
  EXPECT_EQ(search(me, true), "?))");
  EXPECT_EQ(me.wakeups_sent.value, 2U);
}

TEST(work_search, who_stood_down_counts_as_searching) {
  scripted me("wt");
  EXPECT_EQ(search(me, true), "?w?)");
  scripted ends("wc");
  EXPECT_EQ(search(ends, false), "?w");
}

TEST(work_search, nobody_relies_on_who_is_barred) {
  scripted me("-b-t");
  me.wakes = 1;
  EXPECT_EQ(search(me, true), "?lf(.?lf)s?lf(.?)");
  EXPECT_EQ(me.wakeups_sent.value, 2U);
}

TEST(work_search, ends_with_the_pool) {
  scripted me("--c");
  EXPECT_EQ(search(me, false), "?lf(.?lf.?l");
  scripted woken("c");
  woken.woken = true;
  EXPECT_EQ(search(woken, false), "");
  scripted sleeps("----c");
  EXPECT_EQ(search(sleeps, false), "?lf(.?lf.?lf.?lfz");
}

}}}}  // namespace skua::v0::runtime
