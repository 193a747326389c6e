// SPDX-License-Identifier: MIT
// Radix sort of integers: divides them by their first bytes into buckets that fit a cache, and sorts each bucket by the
// other bytes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "skua/program/algorithm/for_each.hpp"
#include "skua/program/algorithm/quick_sort.hpp"

namespace skua { inline namespace v0 { namespace runtime {

enum class direction : std::uint8_t { none, ascending, descending };

/// The direction of an order on numbers; none for an order that is neither `less` nor `greater` of the standard
/// library.
template <class T, class Less>
inline constexpr direction direction_of =
    std::is_same_v<Less, std::less<>> || std::is_same_v<Less, std::less<T>> || std::is_same_v<Less, std::ranges::less>
        ? direction::ascending
    : std::is_same_v<Less, std::greater<>> || std::is_same_v<Less, std::greater<T>> ||
            std::is_same_v<Less, std::ranges::greater>
        ? direction::descending
        : direction::none;
template <class T, class Less>
inline constexpr direction direction_of<T, std::reference_wrapper<Less const>> = direction_of<T, Less>;

template <class T>
concept radix_key = std::integral<T> && !std::same_as<T, bool>;

/// One run. A level moves the elements between the range and a buffer of its size, into a bucket for each value of the
/// first byte in which they differ: each block counts its elements, then moves them. Blocks run in parallel, and so do
/// the buckets, each as a level of its own. A bucket that fits a cache is sorted from its last byte to its first, or by
/// comparisons if many bytes are left.
template <class Here, radix_key T, direction To>
class radix_sort {
  using bits = std::make_unsigned_t<T>;
  static constexpr std::size_t radix = 256;

 public:
  /// The number of elements from which on radix sort is faster than comparing.
  static constexpr std::size_t least = 1024;

  /// Sorts. Returns false, and has changed nothing, if there is no memory for the buffer. Throws std::bad_alloc only if
  /// there is none for the counts of a level: 2 KiB per block.
  static bool run(Here& here, T* data, std::size_t n) {
    std::unique_ptr<T[]> const buffer(new (std::nothrow) T[n]);
    if (buffer == nullptr) return false;
    level(here, {data, buffer.get(), n, false});
    return true;
  }

 private:
  /// Elements in the range or, `is_away`, in the buffer; they end in the range.
  struct bucket {
    T* home;
    T* away;
    std::size_t n;
    bool is_away;
    [[nodiscard]] T* source() const noexcept { return is_away ? away : home; }
    [[nodiscard]] T* target() const noexcept { return is_away ? home : away; }
  };
  using counts = std::array<std::size_t, radix>;

  static constexpr std::size_t cached = 262'144 / sizeof(T);  ///< elements that fit a core's cache with their buffer
  static constexpr std::size_t block = 16'384;                ///< elements that are worth a task
  static constexpr int most_passes = 4;                       ///< more passes take longer than comparisons

  /// The key whose unsigned order is the order of the sort.
  static constexpr bits key_of(T x) noexcept {
    constexpr int last = std::numeric_limits<bits>::digits - 1;
    constexpr bits sign = std::is_signed_v<T> ? static_cast<bits>(bits{1} << last) : bits{0};
    bits const ascending = static_cast<bits>(static_cast<bits>(x) ^ sign);
    return To == direction::ascending ? ascending : static_cast<bits>(~ascending);
  }
  static constexpr std::size_t digit_of(T x, int shift) noexcept {
    return static_cast<std::size_t>(key_of(x) >> shift) % radix;
  }

  /// The bits in which any of these differs from the first.
  static bits varying_bits(T const* from, std::size_t n) noexcept {
    bits varying = 0;
    for (std::size_t i = 0; i < n; ++i)
      varying = static_cast<bits>(varying | (static_cast<bits>(from[i]) ^ static_cast<bits>(from[0])));
    return varying;
  }

  /// Calls body(number, begin, end) for the blocks of n elements.
  template <class Body>
  static void each_block(Here& here, std::size_t blocks, std::size_t n, Body const& body) {
    auto const begin = [=](std::size_t b) { return n / blocks * b + std::min(b, n % blocks); };
    for_each(
        here, std::size_t{0}, blocks,
        [&](Here& h, std::size_t b) {
          throw_if_stopped(h);
          body(b, begin(b), begin(b + 1));
        },
        grain{1});
  }

  static void level(Here& here, bucket const& all) {
    throw_if_stopped(here);
    if (all.n <= cached) return sort_in_cache(all);
    std::size_t const blocks =
        here.num_workers() < 2 ? 1 : std::clamp<std::size_t>(all.n / block, 1, std::size_t{4} * here.num_workers());
    struct of_block {
      counts digits;  ///< number of elements with this digit; then the position of the next one
      bits varying;
    };
    std::unique_ptr<of_block[]> const found(new of_block[blocks]);
    T const* const from = all.source();
    each_block(here, blocks, all.n, [&](std::size_t b, std::size_t begin, std::size_t end) {
      found[b].varying = static_cast<bits>(varying_bits(from + begin, end - begin) |
                                           (static_cast<bits>(from[begin]) ^ static_cast<bits>(from[0])));
    });
    bits varying = 0;
    for (std::size_t b = 0; b < blocks; ++b) varying = static_cast<bits>(varying | found[b].varying);
    if (varying == 0) return bring_home(here, blocks, all);
    int const shift = std::max(0, static_cast<int>(std::bit_width(varying)) - 8);

    each_block(here, blocks, all.n, [&](std::size_t b, std::size_t begin, std::size_t end) {
      found[b].digits = count(from + begin, end - begin, shift);
    });
    std::array<std::size_t, radix + 1> begin_of;  // of each bucket
    std::size_t place = 0;
    for (std::size_t d = 0; d < radix; ++d) {
      begin_of[d] = place;
      for (std::size_t b = 0; b < blocks; ++b) place += std::exchange(found[b].digits[d], place);
    }
    begin_of[radix] = place;
    each_block(here, blocks, all.n, [&](std::size_t b, std::size_t begin, std::size_t end) {
      scatter(from + begin, end - begin, all.target(), found[b].digits, shift);
    });
    for_each(
        here, std::size_t{0}, radix,
        [&](Here& h, std::size_t d) {
          std::size_t const at = begin_of[d];
          std::size_t const n = begin_of[d + 1] - at;
          if (n > 0) level(h, {all.home + at, all.away + at, n, !all.is_away});
        },
        grain{1});
  }

  static void bring_home(Here& here, std::size_t blocks, bucket const& all) {
    if (!all.is_away) return;
    each_block(here, blocks, all.n, [&](std::size_t, std::size_t begin, std::size_t end) {
      std::copy(all.away + begin, all.away + end, all.home + begin);
    });
  }

  static void sort_in_cache(bucket all) {
    bits const varying = varying_bits(all.source(), all.n);
    int passes = 0;
    for (int shift = 0; shift < std::numeric_limits<bits>::digits; shift += 8)
      passes += (varying >> shift) % radix != 0 ? 1 : 0;
    if (all.n < least || passes > most_passes) {
      if (all.is_away) std::copy(all.away, all.away + all.n, all.home);
      auto in_order = [](T a, T b) { return key_of(a) < key_of(b); };
      return quick_sort<T*, decltype(in_order)>{in_order, all.n}(all.home, all.home + all.n);
    }
    for (int shift = 0; shift < std::numeric_limits<bits>::digits; shift += 8) {
      if ((varying >> shift) % radix == 0) continue;
      counts places = count(all.source(), all.n, shift);
      std::size_t place = 0;
      for (std::size_t& of : places) place += std::exchange(of, place);
      scatter(all.source(), all.n, all.target(), places, shift);
      all.is_away = !all.is_away;
    }
    if (all.is_away) std::copy(all.away, all.away + all.n, all.home);
  }

  static counts count(T const* from, std::size_t n, int shift) noexcept {
    counts all{};
    for (std::size_t i = 0; i < n; ++i) ++all[digit_of(from[i], shift)];
    return all;
  }
  static void scatter(T const* from, std::size_t n, T* to, counts& next, int shift) noexcept {
    for (std::size_t i = 0; i < n; ++i) to[next[digit_of(from[i], shift)]++] = from[i];
  }
};

}}}  // namespace skua::v0::runtime
