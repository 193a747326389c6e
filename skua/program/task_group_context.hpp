// SPDX-License-Identifier: MIT
// task_group_context, as oneTBB's users know it: cancels a loop from outside or from its body, and the loop returns.
// Programs that do not port from oneTBB pass a std::stop_token instead: a loop that was cut short then throws.
#pragma once

#include <stop_token>
#include <utility>

namespace skua { inline namespace v0 { namespace runtime {

/// Pass it as the last argument of an algorithm. After cancel_group_execution(), work that has not begun is dropped, and
/// the call returns as usual; reductions and scans return their identity. An exception of the work cancels the context,
/// and the call throws it. A cancelled context stays so until `reset`: calls that are given it return at once.
///
/// Unlike oneTBB's, it has no parent, and no other context asks it: loops and tasks inside a cancelled call end because
/// they are inside, and end with the exception `cancelled`. A call with an isolated context is not cut short by
/// enclosing stops. So a destructor, or a function that is noexcept, passes one to its loops.
/// Any thread may call every member function but `reset`.
class task_group_context {
 public:
  enum kind_type : bool { isolated, bound };

  explicit task_group_context(kind_type kind = bound) : kind_(kind) {}
  task_group_context(task_group_context const&) = delete;
  task_group_context& operator=(task_group_context const&) = delete;

  /// Returns false if another call has cancelled it before.
  bool cancel_group_execution() noexcept { return source_.request_stop(); }
  [[nodiscard]] bool is_group_execution_cancelled() const noexcept { return source_.stop_requested(); }
  [[nodiscard]] bool is_isolated() const noexcept { return kind_ == isolated; }
  /// Resets it to the initial state. No call may be using it. Throws std::bad_alloc; then nothing has changed.
  void reset() { source_ = std::stop_source{}; }
  /// A token that follows its requests, for `here.with_stop` and other functions that take one. `reset` ends the
  /// connection.
  [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }

 private:
  kind_type kind_;
  std::stop_source source_;
};

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::task_group_context;

}}  // namespace skua::v0
