// SPDX-License-Identifier: MIT
// The only source of randomness in the library: seeded, small, the same numbers on every machine.
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 { namespace runtime {

/// splitmix64 (Steele, Lea, Flood 2014): 64 bits of state, period 2^64, good enough to choose victims.
class dice {
 public:
  explicit constexpr dice(std::uint64_t seed) noexcept : state_(seed) {}

  constexpr std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9e37'79b9'7f4a'7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11ebULL;
    return z ^ (z >> 31);
  }

  /// A number in [0, n), n > 0; bias below n / 2^32 (Lemire's multiplication).
  constexpr std::uint32_t below(std::uint32_t n) noexcept {
    return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32);
  }

  /// A number in [0, 1).
  constexpr double unit() noexcept { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

}}}  // namespace skua::v0::runtime
