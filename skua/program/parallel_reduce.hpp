// SPDX-License-Identifier: MIT
// parallel_reduce, parallel_deterministic_reduce and parallel_scan of the oneTBB-style interface. See parallel.hpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "skua/program/algorithm/for_each.hpp"
#include "skua/program/executor.hpp"
#include "skua/program/loop_failure.hpp"
#include "skua/program/loop_options.hpp"
#include "skua/program/parallel.hpp"
#include "skua/program/partitioner.hpp"
#include "skua/program/pieces.hpp"
#include "skua/program/value_holder.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Holds the value of fold(piece, identity). A large argument of the fold is not on the stack.
template <class Range, class Value, class Fold>
value_holder<Value> fold_piece(Range& piece, Value const& identity, Fold const& fold) {
  value_holder<Value> from(std::in_place, [&] { return Value(identity); });
  return value_holder<Value>(std::in_place, [&] { return std::invoke(fold, piece, std::move(*from)); });
}

/// The value of a self-dividing range: fold(piece, identity) for its pieces, joined left to right.
template <fork_join Here, self_dividing Range, class Value, class Fold, class Join>
value_holder<Value> fold_divided(Here& here, Range& range, std::uint32_t pieces, Value const& identity,
                                 Fold const& fold, Join const& join, loop_failure& all) {
  if (pieces == 1 || !range.is_divisible()) {
    return all.call_leaf(here, [&] { return fold_piece(range, identity, fold); });
  }
  cut const c = cut::of(pieces);
  Range right = right_side(range, c);
  auto [a, b] = join_sides_of<Range>(
      here, c, [&](Here& h) { return fold_divided(h, range, c.left, identity, fold, join, all); },
      [&](Here& h) { return fold_divided(h, right, c.right, identity, fold, join, all); });
  return value_holder<Value>(std::in_place, [&] { return std::invoke(join, std::move(*a), std::move(*b)); });
}

/// The same if the body itself holds the value: Body(b, split) begins empty, b(piece) adds, b.join(right) joins.
/// Every division of the range splits the body; oneTBB may skip that if nothing was stolen.
template <fork_join Here, self_dividing Range, class Body>
void fold_divided(Here& here, Range& range, std::uint32_t pieces, Body& body, loop_failure& all) {
  if (pieces == 1 || !range.is_divisible()) {
    all.call_leaf(here, [&] { body(range); });
    return;
  }
  cut const c = cut::of(pieces);
  Range right = right_side(range, c);
  value_holder<Body> right_body(std::in_place, [&] { return Body(body, split{}); });
  join_sides_of<Range>(
      here, c, [&](Here& h) { fold_divided(h, range, c.left, body, all); },
      [&](Here& h) { fold_divided(h, right, c.right, *right_body, all); });
  body.join(*right_body);
}

/// Room for a value that another function constructs.
template <class Value>
class value_room {
 public:
  value_room() noexcept {}
  ~value_room() {}  // take() destroys the value
  value_room(value_room const&) = delete;
  value_room& operator=(value_room const&) = delete;

  [[nodiscard]] void* room() noexcept { return std::addressof(value_); }
  [[nodiscard]] Value take() {
    struct at_end {
      Value& value;
      ~at_end() { std::destroy_at(std::addressof(value)); }
    } const guard{value_};
    return std::move(value_);
  }

 private:
  union {
    Value value_;
  };
};

/// Appends the pieces of the range to `pieces`, in order.
template <self_dividing Range>
void collect_pieces(Range& range, std::uint32_t most, std::vector<Range>& pieces) {
  if (most == 1 || !range.is_divisible()) {
    pieces.push_back(range);
    return;
  }
  cut const c = cut::of(most);
  Range right = right_side(range, c);
  collect_pieces(range, c.left, pieces);
  collect_pieces(right, c.right, pieces);
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 { namespace runtime { namespace on {

/// fold(piece, value) -> value for pieces of the range, starting from identity; join(left, right) -> value.
/// Operands keep their order. With auto_partitioner the parentheses depend on the number of workers, not on the
/// schedule; with simple_partitioner they depend on the range alone. Work: a fold per piece, a join per division; span:
/// the largest fold and O(log pieces) joins.
template <task_executor Executor, self_dividing Range, class Value, class Fold, class Join, class... Options>
  requires std::invocable<Join const&, Value, Value> && range_options<Options...>
Value parallel_reduce(Range const& range, Value const& identity, Fold const& fold, Join const& join, Options&&... how) {
  return value_unless_stopped<Executor>(
      identity,
      [&] {
        return Executor::with_here([&](typename Executor::here& here) {
          Range whole(range);
          if (whole.empty()) return Value(identity);
          loop_failure all;
          auto sum =
              fold_divided(here, whole, pieces_of<Range>(here, divides_fully<Options...>), identity, fold, join, all);
          return Value(std::move(*sum));
        });
      },
      how...);
}

/// The same over a blocked_range: the division knows neither the range's type nor the value's.
template <task_executor Executor, class Element, class Value, class Fold, class Join, class... Options>
  requires std::invocable<Join const&, Value, Value> && range_options<Options...>
Value parallel_reduce(blocked_range<Element> const& range, Value const& identity, Fold const& fold, Join const& join,
                      Options&&... how) {
  if (range.empty()) return Value(identity);
  struct reduction {
    blocked_range<Element> const& whole;
    Value const& identity;
    Fold const& fold;
    Join const& join;
  } const all{range, identity, fold, join};
  runtime::fold_body<typename Executor::here> const body{
      [](void const* self, typename Executor::here&, std::size_t begin, std::size_t end, void* into) {
        auto const& mine = *static_cast<reduction const*>(self);
        blocked_range<Element> piece = mine.whole.part(begin, end);
        ::new (into) value_holder<Value>(fold_piece(piece, mine.identity, mine.fold));
      },
      [](void const* self, void* left, void* right) {
        auto& a = *static_cast<value_holder<Value>*>(left);
        auto& b = *static_cast<value_holder<Value>*>(right);
        replace(a,
                [&] { return std::invoke(static_cast<reduction const*>(self)->join, std::move(*a), std::move(*b)); });
      },
      [](void* value) noexcept { std::destroy_at(static_cast<value_holder<Value>*>(value)); },
      sizeof(value_holder<Value>),
      alignof(value_holder<Value>),
      &all};
  return value_unless_stopped<Executor>(
      identity,
      [&] {
        value_room<value_holder<Value>> sum;
        fold_over<Executor>(range.size(), range.grainsize(), divides_fully<Options...>, body, sum.room());
        return Value(std::move(*sum.take()));
      },
      how...);
}

/// The imperative form: leaves the value in `body`. Every division of the range copies and joins a body.
template <task_executor Executor, self_dividing Range, class Body, class... Options>
  requires std::constructible_from<Body, Body&, split> && range_options<Options...>
void parallel_reduce(Range const& range, Body& body, Options&&... how) {
  unless_stopped<Executor>(
      [&] {
        Executor::with_here([&](typename Executor::here& here) {
          Range whole(range);
          loop_failure all;
          if (!whole.empty()) fold_divided(here, whole, pieces_of<Range>(here, divides_fully<Options...>), body, all);
        });
      },
      how...);
}

/// The options for parallel_deterministic_reduce, which divides in its own way: all but a partitioner.
template <class F>
decltype(auto) without_partitioner(F const& f) {
  return f();
}
template <class F, class First, class... Rest>
decltype(auto) without_partitioner(F const& f, First& first, Rest&... rest) {
  if constexpr (partitioner<std::remove_cvref_t<First>>) {
    return f(rest...);
  } else {
    return f(first, rest...);
  }
}

/// parallel_reduce whose parentheses depend only on the range and its grain: the same bits in every run, on any number
/// of workers.
template <task_executor Executor, self_dividing Range, class Value, class Fold, class Join, class... Options>
  requires std::invocable<Join const&, Value, Value> && range_options<Options...>
Value parallel_deterministic_reduce(Range const& range, Value const& identity, Fold const& fold, Join const& join,
                                    Options&&... how) {
  return without_partitioner(
      [&](auto&... stop) {
        return parallel_reduce<Executor>(range, identity, fold, join, simple_partitioner{}, stop...);
      },
      how...);
}
template <task_executor Executor, self_dividing Range, class Body, class... Options>
  requires std::constructible_from<Body, Body&, split> && range_options<Options...>
void parallel_deterministic_reduce(Range const& range, Body& body, Options&&... how) {
  without_partitioner([&](auto&... stop) { parallel_reduce<Executor>(range, body, simple_partitioner{}, stop...); },
                      how...);
}

/// scan(piece, sum_before, is_final) -> sum up to its end; join(left, right) -> value. Scans every piece exactly once
/// with is_final == true. With more than one worker, it scans all but the last piece once before that, with false and
/// the identity. Returns the sum of the range. Work: two scans and a join per piece; span: two scans of the largest
/// piece and a join per piece. Space: a value per piece.
template <task_executor Executor, self_dividing Range, class Value, class Scan, class Join, class... Options>
  requires range_options<Options...>
Value parallel_scan(Range const& range, Value const& identity, Scan const& scan, Join const& join, Options&&... how) {
  auto const all_pieces = [&](typename Executor::here& here) {
    Range whole(range);
    if (whole.empty()) return Value(identity);
    std::vector<Range> pieces;
    collect_pieces(whole, here.num_workers() == 1 ? 1 : pieces_of<Range>(here, divides_fully<Options...>), pieces);
    struct slot {
      Value value;
    };
    std::vector<slot> sums(pieces.size(), slot{identity});
    std::size_t const last = pieces.size() - 1;
    for_each(
        here, std::size_t{0}, last,
        [&](std::size_t i) { sums[i].value = std::invoke(scan, pieces[i], Value(identity), false); }, grain{1});
    Value before(identity);
    for (slot& sum : sums) {
      Value own = std::exchange(sum.value, before);
      before = std::invoke(join, std::move(before), std::move(own));
    }
    for_each(
        here, std::size_t{0}, last + 1,
        [&](std::size_t i) { sums[i].value = std::invoke(scan, pieces[i], std::move(sums[i].value), true); }, grain{1});
    return std::move(sums[last].value);
  };
  return value_unless_stopped<Executor>(identity, [&] { return Executor::with_here(all_pieces); }, how...);
}

}}}}  // namespace skua::v0::runtime::on
