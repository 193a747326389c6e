// SPDX-License-Identifier: MIT
// The serial elision: a `here` that only calls. The reference of every test, and the serial time of every benchmark.
#pragma once

#include <concepts>
#include <cstdint>
#include <stop_token>
#include <tuple>
#include <utility>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/ranges.hpp"
#include "skua/program/flow/call_team.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/strategy/serial_finish.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Every operation is a plain call on the calling thread, in the order of the program; hints and footprints cost
/// nothing. An exception leaves the join at once, so later siblings never start. One worker, number 0.
class serial {
 public:
  template <class... Args>
  constexpr auto join(Args&&... args) {
    // Braces: children are called left to right.
    return std::apply(
        [this](auto&&... c) {
          std::tuple<value_of<decltype(c.function), serial&>...> all{
              call(std::forward<decltype(c.function)>(c.function), *this)...};
          return std::apply([](auto&&... v) { return values(std::move(v)...); }, std::move(all));
        },
        children_of(std::forward<Args>(args)...));
  }

  template <random_access_range Range, class Body>
  constexpr void join_each(Range&& range, Body&& body) {
    for (auto&& element : range) body(*this, element);
  }
  template <random_access_range Range, class HintOf, class Body>
  constexpr void join_each(Range&& range, HintOf&&, Body&& body) {
    join_each(std::forward<Range>(range), std::forward<Body>(body));
  }

  class scope_type {
   public:
    explicit constexpr scope_type(serial& here) noexcept : here_(here) {}
    template <class F>
      requires forkable<F, serial>
    constexpr void spawn(F&& f) {
      call_forked(here_, std::forward<F>(f));
    }
    template <hint_word Hint, class F>
    constexpr void spawn(Hint, F&& f) {
      call_forked(here_, std::forward<F>(f));
    }

   private:
    serial& here_;
  };

  template <class Body>
  constexpr decltype(auto) scope(Body&& body) {
    scope_type s{*this};
    return std::forward<Body>(body)(s);
  }

  /// Tasks run after the body, in the order of their strategies (strategy/serial_finish.hpp).
  template <class Body>
  decltype(auto) finish(Body&& body) {
    return finish_serially(*this, std::forward<Body>(body));
  }

  /// Calls f(team) with a team of one, hints in front of it (flow/call_team.hpp). [arms-2021 3.2.1]
  template <class... Args>
  void team(Args&&... args) {
    call_team(*this, std::forward<Args>(args)...);
  }

  template <class... Args>
  constexpr decltype(auto) leaf(Args&&... args) {
    return call_kernel(std::forward<Args>(args)...);
  }

  template <class F>
  decltype(auto) with_stop(std::stop_token token, F&& f) {
    watched const inner{*this, std::move(token)};
    if (stop_requested()) throw cancelled{};
    return std::forward<F>(f)(*this);
  }

  [[nodiscard]] bool stop_requested() const noexcept {
    for (watched const* w = watched_; w != nullptr; w = w->outer) {
      if (w->token.stop_requested()) return true;
    }
    return false;
  }
  [[nodiscard]] constexpr worker_id worker() const noexcept { return worker_id{0}; }
  [[nodiscard]] constexpr std::uint32_t num_workers() const noexcept { return 1; }
  // For loops (pieces.hpp).
  [[nodiscard]] friend constexpr bool sees_forks(serial const&) noexcept { return false; }
  [[nodiscard]] friend constexpr bool may_be_stopped(serial const& h) noexcept { return h.watched_ != nullptr; }

 private:
  /// The tokens of the enclosing `with_stop` calls, innermost first.
  struct watched {
    watched(serial& here, std::stop_token t) noexcept : here_(here), token(std::move(t)), outer(here.watched_) {
      here_.watched_ = this;
    }
    ~watched() { here_.watched_ = outer; }
    watched(watched const&) = delete;
    watched& operator=(watched const&) = delete;

    serial& here_;
    std::stop_token token;
    watched const* outer;
  };
  watched const* watched_ = nullptr;
};

template <>
inline constexpr bool is_checked_fork_join<serial> = true;  // recorder.hpp

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::serial;

}}  // namespace skua::v0
