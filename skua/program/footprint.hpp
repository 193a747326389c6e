// SPDX-License-Identifier: MIT
// What a leaf touches: `here.leaf(reads{a, n}, writes{b, m}, flops{k}, kernel)`.
// Threads just call the kernel, and add a row to a log if one is kept; the simulator charges
// the leaf; the recorder writes it down.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace skua { inline namespace v0 { namespace runtime {

/// The leaf reads `bytes` bytes from `data`; of a part of a matrix, `bytes` bytes in each of `rows` rows, which begin
/// `stride` bytes apart.
struct reads {
  void const* data;
  std::size_t bytes;
  std::size_t rows = 1;
  std::size_t stride = 0;
};

/// The leaf writes these bytes. It may read them as well: what they contained before need not be declared.
struct writes {
  void const* data;
  std::size_t bytes;
  std::size_t rows = 1;
  std::size_t stride = 0;
};

/// Number of arithmetic operations.
struct flops {
  double count;
};

template <class T>
concept footprint_word =
    std::is_same_v<std::remove_cvref_t<T>, reads> || std::is_same_v<std::remove_cvref_t<T>, writes> ||
    std::is_same_v<std::remove_cvref_t<T>, flops>;

/// Calls the kernel, the last argument of `leaf`, and ignores the footprint.
template <class Kernel>
constexpr decltype(auto) call_kernel(Kernel&& kernel) {
  return std::forward<Kernel>(kernel)();
}
template <footprint_word Word, class Next, class... Rest>
constexpr decltype(auto) call_kernel(Word&&, Next&& next, Rest&&... rest) {
  return call_kernel(std::forward<Next>(next), std::forward<Rest>(rest)...);
}

/// All words of one leaf, added up. The first `writes` names the leaf: two leaves of one
/// iteration write to different places.
struct footprint {
  void const* written = nullptr;  ///< where the first `writes` begins
  std::size_t bytes_written = 0;  ///< of all `writes`, counting one row of each
  std::size_t bytes_read = 0;     ///< of all `reads`, counting one row of each
  double operations = 0;          ///< of all `flops`

  constexpr void add(reads const& r) noexcept { bytes_read += r.bytes; }
  constexpr void add(writes const& w) noexcept {
    if (written == nullptr) written = w.data;
    bytes_written += w.bytes;
  }
  constexpr void add(flops const& f) noexcept { operations += f.count; }
  template <class Kernel>
    requires(!footprint_word<Kernel>)
  constexpr void add(Kernel const&) noexcept {}
};

/// The footprint that the arguments of a `leaf` add up to; the kernel is ignored.
template <class... Args>
constexpr footprint footprint_of(Args const&... args) noexcept {
  footprint all;
  (all.add(args), ...);
  return all;
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::flops;
using runtime::footprint;
using runtime::reads;
using runtime::writes;

}}  // namespace skua::v0
