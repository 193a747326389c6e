// SPDX-License-Identifier: MIT
// How probes measure: they time a loop, verify what it computed, and repeat that.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/base/error.hpp"

namespace skua::cli {

/// The middle of a few measurements of the same thing, and the range of most of them.
struct samples {
  double median = 0;
  double low = 0;   ///< the 10th percentile
  double high = 0;  ///< the 90th percentile

  /// At least one number.
  [[nodiscard]] static samples of(std::vector<double> all) {
    std::ranges::sort(all);
    std::size_t const last = all.size() - 1;
    return {all[last / 2], all[last / 10], all[last - last / 10]};
  }
};

/// `count` numbers from take(), after a first one that does not count.
template <class Take>
samples sample(unsigned count, Take&& take) {
  static_cast<void>(take());
  std::vector<double> all;
  for (unsigned i = 0; i < count; ++i) all.push_back(take());
  return samples::of(std::move(all));
}

/// Nanoseconds that f takes.
template <class F>
double ns_of(F&& f) {
  auto const start = std::chrono::steady_clock::now();
  std::forward<F>(f)();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

/// Throws error unless the probe computed what it should: the time of a wrong loop means nothing.
inline void verify(bool right, char const* what) {
  if (!right) throw error("a probe failed its check: " + std::string{what});
}

}  // namespace skua::cli
