// SPDX-License-Identifier: MIT
// What mixed programs check besides their answers: on which thread a call returns, what a thread inside of isolate() runs, which
// steps hear of a stop, and how many tasks begin after one. The first that is wrong is kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "tests/programs/this_thread.hpp"

namespace skua { inline namespace v0 { namespace testing {

/// Any thread.
void note_wrong(std::string const& what) noexcept;
/// What was noted first since the last call; empty: nothing.
[[nodiscard]] std::string take_wrong() noexcept;

/// Lives around a call that returns on the thread on which it begins.
class returns_here {
 public:
  returns_here() noexcept : thread_(this_thread_number()) {}
  ~returns_here() {
    if (this_thread_number() != thread_) note_wrong("a call returns on another thread than it began on");
  }
  returns_here(returns_here const&) = delete;
  returns_here& operator=(returns_here const&) = delete;

 private:
  long const thread_;
};

/// Lives inside of isolate(), for whose length its thread runs nothing else.
class isolated_mark {
 public:
  isolated_mark() noexcept;
  ~isolated_mark();
  isolated_mark(isolated_mark const&) = delete;
  isolated_mark& operator=(isolated_mark const&) = delete;

  /// A step begins on the calling thread, inside of the isolated call `innermost`; null: of none.
  static void expect_own(isolated_mark const* innermost) noexcept;

 private:
  isolated_mark const* const outer_;
};

/// Counts the bodies of one construct that begin after one of them has ended it: by a stop, or by an exception.
class late_bodies {
 public:
  late_bodies(bool fails, std::uint32_t workers) noexcept : fails_(fails), workers_(workers) {}

  /// A body begins, and `is_asked_to_end`.
  void begin(bool is_asked_to_end) noexcept {
    // A failure is known to the thread that has thrown it and does something else now, and to whom the construct tells it. A stop
    // counts from the return of request_stop().
    bool const is_late = fails_ ? is_asked_to_end || failed_on_ == this_thread_number() : is_stopped_.load();
    if (is_late) ++late_;
  }
  void stopped() noexcept { is_stopped_ = true; }
  void fails_here() noexcept { failed_on_ = this_thread_number(); }
  /// As docs/guide/cancellation.md says, "How soon": so many for each other worker, and `more`. What is around may end at the same
  /// time, which is another end. `where`: in what.
  void expect_few(int of_each, int more, char const* where) const;

 private:
  bool const fails_;
  std::uint32_t const workers_;
  std::atomic<int> late_{0};
  std::atomic<bool> is_stopped_{false};
  std::atomic<long> failed_on_{0};
};

}}}  // namespace skua::v0::testing
