// SPDX-License-Identifier: MIT
// A team from fork-join: one task on several workers, for which its caller waits. [arms-2021 3.2.1]
//
//     here.team(skua::address::of(i, n), [&](auto& team) { .. });
#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "skua/program/flow/team.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Calls f(team) on several workers (team.hpp) and returns when all members have returned. The scheduler chooses their
/// number. Hints stand in front of f. Without an address the scheduler assumes the data near the caller; without a type
/// it is 0. Rethrows the first exception of a member. Throws cancelled if a stop prevented the team from beginning.
/// Cost: a finish region with one task.
template <class Here, class... Args>
void call_team(Here& here, Args&&... args) {
  constexpr std::size_t hints = sizeof...(Args) - 1;
  auto all = std::forward_as_tuple(args...);
  auto& f = std::get<hints>(all);
  using function = std::remove_reference_t<decltype(f)>;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    static_assert((hint_word<std::tuple_element_t<I, decltype(all)>> && ...),
                  "here.team: only hints may precede the function");
    static_assert(std::invocable<function&, team<Here>&>, "here.team: the last argument is called as f(team)");
    hint hinted;
    ((hinted = hinted | as_hint(std::get<I>(all))), ...);
    here.finish([&](auto& region) {
      region.spawn_team(hinted, [&f](team<Here>& mine) { static_cast<void>(f(mine)); }, [](auto&) {});
    });
  }(std::make_index_sequence<hints>());
}

}}}  // namespace skua::v0::runtime
