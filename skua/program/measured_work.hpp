// SPDX-License-Identifier: MIT
// Work hints from measurements. A program that forks the same group in each iteration keeps a `work::measured` for it;
// the time that each child took last replaces a missing work hint. The future work of ADWS [adws-sc19 6].
// Design: measured_work.md.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "skua/parts/base/announced_atomic.hpp"
#include "skua/parts/base/durations.hpp"
#include "skua/parts/base/ranges.hpp"
#include "skua/program/children.hpp"
#include "skua/program/clock.hpp"
#include "skua/program/fork_join.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The times that the children of one group took last, by child number. Programs write `work::measured`. One group at a
/// time uses the object; a group that begins meanwhile, for example in a child that uses the same object, runs without
/// measurements.
///
/// Extra cost over a plain group: per child two readings of the clock (about 50 ns together) and 56 bytes; for the
/// owner O(n) before and after the group. hint_of is called once per child, before the group begins.
class measured_work {
 public:
  measured_work() = default;
  measured_work(measured_work const&) = delete;
  measured_work& operator=(measured_work const&) = delete;

  /// here.join_each(range, body) with measured work as hints. Calls body(here, element), or body(here, element, below),
  /// where `below` is the child's own measured_work, for the one group that the child forks itself. Of the time that
  /// the child spends in that group, only the work of the group's children counts as the child's work.
  template <fork_join Here, divisible_range Range, class Body>
  void join_each(Here& here, Range&& range, Body&& body) {
    join_each(here, std::forward<Range>(range), [](auto&&) { return hint{}; }, std::forward<Body>(body));
  }
  /// The same with some hints given: uses the work that hint_of returns, scaled to the measured work of the others.
  template <fork_join Here, divisible_range Range, class HintOf, class Body>
  void join_each(Here& here, Range&& range, HintOf&& hint_of, Body&& body) {
    auto const first = std::ranges::begin(range);
    auto const n = static_cast<std::size_t>(std::ranges::size(range));
    auto const at = [&](std::size_t i) -> decltype(auto) { return first[static_cast<difference_of<Range>>(i)]; };
    claim const mine{*this};
    if (!mine) {
      return here.join_each(range, hint_of, [&](auto& h, auto&& x) {
        measured_work nobodys;
        call_with(&nobodys, body, h, x);
      });
    }
    std::span<slot> const children = make_room(n);
    for (std::size_t i = 0; i < n; ++i) children[i].hinted = element_hint(hint_of(at(i)));
    begin_group(children);
    group_time<Here> const all{*this, here, children};
    here.join_each(
        children, [](slot const& s) { return s.hinted; },
        [&](auto& h, slot& s) { timed(h, s, body, at(static_cast<std::size_t>(&s - children.data()))); });
  }

  /// here.join([hint] f, [hint] g, ..) with measured work as hints. Calls f(here), or f(here, below). Values and
  /// exceptions as for here.join.
  template <fork_join Here, class... Args>
  auto join(Here& here, Args&&... args) {
    return std::apply([&](auto&&... c) { return join_children(here, c...); }, children_of(std::forward<Args>(args)...));
  }

  /// The time that child i took when it last completed; 0 if it is unknown. Must not be called while the group runs.
  [[nodiscard]] std::chrono::nanoseconds last(std::size_t i) const noexcept {
    return std::chrono::nanoseconds(i < slots_.size() ? slots_[i].last_ns : 0);
  }
  /// Discards all measurements. Must not be called while the group runs.
  template <class = void>
  void forget() noexcept {
    slots_.clear();
  }

 private:
  struct slot {
    hint hinted = {};
    std::int64_t last_ns = 0;              ///< 0: unknown
    std::int64_t now_ns = 0;               ///< written by the child, read after the group
    std::unique_ptr<measured_work> below;  ///< made by the child if it takes one
  };

  /// While it lives, the exclusive right to use the slots.
  class claim {
   public:
    // acquire: what the last group wrote. Pairs with: ~claim.
    explicit claim(measured_work& owner) noexcept
        : owner_(owner), got_(!owner.in_use_.exchange(true, std::memory_order_acquire)) {}
    ~claim() {
      // release: what this group wrote. Pairs with: claim.
      if (got_) owner_.in_use_.store(false, std::memory_order_release);
    }
    claim(claim const&) = delete;
    claim& operator=(claim const&) = delete;
    explicit operator bool() const noexcept { return got_; }

   private:
    measured_work& owner_;
    bool const got_;
  };

  /// Measures from before the fork to after the join, also if the join throws: then every child has ended or will never
  /// begin.
  template <class Here>
  class group_time {
   public:
    group_time(measured_work& owner, Here& here, std::span<slot> children) noexcept
        : owner_(owner), here_(here), children_(children), began_(time_at(here)) {}
    ~group_time() { owner_.end_group(children_, (time_at(here_) - began_).count()); }
    group_time(group_time const&) = delete;
    group_time& operator=(group_time const&) = delete;

   private:
    measured_work& owner_;
    Here& here_;
    std::span<slot> children_;
    std::chrono::nanoseconds began_;
  };

  template <class Body, class Here, class... X>
  static constexpr bool takes_below = std::invocable<Body&, Here&, X..., measured_work&>;

  template <class Body, class Here, class... X>
  static decltype(auto) call_with(measured_work* below, Body&& body, Here& h, X&&... x) {
    if constexpr (takes_below<Body, Here, X...>) {
      return body(h, std::forward<X>(x)..., *below);
    } else {
      return body(h, std::forward<X>(x)...);
    }
  }

  /// Runs and times a child: its own time, where the time in the group below it counts only with the work of that
  /// group's children. Does not measure a child that throws.
  template <class Here, class Body, class... X>
  static auto timed(Here& h, slot& s, Body& body, X&&... x) {
    if constexpr (takes_below<Body, Here, X...>) {
      if (!s.below) s.below = std::make_unique<measured_work>();
      s.below->in_groups_ns_ = s.below->worked_ns_ = 0;
    }
    std::chrono::nanoseconds const began = time_at(h);
    auto const note = [&] {
      std::int64_t ns = (time_at(h) - began).count();
      if (s.below) ns -= s.below->in_groups_ns_;
      // A slow worker takes longer for the same work. Without the test times beyond 2^53 ns would be rounded.
      if (double const speed = speed_at(h); speed < 1) ns = static_cast<std::int64_t>(static_cast<double>(ns) * speed);
      if (s.below) ns += s.below->worked_ns_;
      s.now_ns = std::max<std::int64_t>(ns, 1);
    };
    using value = decltype(call_with(s.below.get(), body, h, std::forward<X>(x)...));
    if constexpr (std::is_void_v<value>) {
      call_with(s.below.get(), body, h, std::forward<X>(x)...);
      note();
    } else {
      std::decay_t<value> result = call_with(s.below.get(), body, h, std::forward<X>(x)...);
      note();
      return result;
    }
  }

  template <class Here, class... Child>
  auto join_children(Here& here, Child&... c) {
    claim const mine{*this};
    if (!mine) {
      auto const plain = [](auto& f) {
        return [&f](auto& h) {
          measured_work nobodys;
          return call_with(&nobodys, f, h);
        };
      };
      return std::apply([&](auto&&... word) { return here.join(std::move(word)...); },
                        std::tuple_cat(std::tuple{as_hint(c.hint), plain(c.function)}...));
    }
    std::span<slot> const children = make_room(sizeof...(c));
    std::size_t i = 0;
    ((children[i++].hinted = as_hint(c.hint)), ...);
    begin_group(children);
    group_time<Here> const all{*this, here, children};
    auto const child = [](slot& s, auto& f) {
      return std::tuple{s.hinted, [&s, &f](auto& h) { return timed(h, s, f); }};
    };
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::apply([&](auto&&... word) { return here.join(std::move(word)...); },
                        std::tuple_cat(child(children[I], c.function)...));
    }(std::index_sequence_for<Child...>{});
  }

  // Templates, so that programs that measure nothing do not compile them.

  template <class Slot = slot>
  std::span<Slot> make_room(std::size_t n) {
    if (slots_.size() < n) slots_.resize(n);
    return {slots_.data(), n};
  }
  /// Completes the given hints with the measured ones.
  template <class Slot>
  static void begin_group(std::span<Slot> children) noexcept;
  template <class Slot>
  void end_group(std::span<Slot> children, std::int64_t took_ns) noexcept;

  std::vector<slot> slots_;        ///< never shrinks, so it keeps the time of a child that is missing for a while
  std::int64_t in_groups_ns_ = 0;  ///< from forks to joins, since the task that owns this object began
  std::int64_t worked_ns_ = 0;     ///< by the children of these groups
  runtime::announced_atomic<bool> in_use_{false};
};

template <class Slot>
void measured_work::begin_group(std::span<Slot> children) noexcept {
  auto const n = static_cast<double>(children.size());
  auto const is_given = [](Slot const& s) { return s.hinted.work && *s.hinted.work >= 0; };
  struct sum {
    double ns = 0;
    double hinted = 0;
    double count = 0;
  } measured, given, both;
  for (Slot& s : children) {
    s.now_ns = 0;
    auto const ns = static_cast<double>(s.last_ns);
    double const hinted = is_given(s) ? work_of(s.hinted) : 0;
    if (s.last_ns > 0) measured = {measured.ns + ns, 0, measured.count + 1};
    if (is_given(s)) given = {0, given.hinted + hinted, given.count + 1};
    if (s.last_ns > 0 && is_given(s)) both = {both.ns + ns, both.hinted + hinted, 0};
  }
  if (measured.count == 0 || given.count == n) return;  // nothing measured, or nothing missing
  double const mean_ns = measured.ns / measured.count;
  double ns_per_hinted = 0;
  if (both.hinted > 0) {
    ns_per_hinted = both.ns / both.hinted;
  } else if (given.hinted > 0) {
    ns_per_hinted = mean_ns / (given.hinted / given.count);
  }
  for (Slot& s : children) {
    double const ns = s.last_ns > 0 ? static_cast<double>(s.last_ns) : mean_ns;
    s.hinted.work = is_given(s) ? work_of(s.hinted) * ns_per_hinted : ns;
  }
}

template <class Slot>
void measured_work::end_group(std::span<Slot> children, std::int64_t took_ns) noexcept {
  in_groups_ns_ += took_ns;
  for (Slot& s : children) {
    worked_ns_ += s.now_ns;
    if (s.now_ns > 0) s.last_ns = s.now_ns;
  }
}

}}}  // namespace skua::v0::runtime
