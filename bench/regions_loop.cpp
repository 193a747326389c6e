// SPDX-License-Identifier: MIT
// The loop that all runners of regions_bench and pools_bench run. It stands in a file of its own so that no compiler sees its work and its
// callers at once: some would vectorise the work, others not.
#include <string>

#include "bench/regions.hpp"

namespace skua::bench::regions {

void touch(float in, float& sum) noexcept {
  float y = in;
  for (int i = 0; i < 5; ++i) y = 1 / (1 + y);
  sum += static_cast<float>(static_cast<int>(y * 16));
}

loop::loop(setting const& s, std::int64_t us)
    : in_(static_cast<std::size_t>(us * 1'000'000 / s.index_ps)), sum_(in_.size(), 0) {
  for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = static_cast<float>(i % 97) / 8;
}

void loop::check(std::int64_t regions) {
  constexpr std::int64_t most_exact = std::int64_t{1} << 20;  // at most 16 is added to a float with 24 bits
  verify(regions <= most_exact, "more regions than a float counts");
  for (std::size_t i = 0; i < size(); ++i) {
    float once = 0;
    touch(in_[i], once);
    verify(sum_[i] == once * static_cast<float>(regions), "index " + std::to_string(i) + " of a loop");
  }
}

}  // namespace skua::bench::regions
