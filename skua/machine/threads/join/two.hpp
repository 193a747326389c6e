// SPDX-License-Identifier: MIT
// The join of two: the second child lies in the parent's frame as a closure while the first runs. [ARCHITECTURE 3]
//
// Without a thief, a join costs no allocation, no stack switch, no atomic read-modify-write and no fence.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/join/fiber.hpp"
#include "skua/machine/threads/join/place_hint.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/program/children.hpp"

namespace skua::runtime {

/// How the second child's callable waits for a thief. A small, trivially copyable temporary is copied into the job,
/// which saves a store and lets the original stay in registers; anything else is referred to.
template <class G>
class held {
 public:
  explicit held(std::remove_reference_t<G>& g) noexcept : at_(std::addressof(g)) {}
  G&& get() noexcept { return std::forward<G>(*at_); }

 private:
  std::remove_reference_t<G>* at_;
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
class forked final : public group {
 public:
  using value_type = value_of<G, Here&>;

  forked(Hint hint, std::remove_reference_t<G>& second, stop_node const* s) noexcept
      : group(&kind, 2, s), second_(second), place_(place_in(hint)) {}
  forked(forked const&) = delete;
  forked& operator=(forked const&) = delete;
  ~forked() {}  // whoever took the union's member has destroyed it

  /// The second child's callable, for its owner.
  G&& callable() noexcept { return second_.get(); }

  /// The first child has returned and the second was stolen: returns its value, or throws its exception.
  [[gnu::cold, gnu::noinline]] value_type taken(Here& here) {
    here.wait_stolen(*this, 1);
    std::uint64_t const state = flags();
    if ((state & failed) != 0) rethrow_theirs();
    if ((state & dropped) != 0) throw cancelled{};
    std::unique_ptr<value_type, destroyer> const guard(std::addressof(value_));
    return std::move(value_);
  }

  /// The first child has thrown, and we are in its handler. Drops the second child, or ends it and waits; then
  /// rethrows. The first real exception wins, and a real one wins over `cancelled`.
  [[noreturn, gnu::cold, gnu::noinline]] void first_threw(Here& here) {
    if (here.pop()) throw;
    bool const they_were_first = (raise(abandoned) & failed) != 0;
    here.raise_alarm();
    end_stolen(here, they_were_first || is_cancellation());
    throw;
  }

  /// poll() said stop before the first child began.
  [[noreturn, gnu::cold, gnu::noinline]] void give_up(Here& here) {
    if (!here.pop()) {
      raise(abandoned);
      end_stolen(here, true);
    }
    throw cancelled{};
  }

 private:
  struct destroyer {
    void operator()(value_type* v) const noexcept { std::destroy_at(v); }
  };

  static void run_stolen(task& t, std::uint64_t, here& on) noexcept {
    auto& self = static_cast<forked&>(t);
    auto& thief = static_cast<Here&>(on);
    stop_node const node{self.stop, &self, nullptr, nullptr, self.place_.place()};
    thief.watch(&node);
    std::uint64_t outcome = dropped;
    if (!node.requested()) {
      try {
        ::new (static_cast<void*>(std::addressof(self.value_))) value_type(call(self.second_.get(), thief));
        outcome = 0;
      } catch (cancelled const&) {
        outcome = dropped;
      } catch (...) {
        ::new (static_cast<void*>(std::addressof(self.error_))) std::exception_ptr(std::current_exception());
        outcome = failed;
      }
    }
    thief.task_ends();
    thief.finish(self, 1, outcome);
  }

  static hint hint_of(task const& t, std::uint64_t) noexcept {
    auto const& self = static_cast<forked const&>(t);
    return self.place_.is_given() ? as_hint(at{self.place_.place()}) : stop_node::inherited(self.stop);
  }
  static constexpr task_kind kind{.run = &forked::run_stolen, .hint_of = &forked::hint_of};

  /// The second child was stolen and nobody wants its value: waits for it. Throws its exception if it `wins`.
  void end_stolen(Here& here, bool wins) {
    here.wait_stolen(*this, 1);
    std::uint64_t const state = flags();
    if ((state & failed) != 0) {
      if (wins) rethrow_theirs();
      std::destroy_at(std::addressof(error_));
    } else if ((state & dropped) == 0) {
      std::destroy_at(std::addressof(value_));
    }
  }

  [[noreturn]] void rethrow_theirs() {
    std::exception_ptr const theirs = std::move(error_);
    std::destroy_at(std::addressof(error_));
    std::rethrow_exception(theirs);
  }

  /// Is the exception that is being handled a `cancelled`?
  static bool is_cancellation() noexcept {
    try {
      throw;
    } catch (cancelled const&) {
      return true;
    } catch (...) {
      return false;
    }
  }

  held<G> second_;
  [[no_unique_address]] decltype(place_in(std::declval<Hint>())) place_;
  union {
    value_type value_;
    std::exception_ptr error_;
  };
};

template <class Here, class Hint, class F, class Second>
[[gnu::always_inline]] inline value_of<F, Here&> first_of_two(Here& here, Hint hint, F&& f, Second& second) {
  try {
    return call_at(here, hint, std::forward<F>(f));
  } catch (...) {
    second.first_threw(here);
  }
}

template <class Here, class F, class G>
[[gnu::cold, gnu::noinline]] auto join_serially(Here& here, F&& f, G&& g) {
  auto first = call(std::forward<F>(f), here);
  return values(std::move(first), call(std::forward<G>(g), here));
}

/// join(f, g) of two children on threads: calls f; then calls g, or waits for the thief that has it.
template <class Here, class HintF, class F, class HintG, class G>
[[gnu::always_inline]] inline auto join_two(Here& here, child<HintF, F> const& f, child<HintG, G> const& g) {
  forked<Here, HintG, G> second(g.hint, g.function, here.watching());
  if (here.push(second)) [[unlikely]] {
    switch (here.poll()) {
      case advice::go_on: break;
      case advice::expose:
        if (here.pop()) {
          return here.template join_exposed<F, G>(f.hint, g.hint, held<F>(f.function), held<G>(g.function));
        }
        break;  // it was stolen: too late to expose the group
      case advice::stop: second.give_up(here);
      case advice::full:
        if (here.pop()) return join_serially(here, std::forward<F>(f.function), second.callable());
        break;  // it was stolen, so there is room again
    }
  }
  auto first = first_of_two(here, f.hint, std::forward<F>(f.function), second);
  if (here.pop()) [[likely]]
    return values(std::move(first), call_at(here, g.hint, second.callable()));
  return values(std::move(first), second.taken(here));
}

}  // namespace skua::runtime
