// SPDX-License-Identifier: MIT
// The concept `fork_join`: the operations that a program may use. A program takes `auto& here` and runs unchanged on
// threads, serially (serial.hpp), under the recorder (recorder.hpp) and in the simulator.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <stop_token>

#include "skua/parts/base/ids.hpp"
#include "skua/program/children.hpp"
#include "skua/program/footprint.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// True for a machine's `here` that a source of the machine checks against `models_fork_join`. Forking in every way to
/// check the concept anew would cost each program that includes Skua a tenth of its time to compile.
template <class Here>
inline constexpr bool is_checked_fork_join = false;

/// Laws the compiler cannot check:
///  * join(f0, .., fn-1)      runs every child exactly once, returns when all have returned, with their values in
///                            order (void yields `nothing`; all void: the join returns void). 2 <= n. Each callable
///                            takes Here& and may be preceded by hint words. One child throws: the first exception is
///                            rethrown, siblings that have not started are dropped, running ones see stop_requested().
///  * join_each(range, body)       calls body(here, element) once for every element of a sized random-access range, as one
///                            group.
///    join_each(range, hint_of, body)  hint_of(element) returns a hint word or a number (the element's work).
///  * scope(body)             calls body(s); s.spawn([hint,] f) starts a child found on the way; scope returns the
///                            body's value after every child has returned.
///  * leaf(words.., kernel)   calls kernel(); the words declare what it touches.
///  * with_stop(token, f)     calls f(here); once `token` requests a stop, children that have not started are dropped
///                            and joins below throw `cancelled`.
///  * stop_requested()        true if this task should end early. Cheap enough for every leaf, not for every element.
///  * worker(), workers()     the worker that runs this now (it may change at every join), and the number of workers.
/// A `here` is valid in the call it was passed to. No other thread may use it.
template <class Here>
concept models_fork_join = requires(Here& here, std::array<int, 4>& range, std::stop_token token) {
  here.join([](Here&) {}, [](Here&) {});
  here.join(work{2}, [](Here&) {}, at{anywhere}, [](Here&) {}, [](Here&) {});
  here.join_each(range, [](Here&, int&) {});
  here.join_each(range, [](int&) { return 1.0; }, [](Here&, int&) {});
  here.scope([](auto& s) { s.spawn([](Here&) {}); });
  here.leaf(reads{nullptr, 0}, writes{nullptr, 0}, flops{1}, [] {});
  here.with_stop(token, [](Here&) {});
  { here.stop_requested() } noexcept -> std::same_as<bool>;
  { here.worker() } noexcept -> std::same_as<worker_id>;
  { here.num_workers() } noexcept -> std::same_as<std::uint32_t>;
};

/// What programs and algorithms ask of a `here`: the laws above.
template <class Here>
concept fork_join = is_checked_fork_join<Here> || models_fork_join<Here>;

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::fork_join;

}}  // namespace skua::v0
