// SPDX-License-Identifier: MIT
// oneTBB's task_scheduler_handle: whoever has one may wait until the scheduler has nothing left to do.
#pragma once

#include <exception>
#include <new>
#include <utility>

#include "skua/machine/threads/face/executor.hpp"
#include "skua/machine/threads/face/pool.hpp"
#include "skua/tbb/attach.hpp"

namespace skua { inline namespace v0 { namespace tbb {

/// What finalize() throws where the calling thread cannot wait for the workers.
class unsafe_wait : public std::exception {
 public:
  [[nodiscard]] char const* what() const noexcept override { return "Unsafe to wait further"; }
};

/// A handle of the default pool. Its workers sleep while there is nothing to do, and end with the process or with the shared object that
/// Skua is linked into (dlclose); so finalize() waits for what is enqueued, and not for threads.
class task_scheduler_handle {
 public:
  task_scheduler_handle() = default;
  /// Makes the default pool if there is none. Throws what default_pool() throws.
  explicit(false) task_scheduler_handle(attach) : of_(&default_pool()) {}
  task_scheduler_handle(task_scheduler_handle&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  task_scheduler_handle& operator=(task_scheduler_handle&& other) noexcept {
    std::swap(of_, other.of_);
    return *this;
  }
  [[nodiscard]] explicit operator bool() const noexcept { return of_ != nullptr; }
  void release() noexcept { of_ = nullptr; }

 private:
  friend bool finalize(task_scheduler_handle& handle, std::nothrow_t const&) noexcept;
  pool* of_ = nullptr;
};

/// Returns when no enqueued task of the default pool is left; the handle is empty then. False: a task cannot wait for that, nor a child of
/// fork(), whose parent has the workers. An empty handle waits for nothing.
inline bool finalize(task_scheduler_handle& handle, std::nothrow_t const&) noexcept {
  pool* const of = std::exchange(handle.of_, nullptr);
  if (of == nullptr) return true;
  if (runtime::is_lost_by_fork(*of) || runtime::executor::running() != nullptr) return false;
  of->drain();
  return true;
}
/// The same. Throws unsafe_wait.
inline void finalize(task_scheduler_handle& handle) {
  if (!finalize(handle, std::nothrow)) throw unsafe_wait();
}

}}}  // namespace skua::v0::tbb
