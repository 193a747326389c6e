// SPDX-License-Identifier: MIT
// The conventional face: parallel_for, parallel_reduce, task_group and other calls with oneTBB's names and arguments.
// They run on the pool of the calling worker, or on the default pool (machine/threads/face/executor.hpp). Any thread
// may call them.
//
// These rules hold for all of them:
//  * Functions: the call uses references to your functions and does not copy them. Several workers call them at once.
//  * Exceptions: the call rethrows the first exception of a function and drops the pieces that have not begun.
//  * Stops: the last argument may be a std::stop_token. After a stop the call drops the pieces that have not begun, and
//    throws `cancelled` unless all had begun. A cancelled task_group or a stop around the call has the same effect. If
//    the last argument is a task_group_context instead, the call returns after a stop (task_group_context.hpp).
//  * Threads: the call returns on the calling thread, so locks and thread_locals of that thread stay valid across it. A
//    thread that is no worker takes a worker's place and works itself.
//  * The default pool: the first call in a thread that is no worker makes it, and throws what that throws.
// n is the number of elements, p the number of workers; work and span count calls of the user's functions.
#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/face/executor.hpp"
#include "skua/machine/threads/face/loops.hpp"
#include "skua/parts/base/built_with.hpp"
#include "skua/parts/base/ranges.hpp"
#include "skua/program/callable.hpp"
#include "skua/program/loop_options.hpp"
#include "skua/program/parallel.hpp"
#include "skua/program/parallel_reduce.hpp"
#include "skua/program/partitioner.hpp"
#include "skua/program/task_group.hpp"

namespace skua { inline namespace v0 {

/// Tasks that are started one by one and waited for together, on the pool of the calling worker or the default pool
/// (program/task_group.hpp).
using task_group = runtime::basic_task_group<runtime::executor>;
/// A task that `task_group::defer` has made and that has not been started.
using task_handle = runtime::basic_task_handle<runtime::executor>;

/// Calls body(i) or body(here, i) for i = first, first + 1, .., last - 1, in any order; makes no call if last <= first.
/// The bounds may differ in type, but must be both signed or both unsigned.
/// Options, in this order, each optional: a grain, a partitioner, a std::stop_token or task_group_context.
/// A piece runs its iterations left to right. There are 8 pieces per worker, fewer if such a piece would take less than
/// a steal (1.5 us); with simple_partitioner there is one piece per iteration. With grain{n} a piece has at most n
/// iterations and at least half as many, whatever the partitioner; grain{0} is `automatic`, no grain.
/// Work O(n), span O(log p + n / p); with a grain or simple_partitioner span O(log n + grain).
template <std::integral First, std::integral Last, class Body, class... Options>
  requires(!std::integral<Body>)
void parallel_for(First first, Last last, Body const& body, Options&&... how) {
  if constexpr (!runtime::of_one_sign<First, Last>) {
    static_assert(
        runtime::of_one_sign<First, Last>,
        "parallel_for: one bound is signed and the other is not; write parallel_for(std::size_t{0}, n, body)");
  } else if constexpr (!runtime::index_body<Body, runtime::here, std::common_type_t<First, Last>>) {
    static_assert(runtime::index_body<Body, runtime::here, std::common_type_t<First, Last>>,
                  "parallel_for: body is called as body(i) or body(here, i)");
  } else if constexpr (!runtime::index_options<Options...>) {
    static_assert(runtime::index_options<Options...>,
                  "parallel_for: after the body come a grain, a partitioner, and a stop_token or an lvalue "
                  "task_group_context, in this order, or some of them");
  } else {
    runtime::on::parallel_for<runtime::executor>(first, last, body, how...);
  }
}

/// Calls body(i) for i = first, first + step, .. below last. Throws std::invalid_argument unless step > 0. Otherwise as
/// above.
template <std::integral First, std::integral Last, std::integral Step, class Body, class... Options>
void parallel_for(First first, Last last, Step step, Body const& body, Options&&... how) {
  using index = std::common_type_t<First, Last, Step>;
  if constexpr (!runtime::of_one_sign<First, Last, Step>) {
    static_assert(runtime::of_one_sign<First, Last, Step>,
                  "parallel_for: of the bounds and the step one is signed and another is not; give all the same type");
  } else if constexpr (!std::invocable<Body const&, index>) {
    static_assert(std::invocable<Body const&, index>, "parallel_for: with a step, body is called as body(i)");
  } else if constexpr (!runtime::index_options<Options...>) {
    static_assert(runtime::index_options<Options...>,
                  "parallel_for: after the body come a grain, a partitioner, and a stop_token or an lvalue "
                  "task_group_context, in this order, or some of them");
  } else {
    runtime::on::parallel_for<runtime::executor>(first, last, step, body, how...);
  }
}

/// Calls body(piece) for the pieces of a range that can divide itself (blocked_range, blocked_range2d, your own class),
/// in any order. Options, in this order, each optional: a partitioner, a std::stop_token or task_group_context.
/// With simple_partitioner the pieces are as small as the range allows; otherwise there are at most 8 per worker, or at
/// most 16 if the range cannot split in proportion (proportional_split).
/// Work: that of all pieces. Span: that of the longest piece plus O(log(number of pieces)).
template <runtime::self_dividing Range, class Body, class... Options>
  requires(!std::integral<Range>)
void parallel_for(Range const& range, Body const& body, Options&&... how) {
  if constexpr (!runtime::range_body<Body, Range>) {
    static_assert(runtime::range_body<Body, Range>, "parallel_for: over a range, body is called as body(piece)");
  } else if constexpr (!runtime::range_options<Options...>) {
    static_assert(
        runtime::range_options<Options...>,
        "parallel_for: after the body come a partitioner, and a stop_token or an lvalue task_group_context, in "
        "this order, or one of them; the grain is the range's");
  } else {
    runtime::on::parallel_for<runtime::executor>(range, body, how...);
  }
}

/// Calls body(*it) once for every iterator of [first, last), in any order. The call first walks iterators that are not
/// random access, serially, and copies the elements of input iterators. Work O(n), span O(log p + n / p), plus n for
/// the walk.
/// The body may instead be body(element, feeder), where feeder is a skua::feeder<T>& for elements of type T.
/// feeder.add(item) adds an item; the body receives it as an rvalue if it takes one. The call returns when all items
/// are done. Added items can be stolen at once and do not nest on the stack; each costs an allocation. If both
/// parameters of the body are `auto&` and the iterators are random access, the call is body(here, element).
template <std::input_iterator It, class Body, class... Stop>
  requires runtime::stop_options<Stop...>
void parallel_for_each(It first, It last, Body const& body, Stop&&... stop) {
  if constexpr (runtime::element_body<Body, runtime::here, It> ||
                runtime::feeding_element_body<Body, runtime::here, It>) {
    runtime::on::parallel_for_each<runtime::executor>(first, last, body, stop...);
  } else {
    static_assert(runtime::element_body<Body, runtime::here, It>,
                  "parallel_for_each: body is called as body(element) or body(element, feeder)");
  }
}
/// The same for the elements of a container.
template <runtime::input_range Container, class Body, class... Stop>
  requires runtime::stop_options<Stop...>
void parallel_for_each(Container&& all, Body const& body, Stop&&... stop) {
  parallel_for_each(std::ranges::begin(all), std::ranges::end(all), body, stop...);
}

/// Calls fold(piece, value) for pieces of the range, each with value = `identity`, and joins the results with
/// join(left, right). Operands keep their order, so `join` must be associative but need not commute. The parentheses
/// depend on the number of workers, with simple_partitioner on the range alone; never on the schedule. Returns
/// `identity` for an empty range. Options as for parallel_for over a range.
/// Work O(n), span O(log p) joins plus the longest piece.
template <runtime::self_dividing Range, class Value, class Fold, class Join, class... Options>
  requires runtime::range_options<Options...>
[[nodiscard]] Value parallel_reduce(Range const& range, Value const& identity, Fold const& fold, Join const& join,
                                    Options&&... how) {
  if constexpr (!runtime::fold_function<Fold, Range, Value>) {
    static_assert(runtime::fold_function<Fold, Range, Value>,
                  "parallel_reduce: fold is called as fold(piece, value) and returns a value");
  } else if constexpr (!runtime::join_function<Join, Value>) {
    static_assert(runtime::join_function<Join, Value>,
                  "parallel_reduce: join is called as join(left, right) and returns a value");
  } else {
    return runtime::on::parallel_reduce<runtime::executor>(range, identity, fold, join, how...);
  }
}

/// The form whose body holds the value: body(piece) adds a piece to it, Body(body, split{}) makes a new body with an
/// empty value, and body.join(right) adds the value of its right neighbour. Each split of the range splits the body.
/// The result is in `body`. Cost as above.
template <runtime::self_dividing Range, class Body, class... Options>
  requires runtime::range_options<Options...>
void parallel_reduce(Range const& range, Body& body, Options&&... how) {
  if constexpr (runtime::splitting_body<Body, Range>) {
    runtime::on::parallel_reduce<runtime::executor>(range, body, how...);
  } else {
    static_assert(runtime::splitting_body<Body, Range>,
                  "parallel_reduce: body has body(piece), a constructor Body(Body&, split) and body.join(right)");
  }
}

/// parallel_reduce with the same parentheses, and so the same bits, in every run on any number of workers: they depend
/// only on the range and its grain. Accepts a partitioner and ignores it.
/// Work O(n), span O(log(n / grain)) joins plus a piece.
template <runtime::self_dividing Range, class Value, class Fold, class Join, class... Options>
  requires runtime::range_options<Options...>
[[nodiscard]] Value parallel_deterministic_reduce(Range const& range, Value const& identity, Fold const& fold,
                                                  Join const& join, Options&&... how) {
  return runtime::on::without_partitioner(
      [&](auto&... stop) { return parallel_reduce(range, identity, fold, join, simple_partitioner{}, stop...); },
      how...);
}
/// The same with a body that holds the value.
template <runtime::self_dividing Range, class Body, class... Options>
  requires runtime::range_options<Options...>
void parallel_deterministic_reduce(Range const& range, Body& body, Options&&... how) {
  runtime::on::without_partitioner([&](auto&... stop) { parallel_reduce(range, body, simple_partitioner{}, stop...); },
                                   how...);
}

/// Computes prefix sums with scan(piece, sum_before, is_final), which returns the sum up to the end of the piece, and
/// join(left, right). Each piece is scanned once with is_final == true. With several workers each piece but the last is
/// first scanned with is_final == false, from `identity`. Returns the sum of the range. Options as for parallel_for
/// over a range. Work O(n), at most twice that of a serial scan; span O(p + n / p).
template <runtime::self_dividing Range, class Value, class Scan, class Join, class... Options>
  requires runtime::range_options<Options...>
Value parallel_scan(Range const& range, Value const& identity, Scan const& scan, Join const& join, Options&&... how) {
  if constexpr (!runtime::scan_function<Scan, Range, Value>) {
    static_assert(runtime::scan_function<Scan, Range, Value>,
                  "parallel_scan: scan is called as scan(piece, value, is_final) and returns a value");
  } else if constexpr (!runtime::join_function<Join, Value>) {
    static_assert(runtime::join_function<Join, Value>,
                  "parallel_scan: join is called as join(left, right) and returns a value");
  } else {
    return runtime::on::parallel_scan<runtime::executor>(range, identity, scan, join, how...);
  }
}

/// Sorts [first, last). Equal elements may change their order, as in oneTBB; parallel_stable_sort keeps it. Integers in
/// contiguous memory: a radix sort with a buffer of n elements, or, if there is no memory for it, as other elements. A
/// stop_token or a task_group_context comes after `less`. After a stop, or if `less` throws, the range holds n valid
/// elements of unspecified values. Work O(n log n), of integers O(n); span O(n), of integers O(n / p + p).
template <std::random_access_iterator It, class Less = std::less<>, class... Stop>
  requires runtime::stop_options<Stop...>
void parallel_sort(It first, It last, Less const& less = {}, Stop&&... stop) {
  if constexpr (runtime::order_function<Less, It>) {
    runtime::on::parallel_sort<runtime::executor>(first, last, less, stop...);
  } else {
    static_assert(runtime::order_function<Less, It>, "parallel_sort: less is called as less(a, b) and returns a bool");
  }
}
/// The same for the elements of a container.
template <runtime::random_access_range Container, class Less = std::less<>, class... Stop>
  requires runtime::stop_options<Stop...>
void parallel_sort(Container&& all, Less const& less = {}, Stop&&... stop) {
  parallel_sort(std::ranges::begin(all), std::ranges::end(all), less, stop...);
}

/// Sorts [first, last); equal elements keep their order. Allocates a buffer of n elements; if that throws
/// std::bad_alloc, the range is untouched. Otherwise as parallel_sort. Work O(n log n), span O(log^3 n).
template <std::random_access_iterator It, class Less = std::less<>, class... Stop>
  requires runtime::stop_options<Stop...>
void parallel_stable_sort(It first, It last, Less const& less = {}, Stop&&... stop) {
  if constexpr (runtime::order_function<Less, It>) {
    runtime::on::parallel_stable_sort<runtime::executor>(first, last, less, stop...);
  } else {
    static_assert(runtime::order_function<Less, It>,
                  "parallel_stable_sort: less is called as less(a, b) and returns a bool");
  }
}
/// The same for the elements of a container.
template <runtime::random_access_range Container, class Less = std::less<>, class... Stop>
  requires runtime::stop_options<Stop...>
void parallel_stable_sort(Container&& all, Less const& less = {}, Stop&&... stop) {
  parallel_stable_sort(std::ranges::begin(all), std::ranges::end(all), less, stop...);
}

/// Calls f() or f(here) once for every f, in parallel, and discards the values (`here.join` returns them). Calls a
/// function that is passed as an rvalue as an rvalue. After the functions a stop_token or a task_group_context may
/// follow. Work: the sum of the functions' work. Span: the longest span among them.
template <class... F>
void parallel_invoke(F&&... f) {
  if constexpr (runtime::tasks_and_stop<runtime::here, F...>()) {
    runtime::on::parallel_invoke<runtime::executor>(std::forward<F>(f)...);
  } else {
    static_assert(runtime::tasks_and_stop<runtime::here, F...>(),
                  "parallel_invoke: every function is called as f() or f(here)");
  }
}

}}  // namespace skua::v0
