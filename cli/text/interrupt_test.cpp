// SPDX-License-Identifier: MIT
// The states of interrupt.md, each in a process of its own. Signals are raised, so the order of events is the test's.
// What the command then writes is tested from outside: tests/cli/interrupt_test.py.
#include "cli/text/interrupt.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <thread>

namespace skua::cli {
namespace {

constexpr int ended_by_itself = 42;

/// A process that does this and ends by itself.
[[noreturn]] void in_a_process(std::function<void()> const& what) {
  install_signal_handlers();
  what();
  std::_Exit(ended_by_itself);
}

[[noreturn]] void failed() { std::_Exit(1); }

void need(bool holds) {
  if (!holds) failed();
}

/// Each process begins anew, and not with the state that other tests have left here.
class interrupt : public ::testing::Test {
 protected:
  interrupt() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(interrupt, the_first_signal_is_a_request_that_checks_notice) {
  for (int const number : {SIGINT, SIGTERM}) {
    auto const noticed = [&] {
      keep_after_interrupts();
      stop_if_interrupted();
      need(!interrupted() && interrupt_line(3, 40, "round").empty());
      ::raise(number);
      need(interrupted() && exit_code_of_interrupt() == 128 + number);
      try {
        stop_if_interrupted();
        failed();
      } catch (interruption const&) {
        need(interrupt_note(3, 40, "round") == "interrupted after 3 of 40 rounds");
        need(interrupt_line(3, 40, "round") == "interrupted after 3 of 40 rounds\n");
      }
    };
    EXPECT_EXIT(in_a_process(noticed), ::testing::ExitedWithCode(ended_by_itself), "^$");
  }
}

TEST_F(interrupt, the_second_signal_ends_the_process_whichever_it_is) {
  for (int const first : {SIGINT, SIGTERM}) {
    for (int const second : {SIGINT, SIGTERM}) {
      auto const twice = [&] {
        keep_after_interrupts();
        ::raise(first);
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
        ::raise(second);
      };
      EXPECT_EXIT(in_a_process(twice), ::testing::KilledBySignal(second), "^$");
    }
  }
}

TEST_F(interrupt, a_signal_that_is_sent_twice_at_once_is_one_request) {
  for (int const number : {SIGINT, SIGTERM}) {
    auto const twice = [&] {
      keep_after_interrupts();
      ::raise(number);
      ::raise(number);
      need(interrupted());
    };
    EXPECT_EXIT(in_a_process(twice), ::testing::ExitedWithCode(ended_by_itself), "^$");
  }
}

TEST_F(interrupt, the_process_ends_soon_if_nothing_is_kept) {
  auto const working = [] {
    ::raise(SIGINT);
    for (;;) ::pause();  // a step without checks
  };
  EXPECT_EXIT(in_a_process(working), ::testing::ExitedWithCode(130), "^$");
}

TEST_F(interrupt, what_is_complete_a_moment_after_the_signal_is_kept) {
  auto const just_done = [] {
    ::raise(SIGINT);
    keep_after_interrupts();
    ::raise(SIGALRM);
    need(interrupted());
  };
  EXPECT_EXIT(in_a_process(just_done), ::testing::ExitedWithCode(ended_by_itself), "^$");
}

TEST_F(interrupt, sigterm_keeps_its_default_until_there_is_something_to_keep) {
  EXPECT_EXIT(in_a_process([] { ::raise(SIGTERM); }), ::testing::KilledBySignal(SIGTERM), "^$");
}

TEST_F(interrupt, output_is_written_to_its_end) {
  auto const writing = [](bool keeps, std::initializer_list<int> signals) {
    if (keeps) keep_after_interrupts();
    finish_in_spite_of_interrupts();
    keep_after_interrupts();  // a state never goes back
    for (int const number : signals) {
      ::raise(number);
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
    }
    need(!interrupted());
  };
  for (bool const keeps : {true, false}) {
    EXPECT_EXIT(in_a_process([&] { writing(keeps, {SIGINT}); }), ::testing::ExitedWithCode(ended_by_itself), "^$");
    EXPECT_EXIT(in_a_process([&] { writing(keeps, {SIGINT, SIGINT}); }), ::testing::KilledBySignal(SIGINT), "^$");
    EXPECT_EXIT(in_a_process([&] { writing(keeps, {SIGINT, SIGTERM}); }), ::testing::KilledBySignal(SIGTERM), "^$");
  }
}

TEST_F(interrupt, the_second_signal_ends_a_process_that_writes_what_it_has) {
  auto const writing = [](int second) {
    keep_after_interrupts();
    ::raise(SIGTERM);
    finish_in_spite_of_interrupts();
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    need(exit_code_of_interrupt() == 143);
    ::raise(second);
  };
  EXPECT_EXIT(in_a_process([&] { writing(SIGTERM); }), ::testing::KilledBySignal(SIGTERM), "^$");
  EXPECT_EXIT(in_a_process([&] { writing(SIGINT); }), ::testing::KilledBySignal(SIGINT), "^$");
}

TEST_F(interrupt, a_signal_of_another_process_of_the_job_counts_in_every_state) {
  auto const taken = [](bool keeps, bool writes) {
    if (keeps) keep_after_interrupts();
    if (writes) finish_in_spite_of_interrupts();
    need(signal_of_interrupt() == 0);
    take_signal_of_another(SIGTERM);
    need(interrupted() && signal_of_interrupt() == SIGTERM && exit_code_of_interrupt() == 143);
  };
  for (bool const keeps : {true, false}) {
    for (bool const writes : {true, false})
      EXPECT_EXIT(in_a_process([&] { taken(keeps, writes); }), ::testing::ExitedWithCode(ended_by_itself), "^$");
  }
}

TEST_F(interrupt, an_exit_code_comes_with_a_line_that_says_how_far_it_came) {
  auto const code = [](bool after_signal) {
    keep_after_interrupts();
    if (after_signal) ::raise(SIGTERM);
    std::_Exit(exit_code_after("compare", 1, 1, "round"));
  };
  EXPECT_EXIT(in_a_process([&] { code(false); }), ::testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(in_a_process([&] { code(true); }), ::testing::ExitedWithCode(143),
              "^skua: compare: interrupted after 1 of 1 round\n$");
}

}  // namespace
}  // namespace skua::cli
