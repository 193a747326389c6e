// SPDX-License-Identifier: MIT
// A strategy: a small value that a program gives with a task. It defines the order in which tasks run and are stolen,
// the weight of the task, and more. Each function is optional, and none binds the scheduler. [strategies-2013 2]
//
//     struct by_bound {
//       int lower, estimate;
//       bool prioritize(by_bound const& other, skua::strategies::requester const& by) const {
//         return by.steals ? estimate - lower > other.estimate - other.lower : estimate < other.estimate;
//       }
//       // Instead of prioritize: smaller keys first. Called once per queue that the task enters. If a class declares both, key
//       // counts; what a derived class declares counts before what it inherits.
//       double key(skua::strategies::requester const& by) const;
//       // The urgency among the tasks of this type of all workers, smaller first: a worker then runs a more urgent task of
//       // another worker before its own, as the policy allows. If missing: own tasks come first.
//       double global_key() const;
//       // The weight of the task and all tasks that it will spawn, in tasks. If missing: 1.
//       double transitive_weight() const;
//       // True if a spawn of this task may be a call. If missing: false.
//       bool allow_call_conversion() const;
//       // True if the task need not run any more. If missing: false. Called only while the task waits, and no other worker can
//       // take it: it may follow pointers to what the task owns.
//       bool is_dead() const;
//       // Called when the task is spawned: by which worker, and how many tasks that worker had spawned before.
//       void spawned(skua::worker_id at, std::uint64_t number);
//       // The same when the task is stolen, and may be stolen again.
//       void stolen(skua::worker_id by, std::uint64_t number);
//     };
//
// `using base = other_strategy;`, with by_bound derived from it, puts by_bound below other_strategy in the hierarchy:
// other_strategy then orders tasks of both types. Without `base` the base is the root, the default order: newest first
// for the own worker, oldest first for thieves.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "skua/parts/ordered/strategy_kind.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template <class S>
concept has_order = requires(S const& s, requester const& by) {
  { s.prioritize(s, by) } -> std::convertible_to<bool>;
};
template <class S>
concept has_key = requires(S const& s, requester const& by) {
  { s.key(by) } -> std::convertible_to<double>;
};
template <class S>
concept has_global_key = requires(S const& s) {
  { s.global_key() } -> std::convertible_to<double>;
};
template <class S>
concept has_weight = requires(S const& s) {
  { s.transitive_weight() } -> std::convertible_to<double>;
};
template <class S>
concept has_conversion = requires(S const& s) {
  { s.allow_call_conversion() } -> std::convertible_to<bool>;
};
template <class S>
concept has_death = requires(S const& s) {
  { s.is_dead() } -> std::convertible_to<bool>;
};
template <class S>
concept has_spawned = requires(S& s) { s.spawned(worker_id{}, std::uint64_t{}); };
template <class S>
concept has_stolen = requires(S& s) { s.stolen(worker_id{}, std::uint64_t{}); };
template <class S>
concept has_base = requires { typename S::base; };

/// Laws that the compiler cannot check: `prioritize` is a strict weak order while the tasks wait; if it is not, only
/// the order of tasks is wrong. Any worker may call it, even for tasks that have ended, so it must not follow pointers
/// to objects that a task owns. It must not fork or wait.
template <class S>
concept strategy =
    std::is_trivially_copyable_v<S> && sizeof(S) <= strategy_value_bytes && alignof(S) <= alignof(std::max_align_t) &&
    (has_order<S> || has_key<S> || has_global_key<S> || has_weight<S> || has_conversion<S> || has_death<S>);

/// True for a member function: a data member called `key` is no function of a strategy.
template <auto Member>
inline constexpr bool is_function = std::is_member_function_pointer_v<decltype(Member)>;
template <class S>
concept names_order = requires { requires is_function<&S::prioritize>; };
template <class S>
concept names_key = requires { requires is_function<&S::key>; };
template <class S>
concept names_global_key = requires { requires is_function<&S::global_key>; };
template <class S>
concept names_weight = requires { requires is_function<&S::transitive_weight>; };
template <class S>
concept names_conversion = requires { requires is_function<&S::allow_call_conversion>; };
template <class S>
concept names_death = requires { requires is_function<&S::is_dead>; };
template <class S>
concept names_spawned = requires { requires is_function<&S::spawned>; };
template <class S>
concept names_stolen = requires { requires is_function<&S::stolen>; };

/// Fails to compile, with a sentence, at the first mistake in S. Without this check a strategy's function with other
/// parameters or without const would silently never be called.
template <class S>
constexpr void check_strategy() noexcept {
  if constexpr (!std::is_trivially_copyable_v<S>) {
    static_assert(std::is_trivially_copyable_v<S>, "strategy: not trivially copyable; thieves copy it as bytes");
  } else if constexpr (sizeof(S) > strategy_value_bytes || alignof(S) > alignof(std::max_align_t)) {
    static_assert(sizeof(S) <= strategy_value_bytes, "strategy: too large; it has 40 bytes at most");
    static_assert(alignof(S) <= alignof(std::max_align_t), "strategy: aligned more strictly than max_align_t");
  } else if constexpr (names_order<S> && !has_order<S>) {
    static_assert(has_order<S>,
                  "strategy: expected bool prioritize(S const&, skua::strategies::requester const&) const");
  } else if constexpr (names_key<S> && !has_key<S>) {
    static_assert(has_key<S>, "strategy: expected double key(skua::strategies::requester const&) const");
  } else if constexpr (names_global_key<S> && !has_global_key<S>) {
    static_assert(has_global_key<S>, "strategy: expected double global_key() const");
  } else if constexpr (names_weight<S> && !has_weight<S>) {
    static_assert(has_weight<S>, "strategy: expected double transitive_weight() const");
  } else if constexpr (names_conversion<S> && !has_conversion<S>) {
    static_assert(has_conversion<S>, "strategy: expected bool allow_call_conversion() const");
  } else if constexpr (names_death<S> && !has_death<S>) {
    static_assert(has_death<S>, "strategy: expected bool is_dead() const");
  } else if constexpr (names_spawned<S> && !has_spawned<S>) {
    static_assert(has_spawned<S>, "strategy: expected void spawned(skua::worker_id, std::uint64_t)");
  } else if constexpr (names_stolen<S> && !has_stolen<S>) {
    static_assert(has_stolen<S>, "strategy: expected void stolen(skua::worker_id, std::uint64_t)");
  } else {
    static_assert(strategy<S>,
                  "spawn: takes [a hint], [a strategy] and a task, in this order; a strategy has one function "
                  "at least of those in strategy.hpp");
  }
}
static_assert(strategy_value_bytes == 40, "the sentence above says so");

template <class Member, class Class>
std::type_identity<Class> class_of(Member Class::*);
/// True if pointers to S's prioritize and key name the classes that declare them. They do not if the function is overloaded, a template
/// or static.
template <class S>
concept shows_order_class = requires { class_of(&S::prioritize); };
template <class S>
concept shows_key_class = requires { class_of(&S::key); };

/// True if S declares the function below its base, as far as the compiler can tell: what does not show its class counts as inherited
/// if the base has such a function.
template <class S>
constexpr bool declares_order() noexcept {
  if constexpr (shows_order_class<S>) {
    return !std::derived_from<typename S::base, typename decltype(class_of(&S::prioritize))::type>;
  } else {
    return !has_order<typename S::base>;
  }
}
template <class S>
constexpr bool declares_key() noexcept {
  if constexpr (shows_key_class<S>) {
    return !std::derived_from<typename S::base, typename decltype(class_of(&S::key))::type>;
  } else {
    return !has_key<typename S::base>;
  }
}

/// True if the tasks of S are ordered by key: of prioritize and key, the more derived class declares key, or one class declares both.
template <class S>
constexpr bool ordered_by_key() noexcept {
  if constexpr (!has_order<S> || !has_key<S>) {
    return has_key<S>;
  } else if constexpr (shows_order_class<S> && shows_key_class<S>) {
    using with_order = typename decltype(class_of(&S::prioritize))::type;
    using with_key = typename decltype(class_of(&S::key))::type;
    return std::same_as<with_order, with_key> || !std::derived_from<with_order, with_key>;
  } else if constexpr (has_base<S>) {
    return declares_key<S>() || (!declares_order<S>() && ordered_by_key<typename S::base>());
  } else {
    return true;
  }
}

template <strategy S>
[[nodiscard]] constexpr strategy_kind const* kind_of() noexcept;

template <strategy S>
struct strategy_table {
  static bool prioritize(void const* a, void const* b, requester const& by) {
    return static_cast<S const*>(a)->prioritize(*static_cast<S const*>(b), by);
  }
  static double key(void const* value, requester const& by) { return static_cast<S const*>(value)->key(by); }
  static double global_key(void const* value) { return static_cast<S const*>(value)->global_key(); }
  static void const* as_base(void const* value) noexcept {
    return static_cast<typename S::base const*>(static_cast<S const*>(value));
  }
  static bool is_dead(void const* value) { return static_cast<S const*>(value)->is_dead(); }
  static void spawned(void* value, worker_id at, std::uint64_t number) { static_cast<S*>(value)->spawned(at, number); }
  static void stolen(void* value, worker_id by, std::uint64_t number) { static_cast<S*>(value)->stolen(by, number); }

  static constexpr strategy_kind make() noexcept {
    strategy_kind made;
    if constexpr (has_base<S>) {
      static_assert(std::derived_from<S, typename S::base>, "strategy: `base` is a base class of it");
      made.base = kind_of<typename S::base>();
      made.as_base = &as_base;
    }
    if constexpr (has_order<S>) made.prioritize = &prioritize;
    if constexpr (ordered_by_key<S>()) made.key = &key;
    if constexpr (has_global_key<S>) made.global_key = &global_key;
    if constexpr (has_death<S>) made.is_dead = &is_dead;
    if constexpr (has_spawned<S>) made.spawned = &spawned;
    if constexpr (has_stolen<S>) made.stolen = &stolen;
    return made;
  }
  static constexpr strategy_kind kind = make();
};

/// The kind of a strategy type; null for a type that only gives weights, whose tasks belong to the root.
template <strategy S>
constexpr strategy_kind const* kind_of() noexcept {
  constexpr bool is_of_root = !has_order<S> && !has_key<S> && !has_global_key<S> && !has_death<S> && !has_spawned<S> &&
                              !has_stolen<S> && !has_base<S>;
  return is_of_root ? nullptr : &strategy_table<S>::kind;
}

/// The weight of a task and all tasks that it will spawn, in tasks: 1 if it is missing, below 1 or NaN.
template <class S>
[[nodiscard]] std::uint64_t weight_of(S const& s) {
  if constexpr (has_weight<S>) {
    constexpr double most = 1e12;  // a million of these can be added
    auto const weight = static_cast<double>(s.transitive_weight());
    if (!(weight > 1)) return 1;
    return static_cast<std::uint64_t>(weight < most ? weight : most);
  } else {
    return 1;
  }
}
template <class S>
[[nodiscard]] bool allows_call(S const& s) {
  if constexpr (has_conversion<S>) return s.allow_call_conversion();
  return false;
}

/// The strategy of a task without one: the root's order.
struct no_strategy {
  [[nodiscard]] static constexpr double transitive_weight() noexcept { return 1; }
};

/// A function that a finish region can spawn; it is called as f(region).
template <class F, class Region>
concept spawnable = std::invocable<std::decay_t<F>&, Region&>;

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::strategy;

namespace strategies {

using runtime::requester;

}  // namespace strategies
}}  // namespace skua::v0
