// SPDX-License-Identifier: MIT
#include "tests/mixed/shrinking.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace skua { inline namespace v0 { namespace testing {
namespace {

class shrinker {
 public:
  shrinker(mixed_run failing, std::function<bool(mixed_run const&)> const& fails, std::function<bool()> const& goes_on)
      : now_(std::move(failing)), fails_(fails), goes_on_(goes_on) {
    now_.these = programs_of(now_);
  }

  mixed_run smallest() {
    for (bool any = true; any && goes_on_();) {
      any = drop_programs();
      any = less_around_them() || any;
      for (std::size_t p = 0; p < now_.these.size(); ++p) any = smaller_steps(p) || any;
    }
    return std::move(now_);
  }

 private:
  /// change(candidate) makes a smaller one.
  template <class Change>
  bool accept(Change const& change) {
    if (!goes_on_()) return false;
    mixed_run smaller = now_;
    change(smaller);
    if (!fails_(smaller)) return false;
    now_ = std::move(smaller);
    return true;
  }

  bool drop_programs() {
    bool any = false;
    for (std::size_t n = now_.these.size() / 2; n > 0; n /= 2) {
      for (std::size_t from = 0; from < now_.these.size() && now_.these.size() > 1;) {
        bool const is_gone =
            n < now_.these.size() && accept([&](mixed_run& r) {
              auto const first = r.these.begin() + static_cast<std::ptrdiff_t>(from);
              r.these.erase(first, first + static_cast<std::ptrdiff_t>(std::min(n, r.these.size() - from)));
            });
        any = any || is_gone;
        if (!is_gone) from += n;
      }
    }
    return any;
  }

  bool less_around_them() {
    bool any = false;
    for (std::uint32_t const n : {1U, 2U, 4U}) {
      if (n < now_.callers) any = accept([n](mixed_run& r) { r.callers = n; }) || any;
      if (n < now_.workers) any = accept([n](mixed_run& r) { r.workers = n; }) || any;
    }
    if (now_.policy != "random") any = accept([](mixed_run& r) { r.policy = "random"; }) || any;
    return any;
  }

  /// All steps of a program, each before its children.
  static void list(mixed_step& s, std::vector<mixed_step*>& all) {
    all.push_back(&s);
    for (mixed_step& c : s.child) list(c, all);
  }
  static mixed_step& step_at(mixed_run& r, std::size_t program, std::size_t number) {
    std::vector<mixed_step*> all;
    list(r.these[program], all);
    return *all[number];
  }

  bool smaller_steps(std::size_t program) {
    bool any = false;
    for (std::size_t i = 0; i < now_.these[program].size();) {
      if (smaller_step(program, i)) {
        any = true;
      } else {
        ++i;
      }
    }
    return any;
  }

  bool smaller_step(std::size_t program, std::size_t i) {
    mixed_step const is = step_at(now_, program, i);
    if (is.is_leaf()) return false;
    auto const becomes = [&](mixed_step const& other) {
      return accept([&](mixed_run& r) { step_at(r, program, i) = other; });
    };
    if (becomes({.own = is.own})) return true;
    for (mixed_step const& c : is.child) {
      if (becomes(c)) return true;
    }
    for (std::size_t n = is.number(); n > mixed_step::fewest_children(is.what); --n) {
      mixed_step fewer = is;
      fewer.child.erase(fewer.child.begin() + static_cast<std::ptrdiff_t>(n - 1));
      if (becomes(fewer)) return true;
    }
    for (std::uint64_t const least : std::initializer_list<std::uint64_t>{0, is.chance % 60}) {
      mixed_step surer = is;
      surer.chance = least;
      if (least < is.chance && becomes(surer)) return true;
    }
    return false;
  }

  mixed_run now_;
  std::function<bool(mixed_run const&)> const& fails_;
  std::function<bool()> const& goes_on_;
};

}  // namespace

mixed_run shrunk(mixed_run failing, std::function<bool(mixed_run const&)> const& fails,
                 std::function<bool()> const& goes_on) {
  return shrinker(std::move(failing), fails, goes_on).smallest();
}

std::size_t steps_of(mixed_run const& r) {
  std::size_t all = 0;
  for (mixed_step const& p : programs_of(r)) all += p.size();
  return all;
}

}}}  // namespace skua::v0::testing
