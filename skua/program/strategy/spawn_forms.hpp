// SPDX-License-Identifier: MIT
// The forms of `spawn` in a finish region, for every machine: a task, with a strategy, a place hint, or both.
#pragma once

#include <type_traits>
#include <utility>

#include "skua/program/flow/team.hpp"
#include "skua/program/hint.hpp"
#include "skua/program/strategy/strategy.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The place hint of a spawned task; of any hint word only the place counts, because the weight of a task is said by its
/// strategy.
template <class Hint>
concept spawn_hint = hint_word<Hint> && !strategy<Hint>;

/// Derived has `add_task(hint, strategy, f)`, called once per spawn.
template <class Derived>
class spawn_forms {
 public:
  /// Runs f(region) once, at some time, on some worker, before the region ends, or drops it. Throws std::bad_alloc, and what
  /// copying f and its strategy throw; then f does not run. Cost: one block.
  template <class F>
  void spawn(F&& f) {
    spawn(hint{}, no_strategy{}, std::forward<F>(f));
  }
  /// The same with a strategy: any trivially copyable value with some of its functions (strategy.hpp).
  template <strategy S, class F>
  void spawn(S const& s, F&& f) {
    spawn(hint{}, s, std::forward<F>(f));
  }
  /// The same for a task whose data live at a place: `at{p}`. What the task forks and spawns inherits the place. It is a task
  /// of that place for the root's order, and never called where it is spawned if that is elsewhere. [strategies-2013 2]
  template <spawn_hint Hint, class F>
  void spawn(Hint h, F&& f) {
    spawn(h, no_strategy{}, std::forward<F>(f));
  }
  template <spawn_hint Hint, strategy S, class F>
  void spawn(Hint h, S const& s, F&& f) {
    check_strategy<S>();
    if constexpr (spawnable<F, Derived>) {
      static_cast<Derived&>(*this).add_task(as_hint(h), s, std::forward<F>(f));
    } else {
      static_assert(spawnable<F, Derived>, "spawn: a task is called as f(region)");
    }
  }

  /// Does not compile: says what is wrong with the strategy.
  template <class S, class F>
    requires(!strategy<S> && !spawn_hint<S>)
  void spawn(S const&, F&&) {
    check_strategy<S>();
  }
  template <spawn_hint Hint, class S, class F>
    requires(!strategy<S>)
  void spawn(Hint, S const&, F&&) {
    check_strategy<S>();
  }

  /// Spawns a task that may run on several workers: each calls body(team), with its own team.member(); when all have returned,
  /// one of them calls done(region). Where the scheduler or the machine has no teams, body is called once, with a team of one.
  /// [arms-2021 3.2.1]
  template <class Body, class Done>
  void spawn_team(hint const& h, Body&& body, Done&& done) {
    auto& self = static_cast<Derived&>(*this);
    if constexpr (requires { self.add_team(h, no_strategy{}, body, done); }) {
      self.add_team(h, no_strategy{}, std::forward<Body>(body), std::forward<Done>(done));
    } else {
      self.spawn(h, [body = std::decay_t<Body>(std::forward<Body>(body)),
                     done = std::decay_t<Done>(std::forward<Done>(done))](Derived& region) mutable {
        lone_team only;
        team mine(region.here(), only, 0);
        static_cast<void>(body(mine));
        static_cast<void>(done(region));
      });
    }
  }

  /// May the running task just as well call what it would spawn with this hint, as the last that it does?
  [[nodiscard]] static constexpr bool keeps(hint const&) noexcept { return false; }

 protected:
  spawn_forms() = default;
  ~spawn_forms() = default;
};

}}}  // namespace skua::v0::runtime
