// SPDX-License-Identifier: MIT
// All prefix sums of a range, in any monoid. Two passes over blocks (Blelloch, Prefix Sums and Their Applications,
// 1990): every block's sum at once, their prefix sums one after the other, then every block again with its carry.
#pragma once

#include <utility>
#include <vector>

#include "skua/program/algorithm/body.hpp"
#include "skua/program/algorithm/for_each.hpp"
#include "skua/program/algorithm/split.hpp"

namespace skua {

enum class scan_kind { inclusive, exclusive };

/// One run of a scan. Blocks of `most` elements, the last may be shorter.
template <scan_kind Kind, class Here, class In, class Out, class T, class Combine>
class scan_run {
 public:
  scan_run(In in, std::size_t n, Out out, Combine& combine, std::size_t most)
      : in_(in), n_(n), out_(out), combine_(combine), most_(most) {}

  T operator()(Here& here, T identity) const {
    std::size_t const blocks = divide_up(n_, most_);
    if (blocks == 0) return identity;
    std::vector<slot> carries(blocks, slot{identity});
    for_each(here, std::size_t{0}, blocks - 1, [&](std::size_t b) { carries[b].value = sum(b, identity); }, grain{1});
    T carry = std::move(identity);
    for (slot& block : carries) {
      T own = std::exchange(block.value, carry);
      carry = combine_(std::move(carry), std::move(own));
    }
    for_each(here, std::size_t{0}, blocks, [&](std::size_t b) { rewrite(b, carries[b].value); }, grain{1});
    return std::move(carries.back().value);
  }

 private:
  /// A carry that is not a bit of a vector<bool>.
  struct slot {
    T value;
  };
  [[nodiscard]] std::size_t begin(std::size_t block) const { return block * most_; }
  [[nodiscard]] std::size_t size(std::size_t block) const { return std::min(most_, n_ - begin(block)); }

  [[nodiscard]] T sum(std::size_t block, T const& identity) const {
    T total = identity;
    auto from = after(in_, begin(block));
    for (std::size_t left = size(block); left != 0; --left, ++from) total = combine_(std::move(total), *from);
    return total;
  }

  /// The second pass. The carry becomes the sum of all elements up to the end of this block. An element is read
  /// before its place is written, and no other block reads it: the output may be the input.
  void rewrite(std::size_t block, T& shared_carry) const {
    T carry = std::move(shared_carry);  // a local: its neighbours in memory belong to other workers
    auto from = after(in_, begin(block));
    auto to = after(out_, begin(block));
    for (std::size_t left = size(block); left != 0; --left, ++from, ++to) {
      if constexpr (Kind == scan_kind::inclusive) {
        carry = combine_(std::move(carry), *from);
        *to = carry;
      } else {
        T next = combine_(carry, *from);
        *to = std::exchange(carry, std::move(next));
      }
    }
    shared_carry = std::move(carry);
  }

  In in_;
  std::size_t n_;
  Out out_;
  Combine& combine_;
  std::size_t most_;
};

/// out[i] = in[0] + .. + in[i], where + is `combine`; returns the sum of all (identity if there are none).
/// Room for n elements must be at `out`, which may be the input itself but must not overlap it otherwise.
/// `most`: elements per block; automatic: up to 256 blocks. Parentheses depend on n and `most` only (see reduce).
/// Work O(n): at most 2n + n / most combinations, two readings of the input. Span O(most + n / most + log n). Extra
/// space: one T per block. On an exception or a stop (as for_each) part of the output may have been written.
template <fork_join Here, divisible_range In, std::random_access_iterator Out, class T, class Combine>
  requires monoid<Combine, T>
T inclusive_scan(Here& here, In&& in, Out out, T identity, Combine combine, grain most = automatic) {
  std::size_t const n = length(in);
  scan_run<scan_kind::inclusive, Here, std::ranges::iterator_t<In>, Out, T, Combine> const run{
      std::ranges::begin(in), n, out, combine, leaf_size(most, n)};
  return run(here, std::move(identity));
}

/// out[i] = identity + in[0] + .. + in[i-1]. Otherwise as inclusive_scan.
template <fork_join Here, divisible_range In, std::random_access_iterator Out, class T, class Combine>
  requires monoid<Combine, T>
T exclusive_scan(Here& here, In&& in, Out out, T identity, Combine combine, grain most = automatic) {
  std::size_t const n = length(in);
  scan_run<scan_kind::exclusive, Here, std::ranges::iterator_t<In>, Out, T, Combine> const run{
      std::ranges::begin(in), n, out, combine, leaf_size(most, n)};
  return run(here, std::move(identity));
}

}  // namespace skua
