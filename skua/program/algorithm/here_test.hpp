// SPDX-License-Identifier: MIT
// Shared by the tests of the algorithms: the `here`s that they run on, test sizes, elements that count themselves.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/program/serial.hpp"
#include "tests/programs/shuffled.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace testing {

/// Calls test(here) on the serial elision, in reverse order, and in three random orders with 1, 3 and 16 workers.
template <class Test>
void on_every_here(Test test) {
  {
    SCOPED_TRACE("serial");
    serial here;
    test(here);
  }
  {
    SCOPED_TRACE("backwards");
    shuffled here{0, 4, child_order::backwards};
    test(here);
  }
  for (std::uint32_t workers : {1U, 3U, 16U}) {
    std::uint64_t const seed = 0x5eed'0000 + workers;
    SCOPED_TRACE(::testing::Message() << "shuffled, seed " << seed << ", workers " << workers);
    shuffled here{seed, workers};
    test(here);
  }
}

/// Sizes: none, one, few, primes, powers of two and their neighbours, and some thousands.
inline std::vector<std::size_t> const sizes{0, 1, 2, 3, 7, 16, 17, 31, 64, 65, 257, 1009, 2048, 2049, 4099, 20011};
/// Leaf sizes: automatic, the smallest, some between, larger than any input.
inline std::vector<std::size_t> const grains{0, 1, 2, 5, 64, 1000, 1'000'000};

inline std::vector<int> numbers(std::size_t n, std::uint64_t seed, std::uint32_t below = 1'000'000) {
  runtime::dice d{seed};
  std::vector<int> all(n);
  for (int& x : all) x = static_cast<int>(d.below(below));
  return all;
}

/// Counts its living objects. Has no default constructor.
class counted {
 public:
  explicit counted(int v) : value(v) { ++alive; }
  counted(counted const& o) : value(o.value) { ++alive; }
  counted(counted&& o) noexcept : value(o.value) { ++alive; }
  counted& operator=(counted const&) = default;
  counted& operator=(counted&&) = default;
  ~counted() { --alive; }
  static long living() noexcept { return alive; }
  friend bool operator<(counted const& a, counted const& b) noexcept { return a.value < b.value; }

  int value;

 private:
  static inline long alive = 0;
};

/// Throws at its k-th call, counted from 1.
class fuse {
 public:
  explicit fuse(long k) : left_(k) {}
  void operator()() {
    if (--left_ == 0) throw std::runtime_error("fuse");
  }
  [[nodiscard]] bool blown() const noexcept { return left_ <= 0; }

 private:
  long left_;
};

}}}}  // namespace skua::v0::runtime::testing
