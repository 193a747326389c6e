// SPDX-License-Identifier: MIT
// Finish regions: the body and its tasks spawn tasks one by one, and the region waits for all of them at its end.
// [strategies-2013 3]
//
//     here.finish([&](auto& f) {
//       f.spawn(by_bound{lower, estimate}, [&](auto& f) { f.spawn(..); .. });
//       f.spawn([&](auto& f) { f.here().join(..); });
//     });
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "skua/program/fork_join.hpp"
#include "skua/program/strategy/orders.hpp"
#include "skua/program/strategy/strategy.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A `here` with finish regions, beyond fork_join. Not every `here` has them. Laws:
///  * finish(body)             calls body(f) and returns its value when all tasks have ended that the body or such a
///                             task has spawned. If one throws, finish rethrows the first exception and drops tasks
///                             that have not begun; running tasks see stop_requested().
///  * f.spawn([h,] [s,] task)  starts a task: some worker calls task(f) once, or the region drops it. `s` is a
///                             strategy, `h` a hint word that may name a place. The spawning task goes on first
///                             (help-first), unless the scheduler converts the spawn to a call.
///  * f.here()                 the `here` of the task that received this f.
/// Each task has its own f, valid only in the call that received it.
template <class Here>
concept has_finish = fork_join<Here> && requires(Here& here) {
  {
    here.finish([](auto&) { return 1; })
  } -> std::same_as<int>;
  here.finish([](auto& f) {
    f.spawn([](auto&) {});
    f.spawn(at{anywhere}, [](auto&) {});
    f.spawn(at{anywhere}, order{}, [](auto&) {});
    f.spawn(order{}, [](auto& inner) { inner.here().join([](auto&) {}, [](auto&) {}); });
  });
};

/// True if flows (flow/flow.hpp) can run on this `here`. Their nodes are tasks of finish regions.
template <class Here>
inline constexpr bool runs_flows = has_finish<Here>;

/// The type of a finish region of this `here`, found from its body's parameter.
struct region_of_body {
  template <class Region>
  Region* operator()(Region& region) const noexcept {
    return &region;
  }
};
template <class Here>
using finish_region_of = std::remove_pointer_t<decltype(std::declval<Here&>().finish(region_of_body{}))>;

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::has_finish;

}}  // namespace skua::v0
