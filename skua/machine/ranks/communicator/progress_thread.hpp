// SPDX-License-Identifier: MIT
// A thread that polls for a rank while its thread is in a long task. progress_thread.md has the states.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "skua/machine/ranks/communicator/progress_lock.hpp"

namespace skua { inline namespace v0 { namespace ranks {

class progress_thread {
 public:
  /// After a look that found a message. Each one without a message doubles it.
  static constexpr std::chrono::microseconds shortest_interval{200};
  static constexpr std::chrono::microseconds longest_interval{2000};

  /// SKUA_PROGRESS_THREAD; unset: true. Throws usage_error.
  [[nodiscard]] static bool is_wanted();
  /// `poll`: called while this thread holds `lock`; true: a message had arrived. Throws std::system_error if no thread can be started.
  progress_thread(progress_lock<>& lock, std::function<bool()> poll);
  ~progress_thread();
  progress_thread(progress_thread const&) = delete;
  progress_thread& operator=(progress_thread const&) = delete;

  // --- the rank's thread

  /// A process() begins.
  void begin();
  /// It ends.
  void end() noexcept { is_processing_.store(false, std::memory_order_relaxed); }  // relaxed: a later look suffices
  /// Throws what `poll` has thrown, once. Precondition: the caller holds the lock.
  void expect_no_trouble() {
    if (trouble_ != nullptr) [[unlikely]]
      throw_trouble();
  }

 private:
  void run();
  [[nodiscard]] bool sleep();
  void watch();
  void look(std::uint64_t task);
  void slow_down() noexcept;
  [[noreturn]] void throw_trouble();

  progress_lock<>& lock_;
  std::chrono::nanoseconds pause_ = shortest_interval;  ///< this thread's
  std::function<bool()> const poll_;

  // Who holds the lock:
  std::exception_ptr trouble_;

  std::atomic<bool> is_processing_{false};
  std::atomic<bool> is_asleep_{false};
  std::atomic<bool> ends_{false};
  std::mutex mutex_;
  std::condition_variable wakes_;
  std::thread thread_;  ///< the last: it uses all others
};

}}}  // namespace skua::v0::ranks
