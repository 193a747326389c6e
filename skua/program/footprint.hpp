// SPDX-License-Identifier: MIT
// What a leaf touches: `here.leaf(reads{a, n}, writes{b, m}, flops{k}, kernel)`.
// On threads a plain call of the kernel; in a simulation a charge; in a trace a row.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace skua {

/// `bytes` bytes from `data` are read.
struct reads {
  void const* data;
  std::size_t bytes;
};

/// `bytes` bytes from `data` are written.
struct writes {
  void const* data;
  std::size_t bytes;
};

/// Arithmetic operations.
struct flops {
  double count;
};

template <class T>
concept footprint_word =
    std::is_same_v<std::remove_cvref_t<T>, reads> || std::is_same_v<std::remove_cvref_t<T>, writes> ||
    std::is_same_v<std::remove_cvref_t<T>, flops>;

/// The kernel is the last argument of `leaf`: call it, ignore the footprint.
template <class Kernel>
constexpr decltype(auto) call_kernel(Kernel&& kernel) {
  return std::forward<Kernel>(kernel)();
}
template <footprint_word Word, class Next, class... Rest>
constexpr decltype(auto) call_kernel(Word&&, Next&& next, Rest&&... rest) {
  return call_kernel(std::forward<Next>(next), std::forward<Rest>(rest)...);
}

}  // namespace skua
