// SPDX-License-Identifier: MIT
// Interruptions of cores by the operating system. Seeded: the same interruptions in every run.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "skua/machine/sim/costs.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace sim {

/// The largest share of a core's time that interruptions may take. Work takes 1 / (1 - share) as long: from 1 on no
/// leaf would ever end.
inline constexpr double most_noise = 0.9;

/// There is no noise unless both are positive.
struct noise_options {
  double per_second = 0;   ///< interruptions of a core, on average
  double duration_ns = 0;  ///< of each
  /// Of a core's time.
  [[nodiscard]] double share() const noexcept { return per_second * duration_ns * 1e-9; }
};

/// Gaps are uniform between 0.5 and 1.5 times their mean: without a logarithm they are the same on every computer. An
/// interruption while the worker runs nothing costs nothing.
class noise {
 public:
  /// Throws usage_error for more noise than most_noise.
  noise(noise_options const& o, std::uint32_t workers, std::uint64_t seed) : duration_(o.duration_ns * 1e3) {
    if (!(o.per_second > 0) || !(o.duration_ns > 0)) return;
    if (o.share() > most_noise) refuse(o);
    mean_gap_ = 1e12 / o.per_second;
    for (std::uint32_t w = 0; w < workers; ++w) {
      runtime::dice roll(seed * 0x1'0000'0001ULL + w);
      double const first = mean_gap_ * roll.unit();
      cores_.push_back({roll, first});
    }
  }

  /// The extra ticks of a run of `length` ticks that `w` begins at `now`.
  tick delay(tick now, worker_id w, tick length) {
    if (cores_.empty()) return 0;
    core& mine = cores_[index(w)];
    double lost = 0;
    while (mine.next < static_cast<double>(now) + static_cast<double>(length) + lost) {
      if (mine.next >= static_cast<double>(now)) lost += duration_;
      mine.next += mean_gap_ * (0.5 + mine.roll.unit());
    }
    return static_cast<tick>(lost);
  }

 private:
  [[noreturn, gnu::cold]] static void refuse(noise_options const& o) {
    throw usage_error("noise is " + std::to_string(std::llround(100 * o.share())) +
                      "% of a core's time; allowed: at most 90%, as in 100:20us, which is 0.2%");
  }

  struct core {
    runtime::dice roll;
    double next;  ///< interruption, in ticks
  };

  double duration_;
  double mean_gap_ = 0;
  std::vector<core> cores_;
};

}}}  // namespace skua::v0::sim
