// SPDX-License-Identifier: MIT
// Stable merge sort with parallel merges, alternating between the range and a buffer of its size.
#pragma once

#include <bit>
#include <functional>
#include <memory>

#include "skua/program/algorithm/merge.hpp"
#include "skua/program/algorithm/scratch.hpp"
#include "skua/program/algorithm/sort_leaf.hpp"
#include "skua/program/algorithm/split.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// One run of `stable_sort`. Divides the range into 2^k leaves of nearly equal size. Each leaf is moved to the buffer,
/// and sorted there or back into the range. Every level above merges from one to the other, the topmost into the range.
///
/// Invariant (alive): all objects of the range are always alive, moved-from or not; an object of the buffer is alive
/// once its leaf has begun. So sorting and merging only assign, and no object is lost if a comparison throws.
template <class Here, class It, class Less>
class merge_sort {
  using T = std::iter_value_t<It>;

 public:
  merge_sort(It first, std::size_t n, Less& less, std::size_t most)
      : first_(first), n_(n), less_(less), most_(most), leaves_(std::bit_ceil(divide_up(n, most))),
        buffer_(n, leaves_) {}

  void operator()(Here& here) {
    level(here, 0, leaves_, target::range);
    buffer_.clear(here);
  }

 private:
  enum class target : bool { range, buffer };

  /// A piece of a merge has up to this many leaves, because every split is a binary search through uncached memory.
  static constexpr std::size_t merge_factor = 8;

  /// Where leaf number `leaf` begins: n * leaf / leaves, without overflow.
  [[nodiscard]] std::size_t begin(std::size_t leaf) const noexcept {
    return n_ / leaves_ * leaf + n_ % leaves_ * leaf / leaves_;
  }

  /// Sorts leaves [low, high) into the target.
  void level(Here& here, std::size_t low, std::size_t high, target into) {
    if (high - low == 1) {
      sort_leaf(here, low, into);
      return;
    }
    std::size_t const mid = middle(low, high);
    target const from = into == target::range ? target::buffer : target::range;
    here.join([=, this](Here& h) { level(h, low, mid, from); }, [=, this](Here& h) { level(h, mid, high, from); });
    if (into == target::range) {
      merge_runs(here, buffer_.data(), first_, {begin(low), begin(mid), begin(high)});
    } else {
      merge_runs(here, first_, buffer_.data(), {begin(low), begin(mid), begin(high)});
    }
  }

  /// Two neighbouring runs: [begin, mid) and [mid, end).
  struct runs {
    std::size_t begin, mid, end;
  };
  template <class From, class To>
  void merge_runs(Here& here, From from, To to, runs r) {
    sorted_pair<From, From> const in{after(from, r.begin), r.mid - r.begin, after(from, r.mid), r.end - r.mid};
    merge_pieces(here, in, after(to, r.begin), less_, merge_factor * most_, by_moving{});
  }

  void sort_leaf(Here& here, std::size_t leaf, target into) {
    throw_if_stopped(here);
    It const own = after(first_, begin(leaf));
    std::size_t const n = begin(leaf + 1) - begin(leaf);
    T* const room = buffer_.data() + begin(leaf);
    std::uninitialized_move_n(own, n, room);
    buffer_.note(leaf, room, n);
    if (into == target::range) {
      sort_across(room, own, n, less_);
    } else {
      sort_in_place(room, own, n, less_);
    }
  }

  It first_;
  std::size_t n_;
  Less& less_;
  std::size_t most_;
  std::size_t leaves_;
  scratch<T> buffer_;
};

/// Sorts the range; equal elements keep their order. `less` is a strict weak order; several workers may call it at
/// once. Elements may be move-only; moving them should not throw.
/// `most`: elements per leaf; automatic: 2048. Work O(n log n), span O(most log most + log^3 n). Extra space: n
/// elements. If `less` throws or a stop is requested (see for_each), the range holds n valid elements of unspecified
/// values. Throws std::bad_alloc if there is no memory for the buffer; then the range is untouched.
template <fork_join Here, divisible_range Range, class Less = std::less<>>
  requires std::sortable<iterator_of<Range>, Less> && std::is_lvalue_reference_v<reference_of<Range>>
void stable_sort(Here& here, Range&& range, Less less = {}, grain most = automatic) {
  auto const first = std::ranges::begin(range);
  std::size_t const n = length(range);
  if (n <= insertion_most) {
    throw_if_stopped(here);
    insertion_sort(first, n, less);
    return;
  }
  std::size_t const leaf = most.elements != 0 ? most.elements : std::size_t{2048};
  merge_sort<Here, iterator_of<Range>, Less> run{first, n, less, leaf};
  run(here);
}

/// The same for the elements of the iterator range [first, last).
template <fork_join Here, std::random_access_iterator It, class Less = std::less<>>
  requires std::sortable<It, Less>
void stable_sort(Here& here, It first, It last, Less less = {}, grain most = automatic) {
  stable_sort(here, between(first, last), std::move(less), most);
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::stable_sort;

}}  // namespace skua::v0
