// SPDX-License-Identifier: MIT
// Waiting, in a test, for something that another thread does. A test that waits in a bare loop can only hang when that
// never happens, and a hang says nothing. These waits end: the test then fails, and says what did not happen.
//
// The limit is no claim about speed. It is so long that only a thing that never happens exceeds it, under a sanitizer on
// a busy machine, too; and shorter than the limit that CTest sets, which would kill the program without a word.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>

namespace skua { inline namespace v0 { namespace testing {

/// How long a test waits for one thing. Each waiting thread has its own.
class patience {
 public:
  /// `what` completes the sentence "In 100 s it did not happen that ...".
  explicit patience(std::string what) : what_(std::move(what)) {}

  /// Whether to go on waiting; if not, the test has failed. Once a test has failed its waits are short, so that a test
  /// of many rounds ends before CTest kills it.
  [[nodiscard]] bool lasts() {
    auto const limit = ::testing::Test::HasFailure() ? std::chrono::seconds(1) : std::chrono::seconds(100);
    if (std::chrono::steady_clock::now() - begin_ < limit) return true;
    ADD_FAILURE() << "In " << limit.count() << " s it did not happen that " << what_ << ".";
    return false;
  }

 private:
  std::string what_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Returns when the condition holds, or false when it has not come true, and then the test has failed.
template <class Condition>
bool wait_until(std::string what, Condition&& condition) {
  patience waiting(std::move(what));
  while (!condition()) {
    if (!waiting.lasts()) return false;
    std::this_thread::yield();
  }
  return true;
}

}}}  // namespace skua::v0::testing
