// SPDX-License-Identifier: MIT
// The footprint of a leaf: `here.leaf(reads{a, n}, writes{b, m}, flops{k}, kernel)`. Threads call the kernel, and log
// the footprint while a leaf_record lives. The simulator charges it, and the recorder records it.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace skua { inline namespace v0 { namespace runtime {

/// The leaf reads `bytes` bytes from `data` on. For a part of a matrix: `bytes` bytes in each of `rows` rows, which
/// begin `stride` bytes apart.
struct reads {
  void const* data;
  std::size_t bytes;
  std::size_t rows = 1;
  std::size_t stride = 0;
};

/// The leaf writes these bytes, with parameters as for `reads`. It may read them as well, without a `reads` for them.
struct writes {
  void const* data;
  std::size_t bytes;
  std::size_t rows = 1;
  std::size_t stride = 0;
};

/// The number of arithmetic operations of the leaf.
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

/// The sum of all words of one leaf. The address of the first `writes` identifies the leaf: two leaves of one iteration
/// write to different addresses.
struct footprint {
  void const* written = nullptr;  ///< the address of the first `writes`
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

/// The footprint of the arguments of a `leaf`; ignores the kernel.
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
