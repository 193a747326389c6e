// SPDX-License-Identifier: MIT
// A short sleep for threads that look again and again. std::this_thread::sleep_for goes on with what is left when a signal was handled, and Linux
// adds the timer's slack (50 us) to that each time: a thread that gets signals more often than that would never wake.
#pragma once

#include <time.h>

#include <chrono>

namespace skua { inline namespace v0 { namespace runtime {

/// Sleeps for this time, 0 to 1 s, or until the thread has handled a signal.
inline void interruptible_sleep(std::chrono::nanoseconds how_long) noexcept {
  timespec const time{.tv_sec = 0, .tv_nsec = how_long.count() < 1'000'000'000 ? how_long.count() : 999'999'999};
  static_cast<void>(::nanosleep(&time, nullptr));
}

}}}  // namespace skua::v0::runtime
