// SPDX-License-Identifier: MIT
// The sum of a range, in any monoid, with the same parentheses in every run.
#pragma once

#include <functional>
#include <utility>

#include "skua/program/algorithm/body.hpp"
#include "skua/program/algorithm/split.hpp"
#include "skua/program/loop_failure.hpp"
#include "skua/program/value_holder.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// One run of `reduce`: the state that its tasks share.
template <class Here, class It, class T, class Combine, class Transform>
class reduction {
 public:
  reduction(It first, T const& identity, Combine& combine, Transform& transform, std::size_t most)
      : first_(first), identity_(identity), combine_(combine), transform_(transform), most_(most) {}

  value_holder<T> operator()(Here& here, std::size_t begin, std::size_t end) const {
    if (end - begin <= most_) return all_.call_leaf(here, [&] { return leaf(here, begin, end); });
    std::size_t const mid = middle(begin, end);
    auto [left, right] = here.join([this, begin, mid](Here& h) { return (*this)(h, begin, mid); },
                                   [this, mid, end](Here& h) { return (*this)(h, mid, end); });
    return value_holder<T>(std::in_place, [&] { return std::invoke(combine_, std::move(*left), std::move(*right)); });
  }

 private:
  value_holder<T> leaf(Here& here, std::size_t begin, std::size_t end) const {
    value_holder<T> held(std::in_place, [&] { return T(identity_); });
    T& sum = *held;
    auto const last = after(first_, end);
    for (auto it = after(first_, begin); it != last; ++it) {
      sum = std::invoke(combine_, std::move(sum), call_body(here, transform_, *it));
    }
    return held;
  }

  It first_;
  T const& identity_;
  Combine& combine_;
  Transform& transform_;
  std::size_t most_;
  mutable loop_failure all_;
};

/// Returns combine(.. combine(combine(identity, transform([here,] r[0])), transform(r[1])) .., transform(r[n-1])), with
/// other parentheses and more identities; identity for an empty range. T is the type of `identity`.
/// `most`: elements per leaf; automatic: 256 to 512 leaves. The parentheses depend on n and `most` only, not on the
/// schedule or the number of workers: a floating-point sum is the same, bit for bit, in every run.
/// Work O(n), span O(most + log n) combinations. Extra space: one value per open join, on the heap if it is larger than
/// 256 bytes (std::bad_alloc). Exceptions and stops: as for_each.
template <fork_join Here, divisible_range Range, class T, class Combine, class Transform = std::identity>
  requires monoid<Combine, T> && body_of<Transform, Here, reference_of<Range>>
T reduce(Here& here, Range&& range, T identity, Combine combine, Transform transform = {}, grain most = automatic) {
  std::size_t const n = length(range);
  reduction<Here, iterator_of<Range>, T, Combine, Transform> const run{std::ranges::begin(range), identity, combine,
                                                                       transform, leaf_size(most, n)};
  return std::move(*run(here, 0, n));
}

/// The same without a transform.
template <fork_join Here, divisible_range Range, class T, class Combine>
  requires monoid<Combine, T>
T reduce(Here& here, Range&& range, T identity, Combine combine, grain most) {
  return reduce(here, range, std::move(identity), std::move(combine), std::identity{}, most);
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::reduce;

}}  // namespace skua::v0
