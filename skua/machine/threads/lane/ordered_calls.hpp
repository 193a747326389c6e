// SPDX-License-Identifier: MIT
// Tasks from outside that have a strategy, where the region's policy obeys strategies. They wait in one line until a worker
// moves them to its lane `ordered` (fork/finish/ordered_tasks.hpp), so that they begin in the order of their strategies and not in
// that of the line.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "skua/machine/threads/lane/task.hpp"
#include "skua/parts/base/sync.hpp"
#include "skua/parts/queue/injector.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template <synchronisation Sync = real_sync>
class ordered_calls {
 public:
  // For any thread.

  /// A task with a strategy was submitted; `begins` follows.
  void announce() noexcept {
    // seq_cst: before the caller's look whether the lent thread rests. Partner: any_unbegun (lent_thread.md).
    unbegun_.fetch_add(1, std::memory_order_seq_cst);
  }
  /// It begins, or is dropped.
  void begins() noexcept { unbegun_.fetch_sub(1, std::memory_order_relaxed); }  // relaxed: too large costs a look
  /// True if announced tasks have not begun, in the line or in a worker's lane.
  [[nodiscard]] bool any_unbegun() const noexcept {
    return unbegun_.load(std::memory_order_seq_cst) >
           0;  // after the lent thread has said that it rests. Partner: announce
  }

  void push(handed& t) noexcept { line_.push(t); }
  [[nodiscard]] handed* pop() noexcept { return static_cast<handed*>(line_.pop()); }
  bool remove(handed& t) noexcept { return line_.remove(t); }
  [[nodiscard]] std::size_t size_hint() const noexcept { return line_.size_hint(); }
  [[nodiscard]] bool looks_empty() const noexcept { return line_.looks_empty(); }

 private:
  injector<Sync> line_;
  typename Sync::template atomic<std::uint64_t> unbegun_{0};
};

/// For a worker: moves the tasks that are in the line now, not those that other threads add meanwhile. put(task) puts one into the
/// worker's lane; if it returns false, for want of memory, this returns that task, else null. notify() tells the region's sleepers: one may have
/// looked when a task was in neither place. moved_calls_model.cpp runs it beside a worker that falls asleep.
template <class Calls, class Put, class Notify>
[[nodiscard]] handed* move_calls(Calls& calls, Put&& put, Notify&& notify) noexcept {
  std::size_t left = calls.size_hint();
  if (left == 0) [[likely]]
    return nullptr;
  handed* refused = nullptr;
  for (; left > 0 && refused == nullptr; --left) {
    handed* const t = calls.pop();
    if (t == nullptr) break;  // other workers move some, too
    if (!put(*t)) refused = t;
  }
  notify();
  return refused;
}

}}}  // namespace skua::v0::runtime
