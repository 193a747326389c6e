// SPDX-License-Identifier: MIT
// The part of a block that a member of a team touches: some of its rows.
#pragma once

#include <cstddef>

namespace skua::apps {

/// The rows [begin, end) of a footprint that says its rows and its stride.
template <class Word>
[[nodiscard]] Word rows_of(Word const& whole, std::size_t begin, std::size_t end) noexcept {
  return {static_cast<char const*>(whole.data) + begin * whole.stride, whole.bytes, end - begin, whole.stride};
}

/// The part of all operations that falls on [begin, end) of n rows.
[[nodiscard]] inline double part_of(double all, std::size_t begin, std::size_t end, std::size_t n) noexcept {
  return all * static_cast<double>(end - begin) / static_cast<double>(n);
}

}  // namespace skua::apps
