// SPDX-License-Identifier: MIT
// A scope, for children whose number is not known in advance. The body continues while its children lie in the worker's
// `spawned` lane; at the end the owner runs those that nobody took, newest first, and waits for the rest. One
// allocation per child.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/join/failure.hpp"
#include "skua/machine/threads/join/fiber.hpp"
#include "skua/machine/threads/placement/exposed_group.hpp"
#include "skua/program/children.hpp"
#include "skua/program/hint.hpp"

namespace skua::runtime {

/// The part of a scope that does not depend on the types of its children: scope.cpp.
///
/// Thieves subtract from the count while the body runs; when the owner starts to wait, it adds the children that it
/// forked and did not run itself. So the count reaches zero once, by whoever comes last. (group.md, "Scopes")
class scope_group : public group {
 public:
  explicit scope_group(here& owner) noexcept;
  scope_group(scope_group const&) = delete;
  scope_group& operator=(scope_group const&) = delete;

  /// The body has returned: ends all children, then throws the exception of the first that failed.
  void finish();

  /// Call this after the children have ended: throws the exception of the first that failed, if any did.
  void rethrow_failure() { first_.rethrow(); }

  /// The body has thrown: children end early, and their exceptions are not the first.
  void abandon() noexcept;

 protected:
  /// Lies on the heap. It is destroyed before the scope hears of its end.
  struct child : task {
    child(scope_group& s, hint const& h, void (*c)(child&, here&), void (*d)(child*) noexcept) noexcept
        : task{&kind}, in(s), hinted(h), call(c), destroy(d) {}
    scope_group& in;
    hint hinted;
    void (*call)(child&, here&);
    void (*destroy)(child*) noexcept;
  };
  /// Offers the child: from now on it may be taken.
  void add(child& c);

 private:
  // The count starts at this bias, so that thieves can subtract before the owner adds.
  static constexpr std::uint64_t bias = std::uint64_t{1} << 47;

  static hint hint_of(task const& t, std::uint64_t) noexcept;
  /// extra == 0: the owner runs it at the end of the scope; otherwise it was taken from a lane.
  static void run_task(task& t, std::uint64_t extra, here& on) noexcept;
  static task_kind const kind;

  void call_child(here& runner, child& c, stop_node const& node) noexcept;
  void end_children() noexcept;
  [[gnu::cold, gnu::noinline]] void poll();
  bool run_newest() noexcept;

  [[nodiscard]] std::uint64_t key() const noexcept { return reinterpret_cast<std::uintptr_t>(this); }

  here& owner_;
  exposed_scope exposed_;
  std::uint64_t forked_ = 0;  ///< children that the owner forked and did not run itself
  first_exception first_;
};

template <class Here>
class scope final : public scope_group {
 public:
  using scope_group::scope_group;

  /// Runs f(here&) once, now or later, here or elsewhere, before the scope returns. Only the body may call this, on its
  /// own fiber; children that find more work open their own scopes. Throws std::bad_alloc; then f does not run.
  template <class F>
    requires forkable<F, Here>
  void fork(F&& f) {
    fork(hint{}, std::forward<F>(f));
  }
  /// The same, with a hint.
  template <hint_word Hint, class F>
    requires forkable<F, Here>
  void fork(Hint hint, F&& f) {
    add(*new child_of<std::decay_t<F>>(*this, as_hint(hint), std::forward<F>(f)));
  }

 private:
  template <class F>
  struct child_of final : child {
    template <class G>
    child_of(scope& s, hint const& h, G&& g) : child(s, h, &call_function, &end), function(std::forward<G>(g)) {}
    F function;

    static void call_function(child& self, here& on) {
      call_forked(static_cast<Here&>(on), std::move(static_cast<child_of&>(self).function));
    }
    static void end(child* self) noexcept { delete static_cast<child_of*>(self); }
  };
};

}  // namespace skua::runtime
