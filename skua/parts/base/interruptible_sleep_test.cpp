// SPDX-License-Identifier: MIT
#include "skua/parts/base/interruptible_sleep.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace {

using namespace std::chrono_literals;

TEST(interruptible_sleep, lasts_as_long_as_it_should) {
  auto const began = std::chrono::steady_clock::now();
  skua::runtime::interruptible_sleep(2ms);
  EXPECT_GE(std::chrono::steady_clock::now() - began, 2ms);
}

/// With sleep_for this would not end.
TEST(interruptible_sleep, ends_under_a_storm_of_signals) {
  struct sigaction nothing{};
  struct sigaction before{};
  nothing.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGUSR1, &nothing, &before), 0);
  std::atomic<bool> ended{false};
  std::thread sleeper([&] {
    for (int i = 0; i < 100; ++i) skua::runtime::interruptible_sleep(20us);
    ended = true;
  });
  while (!ended) ::pthread_kill(sleeper.native_handle(), SIGUSR1);
  sleeper.join();
  ::sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
