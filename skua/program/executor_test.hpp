// SPDX-License-Identifier: MIT
// Two small executors for the tests of the oneTBB-style interface: one never leaves the calling thread, the other has
// three threads and a locked queue. Slow but short: a test that fails on them shows a bug in the interface.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "skua/parts/base/assert.hpp"
#include "skua/program/executor.hpp"
#include "tests/programs/shuffled.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace testing {

/// The fiber that runs on this thread, if any.
inline thread_local shuffled* current = nullptr;

/// Calls f with a fresh `here`, as the fiber of this thread.
template <class F>
decltype(auto) as_fiber(F&& f) {
  static std::atomic<std::uint64_t> seed{0};
  shuffled here{seed.fetch_add(1, std::memory_order_relaxed)};
  struct restore {
    shuffled* outer;
    ~restore() { current = outer; }
  } const guard{std::exchange(current, &here)};
  return std::forward<F>(f)(here);
}

/// A task sees its group's cancellation and what it carries, not what the frame below it on this thread watches.
inline void run_task(free_task<shuffled>& task) noexcept {
  shuffled::surroundings const around(task.kind->surroundings_of == nullptr ? nullptr
                                                                            : task.kind->surroundings_of(task));
  as_fiber([&](shuffled& here) {
    here.watching(around,
                  [&](shuffled& inner) { inner.watching(*task.group, [&](shuffled& h) { task.kind->run(task, h); }); });
  });
}

/// The stop sources that a fiber watches now.
class watched_now {
 public:
  explicit watched_now(shuffled& on) noexcept : name_(on.around()) {}
  [[nodiscard]] void const* name() const noexcept { return name_; }

 private:
  void const* name_;
};

/// Tasks queue up until somebody waits.
struct serial_executor {
  using here = shuffled;

  template <class F>
  static decltype(auto) with_here(F&& f) {
    if (current != nullptr) return std::forward<F>(f)(*current);
    return as_fiber(std::forward<F>(f));
  }
  using surroundings = watched_now;
  static void spawn(free_task<here>& task) noexcept { queue.push_back(&task); }
  static void run_now(free_task<here>& task) noexcept { run_task(task); }
  static void wait(wait_group& group) noexcept {
    while (!group.done()) {
      free_task<here>* const task = queue.back();
      queue.pop_back();
      run_task(*task);
    }
  }
  static inline std::deque<free_task<here>*> queue;
};

/// A task runs inside of `spawn`, before that returns: what it has done is known there. Without threads at all it refuses.
struct eager_executor : serial_executor {
  static void spawn(free_task<here>& task) {
    if (has_no_threads) throw std::bad_alloc{};
    run_task(task);
  }
  static void run_now(free_task<here>& task) { spawn(task); }
  static void wait(wait_group& group) noexcept { expects(group.done(), "every task has run"); }
  static inline bool has_no_threads = false;
};

/// Three threads, one queue.
class toy_pool {
 public:
  toy_pool() {
    for (int i = 0; i < 3; ++i) threads_.emplace_back([this] { work(); });
  }
  ~toy_pool() {
    {
      std::lock_guard const lock{mutex_};
      closing_ = true;
    }
    some_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  void push(free_task<shuffled>& task) {
    {
      std::lock_guard const lock{mutex_};
      queue_.push_back(&task);
    }
    some_.notify_one();
  }
  bool run_one() {
    std::unique_lock lock{mutex_};
    if (queue_.empty()) return false;
    free_task<shuffled>* const task = queue_.back();
    queue_.pop_back();
    lock.unlock();
    run_task(*task);
    return true;
  }

 private:
  void work() {
    for (;;) {
      {
        std::unique_lock lock{mutex_};
        some_.wait(lock, [this] { return closing_ || !queue_.empty(); });
        if (queue_.empty()) return;
      }
      run_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable some_;
  std::deque<free_task<shuffled>*> queue_;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

struct toy_executor {
  using here = shuffled;

  static toy_pool& pool() {
    static toy_pool the_pool;
    return the_pool;
  }
  using surroundings = watched_now;
  static void spawn(free_task<here>& task) noexcept { pool().push(task); }
  static void run_now(free_task<here>& task) noexcept { run_task(task); }

  /// A worker runs whatever is queued before it blocks. That is no good scheduler, but it ends.
  static void wait(wait_group& group) noexcept {
    while (current != nullptr && !group.done() && pool().run_one()) {}
    sleeper me;
    if (!group.done() && group.enroll(me)) me.sleep();
  }

  template <class F>
  static auto with_here(F&& f) -> decltype(f(std::declval<here&>())) {
    if (current != nullptr) return std::forward<F>(f)(*current);
    errand<F> task{std::forward<F>(f)};
    return task.run_elsewhere();
  }

 private:
  struct sleeper : group_waiter {
    sleeper() : group_waiter{.wake = [](group_waiter& w) noexcept { static_cast<sleeper&>(w).rouse(); }} {}
    void sleep() {
      std::unique_lock lock{mutex};
      woken_now.wait(lock, [this] { return woken; });
    }
    void rouse() {
      std::lock_guard const lock{mutex};
      woken = true;
      woken_now.notify_one();  // under the lock: afterwards *this may be gone
    }
    std::mutex mutex;
    std::condition_variable woken_now;
    bool woken = false;
  };

  /// A call that another thread makes on our behalf.
  template <class F>
  struct errand : free_task<here> {
    explicit errand(F&& f) : free_task<here>{.kind = &kind, .group = &back}, function(std::forward<F>(f)) {}
    static void go(free_task<here>& task, here& h) noexcept {
      auto& self = static_cast<errand&>(task);
      try {
        self.value.emplace(call(std::forward<F>(self.function), h));
      } catch (...) {
        self.failure = std::current_exception();
      }
      self.back.finish();
    }
    auto run_elsewhere() -> decltype(std::declval<F>()(std::declval<here&>())) {
      back.add();
      spawn(*this);
      wait(back);
      if (failure) std::rethrow_exception(failure);
      if constexpr (!std::is_void_v<decltype(std::declval<F>()(std::declval<here&>()))>) return std::move(*value);
    }
    static constexpr free_task_kind<here> kind{.run = &go};
    F&& function;
    wait_group back;
    std::optional<value_of<F, here&>> value;
    std::exception_ptr failure;
  };
};

static_assert(task_executor<serial_executor>);
static_assert(task_executor<eager_executor>);
static_assert(task_executor<toy_executor>);

}}}}  // namespace skua::v0::runtime::testing
