// SPDX-License-Identifier: MIT
// One number of a machine model: its value, its range, and its source.
#pragma once

#include <cstdint>
#include <string>

namespace skua { inline namespace v0 { namespace sim {

/// Selects the value of a figure, or an end of its range.
enum class bound : std::uint8_t { stated, low, high };

/// Invariant (ordered): 0 < low <= value <= high, all finite; a share may be 0.
struct figure {
  std::string key = {};  ///< "memory.latency_ns"; "link.latency_ns[1]" of a list
  double value = 0;
  double low = 0;        ///< = value where the file gives no range
  double high = 0;       ///< = value where the file gives no range
  bool assumed = false;  ///< neither published nor measured; low .. high is the plausible range
  std::string source = {};
  std::uint32_t line = 0;  ///< of the file

  [[nodiscard]] double at(bound which) const noexcept {
    return which == bound::low ? low : which == bound::high ? high : value;
  }
};

}}}  // namespace skua::v0::sim
