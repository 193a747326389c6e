// SPDX-License-Identifier: MIT
// The tasks that were submitted to a region and that no worker has taken: a line, first in, first out; and those whose strategies
// order them, where the policy obeys strategies.
#pragma once

#include "skua/machine/threads/lane/ordered_calls.hpp"
#include "skua/machine/threads/lane/task.hpp"
#include "skua/parts/queue/injector.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class injected_tasks {
 public:
  explicit injected_tasks(bool obeys_strategies) noexcept : obeys_(obeys_strategies) {}

  // For any thread. As in `injector`.

  void push(handed& t) noexcept {
    bool const has_strategy = t.kind->offered != nullptr;
    if (has_strategy) ordered_.announce();
    has_strategy&& obeys_ ? ordered_.push(t) : line_.push(t);
  }
  /// The oldest of the line.
  [[nodiscard]] handed* pop() noexcept { return static_cast<handed*>(line_.pop()); }
  /// The same if is_wanted(it), else null.
  template <class IsWanted>
  [[nodiscard]] handed* pop_if(IsWanted const& is_wanted) noexcept {
    return static_cast<handed*>(
        line_.pop_if([&](injectable const& i) { return is_wanted(static_cast<handed const&>(i)); }));
  }
  template <class IsWanted>
  [[nodiscard]] handed* take_first(IsWanted const& is_wanted) noexcept {
    return static_cast<handed*>(
        line_.take_first([&](injectable const& i) { return is_wanted(static_cast<handed const&>(i)); }));
  }
  bool remove(handed& t) noexcept { return line_.remove(t) || ordered_.remove(t); }
  [[nodiscard]] bool looks_empty() const noexcept { return line_.looks_empty() && ordered_.looks_empty(); }
  /// False if a task waits, also one that a worker has moved to its lane `ordered`.
  [[nodiscard]] bool none_waits() const noexcept { return line_.looks_empty() && !ordered_.any_unbegun(); }

  [[nodiscard]] ordered_calls<>& ordered() noexcept { return ordered_; }

 private:
  injector<> line_;
  ordered_calls<> ordered_;
  bool const obeys_;
};

}}}  // namespace skua::v0::runtime
