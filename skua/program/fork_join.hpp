// SPDX-License-Identifier: MIT
// The concept `fork_join`: the operations of a `here`. A program that takes `auto& here` runs unchanged on threads,
// serially (serial.hpp), under the recorder (recorder.hpp) and in the simulator.
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

/// True for a machine's `here` that a source file of the machine checks against `models_fork_join`. Checking the
/// concept instantiates every kind of fork; doing so in each program would cost a tenth of its compile time.
template <class Here>
inline constexpr bool is_checked_fork_join = false;

/// Laws that the compiler cannot check:
///  * join(f0, .., fn-1)       runs every child exactly once, 2 <= n, and returns their values in order when all have
///                             returned (`nothing` for void; void if all are void). Each callable takes Here&, and hint
///                             words may precede it. If a child throws, the join rethrows the first exception and drops
///                             siblings that have not begun; running siblings see stop_requested().
///  * join_each(range, body)   calls body(here, element) once for every element of a sized random-access range, as one
///                             group. In join_each(range, hint_of, body), hint_of(element) returns a hint word, or a
///                             number, which is the element's work.
///  * scope(body)              calls body(s), where s.spawn([hint,] f) starts a child; returns the body's value when
///                             all children have returned.
///  * leaf(words.., kernel)    calls kernel(); the words declare what it touches.
///  * with_stop(token, f)      calls f(here); after a stop of `token`, joins inside f drop children that have not begun
///                             and throw `cancelled`.
///  * stop_requested()         true if this task should end early. Cheap enough for every leaf, not for every element.
///  * worker(), num_workers()  the worker that runs this task now, which may change at every join; the number of
///                             workers.
/// A `here` is valid only in the call that received it. No other thread may use it.
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

/// The requirements of programs and algorithms on a `here`: the laws above.
template <class Here>
concept fork_join = is_checked_fork_join<Here> || models_fork_join<Here>;

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::fork_join;

}}  // namespace skua::v0
