// SPDX-License-Identifier: MIT
// A scope: children found on the way. The body goes on while its children lie in the worker's `spawned` lane; at the
// end the owner runs what nobody took, newest first, and waits for the rest. One allocation per child.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/join/fiber.hpp"
#include "skua/machine/threads/join/first_exception.hpp"
#include "skua/machine/threads/placement/exposed_group.hpp"
#include "skua/program/hint.hpp"

namespace skua::runtime {

/// All of a scope that does not depend on what its children are: scope.cpp.
/// Children are counted below zero by thieves while the body runs, and the owner adds what it forked and did not run
/// itself when it starts to wait: zero is reached once, by whoever comes last. (group.md, "scopes")
class scope_group : public runtime::group {
 public:
  explicit scope_group(runtime::here& owner) noexcept;
  scope_group(scope_group const&) = delete;
  scope_group& operator=(scope_group const&) = delete;

  /// The body has returned: end all children, then throw what the first failing one threw.
  void finish();

  /// After the children have ended: throws what the first failing one threw, if one did.
  void rethrow_failure() { first_.rethrow(); }

  /// The body has thrown: children end early; theirs is not the first exception.
  void abandon() noexcept;

 protected:
  /// On the heap. It is destroyed before the scope is told that it has ended.
  struct child : runtime::task {
    child(scope_group& s, hint const& h, void (*c)(child&, runtime::here&), void (*d)(child*) noexcept) noexcept
        : task{&kind}, in(s), hinted(h), call(c), destroy(d) {}
    scope_group& in;
    hint hinted;
    void (*call)(child&, runtime::here&);
    void (*destroy)(child*) noexcept;
  };
  /// It may be taken from now on.
  void add(child& c);

 private:
  // The count lives above this bias, so that thieves can subtract before the owner adds.
  static constexpr std::uint64_t bias = std::uint64_t{1} << 47;

  static hint hint_of(runtime::task const& t, std::uint64_t) noexcept;
  /// extra == 0: called by the owner at the end of the scope; otherwise taken from a lane.
  static void run_task(runtime::task& t, std::uint64_t extra, runtime::here& on) noexcept;
  static runtime::task_kind const kind;

  void call_child(runtime::here& runner, child& c, runtime::stop_node const& node) noexcept;
  void end_children() noexcept;
  [[gnu::cold, gnu::noinline]] void poll();
  bool run_newest() noexcept;

  [[nodiscard]] std::uint64_t key() const noexcept { return reinterpret_cast<std::uintptr_t>(this); }

  runtime::here& owner_;
  runtime::exposed_scope shown_;
  std::uint64_t forked_ = 0;  ///< children that the owner has neither run nor seen finished
  runtime::first_exception first_;
};

}  // namespace skua::runtime

namespace skua::runtime {

template <class Here>
class scope final : public runtime::scope_group {
 public:
  using scope_group::scope_group;

  /// f(here&) runs once, now or later, here or elsewhere, before the scope returns. Only the body calls this, on its
  /// own fiber; children that find more work open scopes of their own. Throws std::bad_alloc; then f does not run.
  template <class F>
    requires std::invocable<std::decay_t<F>&, Here&>
  void fork(F&& f) {
    fork(hint{}, std::forward<F>(f));
  }
  /// The same, with what is known of the child.
  template <hint_word Hint, class F>
    requires std::invocable<std::decay_t<F>&, Here&>
  void fork(Hint hint, F&& f) {
    add(*new child_of<std::decay_t<F>>(*this, as_hint(hint), std::forward<F>(f)));
  }

 private:
  template <class F>
  struct child_of final : child {
    template <class G>
    child_of(scope& s, hint const& h, G&& g) : child(s, h, &call_function, &end), function(std::forward<G>(g)) {}
    F function;

    static void call_function(child& self, here& on) { static_cast<child_of&>(self).function(static_cast<Here&>(on)); }
    static void end(child* self) noexcept { delete static_cast<child_of*>(self); }
  };
};

}  // namespace skua::runtime
