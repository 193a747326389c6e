// SPDX-License-Identifier: MIT
// The prefix sums of a range, in any monoid. Two passes over blocks (Blelloch, Prefix Sums and Their Applications,
// 1990): first the sums of all blocks in parallel, then their prefix sums serially, then all blocks again in parallel,
// each from its prefix sum.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "skua/program/algorithm/body.hpp"
#include "skua/program/algorithm/for_each.hpp"
#include "skua/program/algorithm/split.hpp"

namespace skua { inline namespace v0 { namespace runtime {

enum class scan_kind { inclusive, exclusive };

/// One run of a scan. Blocks have `most` elements; the last may be shorter.
template <scan_kind Kind, class Here, class In, class Out, class T, class Combine>
class scan_run {
 public:
  scan_run(In in, std::size_t n, Out out, Combine& combine, std::size_t most)
      : in_(in), n_(n), out_(out), combine_(combine), most_(most) {}

  T operator()(Here& here, T identity) const {
    std::size_t const blocks = divide_up(n_, most_);
    if (blocks == 0) return identity;
    return here.num_workers() == 1 ? in_one_pass(here, blocks, identity) : in_two_passes(here, blocks, identity);
  }

 private:
  /// Wraps a sum, so that no vector of sums is a vector<bool>.
  struct slot {
    T value;
  };
  /// The two sums of a block.
  struct sums {
    T own;      ///< of its own elements, beginning with the identity
    T running;  ///< of all elements up to its end, added one by one
  };

  [[nodiscard]] std::size_t begin(std::size_t block) const { return block * most_; }
  [[nodiscard]] std::size_t end(std::size_t block) const { return std::min(n_, begin(block) + most_); }

  T in_two_passes(Here& here, std::size_t blocks, T const& identity) const {
    std::vector<slot> carries(blocks, slot{identity});
    for_each(here, std::size_t{0}, blocks - 1, [&](std::size_t b) { carries[b].value = sum(b, identity); }, grain{1});
    T carry = identity;
    for (slot& block : carries) {
      T own = std::exchange(block.value, carry);
      carry = std::invoke(combine_, std::move(carry), std::move(own));
    }
    for_each(
        here, std::size_t{0}, blocks, [&](std::size_t b) { carries[b].value = rewrite(b, carries[b].value); },
        grain{1});
    return std::move(carries.back().value);
  }

  /// For one worker: the same combinations, and so the same bits, in one pass with half the memory traffic.
  T in_one_pass(Here& here, std::size_t blocks, T const& identity) const {
    T carry = identity;
    for (std::size_t b = 0;; ++b) {
      throw_if_stopped(here);
      sums done = sum_and_rewrite(b, identity, carry);
      if (b + 1 == blocks) return std::move(done.running);
      carry = std::invoke(combine_, std::move(carry), std::move(done.own));
    }
  }

  [[nodiscard]] T sum(std::size_t block, T const& identity) const {
    T total = identity;
    auto const last = after(in_, end(block));
    for (auto from = after(in_, begin(block)); from != last; ++from)
      total = std::invoke(combine_, std::move(total), *from);
    return total;
  }

  /// The second pass over a block: starts with the sum of all elements before it, and returns the sum of all elements
  /// up to its end. No other block reads its elements, so the output may be the input.
  [[nodiscard]] T rewrite(std::size_t block, T carry) const {
    auto const last = after(in_, end(block));
    auto to = after(out_, begin(block));
    for (auto from = after(in_, begin(block)); from != last; ++from, ++to) step(carry, *from, *to);
    return carry;
  }

  [[nodiscard]] sums sum_and_rewrite(std::size_t block, T const& identity, T const& carry) const {
    sums both{identity, carry};
    auto const last = after(in_, end(block));
    auto to = after(out_, begin(block));
    for (auto from = after(in_, begin(block)); from != last; ++from, ++to) {
      both.own = std::invoke(combine_, std::move(both.own), *from);
      step(both.running, *from, *to);
    }
    return both;
  }

  /// Processes one element: reads it before writing the result, which may be in the same place.
  template <class From, class To>
  void step(T& running, From&& from, To&& to) const {
    if constexpr (Kind == scan_kind::inclusive) {
      running = std::invoke(combine_, std::move(running), std::forward<From>(from));
      to = running;
    } else {
      T next = std::invoke(combine_, running, std::forward<From>(from));
      to = std::exchange(running, std::move(next));
    }
  }

  In in_;
  std::size_t n_;
  Out out_;
  Combine& combine_;
  std::size_t most_;
};

/// Sets out[i] = in[0] + .. + in[i] for every i, where + is `combine`; returns the sum of all elements (identity if
/// there are none). `out` must have room for n elements; it may be the input itself but must not overlap it otherwise.
/// `most`: elements per block; automatic: up to 256 blocks. Parentheses depend on n and `most` only (see reduce).
/// Work O(n): at most 2n + n / most combinations; several workers read the input twice, one worker reads it once.
/// Span O(most + n / most + log n). Extra space: one T per block. Exceptions and stops: as for_each; it may have
/// written part of the output then.
template <fork_join Here, divisible_range In, std::random_access_iterator Out, class T, class Combine>
  requires monoid<Combine, T>
T inclusive_scan(Here& here, In&& in, Out out, T identity, Combine combine, grain most = automatic) {
  std::size_t const n = length(in);
  scan_run<scan_kind::inclusive, Here, iterator_of<In>, Out, T, Combine> const run{std::ranges::begin(in), n, out,
                                                                                   combine, leaf_size(most, n)};
  return run(here, std::move(identity));
}

/// Sets out[i] = identity + in[0] + .. + in[i-1] for every i. Otherwise as inclusive_scan.
template <fork_join Here, divisible_range In, std::random_access_iterator Out, class T, class Combine>
  requires monoid<Combine, T>
T exclusive_scan(Here& here, In&& in, Out out, T identity, Combine combine, grain most = automatic) {
  std::size_t const n = length(in);
  scan_run<scan_kind::exclusive, Here, iterator_of<In>, Out, T, Combine> const run{std::ranges::begin(in), n, out,
                                                                                   combine, leaf_size(most, n)};
  return run(here, std::move(identity));
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::exclusive_scan;
using runtime::inclusive_scan;

}}  // namespace skua::v0
