// SPDX-License-Identifier: MIT
// Finish regions: tasks are spawned one by one, also by tasks, and all are waited for at the end. [strategies-2013 3]
//
//     here.finish([&](auto& f) {
//       f.spawn(by_bound{lower, estimate}, [&](auto& f) { f.spawn(..); .. });
//       f.spawn([&](auto& f) { f.here().join(..); });
//     });
#pragma once

#include <concepts>

#include "skua/program/fork_join.hpp"
#include "skua/program/strategy/orders.hpp"
#include "skua/program/strategy/strategy.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// What a `here` with finish regions can do besides fork_join. Not every `here` has them. Laws:
///  * finish(body)        calls body(f), returns its value once all tasks that were spawned inside have ended: by the body,
///                        and by such tasks. One throws: the first exception is rethrown, tasks that have not begun are
///                        dropped, running ones see stop_requested().
///  * f.spawn([h,] [s,] task)  task(f) runs once, at some time, on some worker, or is dropped. `s` is a strategy, `h` a hint
///                        word that may name a place. The spawning task goes on first (help-first), unless the spawn is
///                        converted to a call.
///  * f.here()            the `here` of the task that has this f.
/// Each task has its own f, valid in the call that it was passed to.
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

/// Can flows (flow/flow.hpp) run on it? Their nodes are tasks of finish regions.
template <class Here>
inline constexpr bool runs_flows = has_finish<Here>;

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::has_finish;

}}  // namespace skua::v0
