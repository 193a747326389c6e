// SPDX-License-Identifier: MIT
// The join of two: the second child lies in the parent's frame as a closure while the first runs. Its states: group.md.
//
// Without a thief, a join costs no allocation, no stack switch, no atomic read-modify-write and no fence. The paths
// after a steal are compiled once (second_child.cpp): a program compiles the hot path, and a call of each child.
//
// The join is a function of its own, never inlined into its caller: it has the frame, the landing pad and the spilled
// registers that a fork needs. So the caller stays small enough for compilers to inline it, its test for a leaf above
// all, into the calls of its children: a recursion without cut-off then costs no call for a leaf.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/fork/fiber/fiber.hpp"
#include "skua/machine/threads/fork/join/many.hpp"
#include "skua/machine/threads/fork/join/place_hint.hpp"
#include "skua/machine/threads/fork/join/second_child.hpp"
#include "skua/parts/base/type_text.hpp"
#include "skua/program/children.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// How the second child's callable waits for a thief. A small, trivially copyable temporary is copied into the job,
/// which saves a store and lets the original stay in registers; anything else is referred to.
template <class G>
class held {
 public:
  explicit held(std::remove_reference_t<G>& g) noexcept : function_(std::addressof(g)) {}
  G&& get() noexcept { return std::forward<G>(*function_); }

 private:
  std::remove_reference_t<G>* function_;
};

template <class G>
  requires(!std::is_reference_v<G> && std::is_trivially_copyable_v<G> && sizeof(G) <= 2 * sizeof(void*))
class held<G> {
 public:
  explicit held(G const& g) noexcept : copy_(g) {}
  G&& get() noexcept { return std::move(copy_); }

 private:
  G copy_;
};

/// The second child of a join, ready to be stolen. The group counts two children: the first (the owner's) and this one.
template <class Here, class Hint, class G>
class forked final : public second_child {
 public:
  using value_type = value_of<G, Here&>;

  forked(Hint hint, held<G> second, word_of_two first) noexcept
      : second_child(kind, first), second_(second), place_(place_in(hint)) {}
  forked(forked const&) = delete;
  forked& operator=(forked const&) = delete;
  ~forked() {}  // the taker of the union's member has destroyed it

  /// Offers the child to thieves. True: call comes_back.
  [[nodiscard]] bool push(Here& here) noexcept {
    return forks_of(here).push(join_slot(here), static_cast<task*>(this));
  }
  /// Takes it back; false if it was stolen.
  [[nodiscard]] bool pop(Here& here) noexcept { return forks_of(here).pop(join_slot(here)); }

  /// The second child's callable, for its owner.
  G&& callable() noexcept { return second_.get(); }
  /// The same, as it was given to the constructor.
  [[nodiscard]] held<G> function() const noexcept { return second_; }

  /// The first child has returned and the second was stolen: returns its value, or throws its exception.
  [[gnu::cold, gnu::noinline]] static value_type taken(open_join<>& self, Here& here) {
    auto& stolen = static_cast<forked&>(self);
    stolen.wait_stolen(fiber_of(here));
    struct destroyer {
      value_type& value;
      ~destroyer() { std::destroy_at(std::addressof(value)); }
    } const at_end{stolen.value_};
    return std::move(stolen.value_);
  }

 private:
  static void call_child(second_child& self, fiber& thief) {
    auto& mine = static_cast<forked&>(self);
    ::new (static_cast<void*>(std::addressof(mine.value_))) value_type(call(mine.second_.get(), here_of(thief)));
  }
  static void destroy(second_child& self) noexcept {
    std::destroy_at(std::addressof(static_cast<forked&>(self).value_));
  }
  static place_id place_of(second_child const& self) noexcept {
    return static_cast<forked const&>(self).place_.place();
  }

  static char const* name_of(task const&) noexcept { return task_text<G>(); }

  static constexpr second_kind kind{
      task_kind{.run = &forked::run_stolen, .hint_of = &forked::hint_of, .name_of = &forked::name_of},
      &forked::call_child, std::is_trivially_destructible_v<value_type> ? nullptr : &forked::destroy,
      may_hint_place<Hint> ? &forked::place_of : nullptr};

  held<G> second_;
  [[no_unique_address]] decltype(place_in(std::declval<Hint>())) place_;
  union {
    value_type value_;
  };
};

template <class Here, class Hint, class F, class Second>
[[gnu::always_inline]] inline value_of<F, Here&> first_of_two(Here& here, Hint hint, F&& f, Second& second) {
  try {
    return call_at(inside(here), hint, std::forward<F>(f));
  } catch (...) {
    second_child::first_threw(second, join_slot(here));
  }
}

/// What a join returns, in registers where its parts allow that; `values` makes the user's tuple of it.
template <class First, class Second>
struct two_values {
  [[no_unique_address]] First first;
  [[no_unique_address]] Second second;
};
template <class Here, class F, class G>
using values_of_two = two_values<value_of<F, Here&>, value_of<G, Here&>>;

/// join(f, g) if the policy wants to see the group, or if there is no memory for forks: runs it as a group of numbered
/// children.
template <class F, class G, class Here, class HintF, class HintG>
[[gnu::cold, gnu::noinline]] values_of_two<Here, F, G> join_as_group(Here& here, HintF hint_f, HintG hint_g, held<F> f,
                                                                     held<G> g) {
  using first = numbered_child<Here, HintF, F>;
  using second = numbered_child<Here, HintG, G>;
  joined_children<Here, first, second> all{first{hint_f, f.get()}, second{hint_g, g.get()}};
  run_group(fiber_of(here), all, 2);
  return {all.template take<0>(), all.template take<1>()};
}

/// Forks g, calls f; then calls g, or waits for the thief that has it. Part of a function that is not inlined.
template <class F, class G, class Here, class HintF, class HintG>
[[gnu::always_inline]] inline values_of_two<Here, F, G> fork_and_join_here(Here& here, HintF hint_f, HintG hint_g,
                                                                           held<F> f, held<G> g) {
  using second_type = forked<Here, HintG, G>;
  second_type second(hint_g, g, forks_of(here).word);
  if (second.push(here)) [[unlikely]] {
    if (second_child::comes_back(second, join_slot(here)))
      return join_as_group<F, G>(here, hint_f, hint_g, f, second.function());
  }
  auto first = first_of_two(here, hint_f, f.get(), second);
  if (second.pop(here)) [[likely]]
    return {std::move(first), call_at(here, hint_g, second.callable())};
  return {std::move(first), second_type::taken(second, here)};
}

template <class F, class G, class Here, class HintF, class HintG>
[[gnu::noinline]] values_of_two<Here, F, G> fork_and_join(Here& here, HintF hint_f, HintG hint_g, held<F> f,
                                                          held<G> g) {
  return fork_and_join_here<F, G>(here, hint_f, hint_g, f, g);
}

/// join(f, g) of two children on threads.
template <class Here, class HintF, class F, class HintG, class G>
[[gnu::always_inline]] inline auto join_two(Here& here, child<HintF, F> const& f, child<HintG, G> const& g) {
  auto both = fork_and_join<F, G>(here, f.hint, g.hint, held<F>(f.function), held<G>(g.function));
  return values(std::move(both.first), std::move(both.second));
}

}}}  // namespace skua::v0::runtime
