// SPDX-License-Identifier: MIT
// A few measurements of the same thing: the middle one, and between what most of them lie.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace skua::cli {

struct samples {
  double median = 0;
  double low = 0;   ///< a tenth of them is below
  double high = 0;  ///< a tenth of them is above

  /// At least one number.
  [[nodiscard]] static samples of(std::vector<double> all) {
    std::ranges::sort(all);
    std::size_t const last = all.size() - 1;
    return {all[last / 2], all[last / 10], all[last - last / 10]};
  }
};

/// `count` numbers from take(), after one that does not count.
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

}  // namespace skua::cli
