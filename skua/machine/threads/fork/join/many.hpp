// SPDX-License-Identifier: MIT
// Joins of three children and more: a group of numbered children. The program compiles the owner's piece, which calls the
// children directly. The paths after a steal are compiled once (numbered_group.cpp). (group.md, "Pieces")
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/fork/join/numbered_group.hpp"
#include "skua/machine/threads/fork/join/place_hint.hpp"
#include "skua/parts/base/type_text.hpp"
#include "skua/program/children.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// As std::optional<nothing>, without its flag.
struct no_value {
  void emplace(nothing) noexcept {}
  nothing operator*() const noexcept { return {}; }
};

/// A child of a join, with its type, and its value once it has returned.
template <class Here, class Hint, class F>
struct numbered_child {
  using value_type = value_of<F, Here&>;

  Hint hint;
  F&& function;
  [[no_unique_address]] std::conditional_t<std::is_same_v<value_type, nothing>, no_value, std::optional<value_type>>
      value = {};

  void run(Here& here) { value.emplace(call_at(here, hint, std::forward<F>(function))); }

  static constexpr bool is_hinted = !std::is_same_v<Hint, unhinted>;
  [[nodiscard]] static char const* name() noexcept { return task_text<F>(); }
};

/// The children of a join, in its frame. In traces the first one gives the group its name.
template <class Here, class... Child>
class joined_children final : public numbered_children {
 public:
  explicit joined_children(Child&&... all) noexcept
      : numbered_children{&call_numbered, (Child::is_hinted || ...) ? &hint_of_numbered : nullptr,
                          std::tuple_element_t<0, std::tuple<Child...>>::name()},
        all_(std::move(all)...) {}

  template <std::size_t I>
  void run(Here& here) {
    std::get<I>(all_).run(here);
  }
  /// Once all have returned: the value of child I.
  template <std::size_t I>
  [[nodiscard]] auto take() {
    return *std::move(std::get<I>(all_).value);
  }
  /// The values of all, in order; void if every child returned void.
  auto take_all() {
    return std::apply([](Child&... each) { return values(*std::move(each.value)...); }, all_);
  }

 private:
  template <std::size_t I>
  static void run_one(joined_children& self, Here& here) {
    self.template run<I>(here);
  }
  template <std::size_t I>
  static hint hint_of_one(joined_children const& self) noexcept {
    return as_hint(std::get<I>(self.all_).hint);
  }

  static void call_numbered(numbered_children& self, std::uint64_t i, fiber& running) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      static constexpr std::array calls{&run_one<I>...};
      calls[i](static_cast<joined_children&>(self), here_of(running));
    }(std::index_sequence_for<Child...>{});
  }
  static hint hint_of_numbered(numbered_children const& self, std::uint64_t i) noexcept {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      static constexpr std::array hints{&hint_of_one<I>...};
      return hints[i](static_cast<joined_children const&>(self));
    }(std::index_sequence_for<Child...>{});
  }

  std::tuple<Child...> all_;
};

/// Runs the children as one group. The entry of the owner's piece stands for all children that have not begun, so while
/// the owner gets it back, no thief has come, and no other piece can have failed.
template <class Here, class... Child>
[[gnu::noinline]] void run_joined(Here& here, joined_children<Here, Child...>& all) {
  fiber& running = fiber_of(here);
  numbered_group group{all, sizeof...(Child), running.watching()};
  if (running.front().exposes_groups()) [[unlikely]]
    return group.run(running);
  std::uint64_t done = 0;  // children that this piece accounts for
  // Returns false if this piece has ended.
  auto const run_next = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    if constexpr (I + 1 < sizeof...(Child)) {
      fork_slot<>& at = join_slot(here);
      if (at.deque->push(at, static_cast<task*>(&group), I + 1)) [[unlikely]] {
        if (group.ends_at(at, done)) return false;
      }
      all.template run<I>(inside(here));
      done = I + 1;
      return at.deque->pop(at);
    } else {
      all.template run<I>(here);
      done = I + 1;
      return true;
    }
  };
  try {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      static_cast<void>((run_next(std::integral_constant<std::size_t, I>{}) && ...));
    }(std::index_sequence_for<Child...>{});
  } catch (...) {
    done = group.child_threw(join_slot(here), done);
  }
  group.end(running, done);
}

/// The join of three children or more. Returns their values, in order.
template <class Here, class... Child>
auto join_many(Here& here, Child&&... all) {
  joined_children<Here, std::remove_cvref_t<Child>...> children{std::move(all)...};
  run_joined(here, children);
  return children.take_all();
}

}}}  // namespace skua::v0::runtime
