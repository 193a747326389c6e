// SPDX-License-Identifier: MIT
// The overloads of `spawn` in a finish region, for every machine: a task, with a strategy, a place hint, or both.
#pragma once

#include <type_traits>
#include <utility>

#include "skua/program/flow/team.hpp"
#include "skua/program/hint.hpp"
#include "skua/program/strategy/strategy.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The place hint of a spawned task. Of a hint word only the place counts, because the strategy gives the weight.
template <class Hint>
concept spawn_hint = hint_word<Hint> && !strategy<Hint>;

/// Each spawn calls `add_task(hint, strategy, f)` of Derived once.
template <class Derived>
class spawn_forms {
 public:
  /// Starts a task: some worker calls f(region) once before the region ends, or the region drops it after a failure or
  /// a stop. Throws std::bad_alloc and what copying f or its strategy throws; then f does not run. Cost: one
  /// allocation.
  template <class F>
  void spawn(F&& f) {
    spawn(hint{}, no_strategy{}, std::forward<F>(f));
  }
  /// The same with a strategy: a trivially copyable value with at least one of a strategy's functions (strategy.hpp).
  template <strategy S, class F>
  void spawn(S const& s, F&& f) {
    spawn(hint{}, s, std::forward<F>(f));
  }
  /// The same for a task whose data are at a place: `at{p}`. Tasks that the task forks and spawns inherit the place.
  /// The default order counts it as a task of that place, and the scheduler converts the spawn to a call only on that
  /// place. [strategies-2013 2]
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

  /// Does not compile: the error message says what is wrong with the strategy.
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

  /// Spawns a task that may run on several workers: each calls body(team), with its own team.member(). When all have
  /// returned, one of them calls done(region). If the scheduler or the machine has no teams, one worker calls body with
  /// a team of one. [arms-2021 3.2.1]
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

  /// True if the running task may call a task with this hint inline, as its last action, instead of spawning it. `may_be_team`: it
  /// would be spawned by spawn_team.
  [[nodiscard]] static constexpr bool keeps(hint const&, bool may_be_team) noexcept {
    return static_cast<void>(may_be_team), false;
  }

 protected:
  spawn_forms() = default;
  ~spawn_forms() = default;
};

}}}  // namespace skua::v0::runtime
