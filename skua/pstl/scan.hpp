// SPDX-License-Identifier: MIT
// libstdc++'s parallel backend: prefix sums (loops.hpp has its rules). Each runs over the elements twice: sums of pieces, then
// the scan of each piece from the sum of those before it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "skua/pstl/loops.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace pstl {

/// scan(i, j, before) scans [i, j) from the sum `before` and returns the sum up to j; fold(i, j, before) only returns it.
/// unary(i) converts to Value. Returns the sum of `init` and all elements. Work O(n), at most twice a serial scan's; span
/// O(p + n / p).
template <class Policy, class Index, class Unary, class Value, class Join, class Fold, class Scan>
Value __parallel_transform_scan(Policy&&, Index n, Unary unary, Value init, Join join, Fold fold, Scan scan) {
  if (n <= 0) return init;
  // A sum includes `init` if it begins at the first element. A piece elsewhere that is summed up before those on its left has
  // nothing to begin with: an empty sum.
  using sum = std::optional<Value>;
  return to_the_end([&](here&) -> Value {
    sum all = skua::parallel_scan(
        offsets(0, static_cast<offset>(n)), sum(),
        [&](offsets const& r, sum const& before, bool is_final) -> sum {
          Index const i = later(Index(0), r.begin());
          Index const end = later(Index(0), r.end());
          Value from = r.begin() == 0 ? init : before ? *before : Value(unary(i));
          if (is_final) return sum(scan(i, end, std::move(from)));
          return sum(fold(r.begin() == 0 || before ? i : later(i, 1), end, std::move(from)));
        },
        [&](sum const& left, sum const& right) -> sum {
          if (!left) return right;
          return right ? sum(join(*left, *right)) : left;
        });
    return std::move(*all);
  });
}

/// Calls reduce(first, length) and then scan(first, length, before) once for each of the same tiles, and between these two
/// apex(sum of all). The other algorithms count on that: reduce may leave results for scan. The parentheses depend on n
/// and the number of workers only. Work O(n), span O(p + n / p).
template <class Policy, class Index, class Value, class Reduce, class Join, class Scan, class Apex>
void __parallel_strict_scan(Policy&&, Index n, Value init, Reduce reduce, Join join, Scan scan, Apex apex) {
  if (n <= 0) {
    apex(init);
    return;
  }
  to_the_end([&](here&) {
    tiling const tiles(static_cast<offset>(n), 1);
    auto const values = std::make_unique<std::optional<Value>[]>(static_cast<std::size_t>(tiles.count));
    auto const value = [&](offset t) -> std::optional<Value>& { return values[static_cast<std::size_t>(t)]; };
    auto const first = [&](offset t) { return static_cast<Index>(tiles.begin(t)); };
    auto const length = [&](offset t) { return static_cast<Index>(tiles.end(t) - tiles.begin(t)); };
    skua::parallel_for(offset{0}, tiles.count, [&](offset t) { value(t).emplace(reduce(first(t), length(t))); });
    std::optional<Value> before(std::move(init));
    for (offset t = 0; t < tiles.count; ++t) {
      Value with_tile(join(*before, *value(t)));
      value(t).emplace(std::move(*before));
      before.emplace(std::move(with_tile));
    }
    apex(*before);
    skua::parallel_for(offset{0}, tiles.count, [&](offset t) { scan(first(t), length(t), *value(t)); });
  });
}

}}}}  // namespace skua::v0::runtime::pstl
