// SPDX-License-Identifier: MIT
#include "cli/probes/memory_probes.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "apps/heat/sweep.hpp"
#include "cli/probes/samples.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/memory/page_array.hpp"

namespace skua::cli {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr double least_bytes_read = 1 << 24;  // per measurement, so that the clock does not show

/// Hides the value from the compiler.
template <class T>
void hide(T& value) noexcept {
  asm volatile("" : "+r"(value) : : "memory");
}

/// Reads every byte with the C library's widest loads, in search of a byte that is not there.
void read_all(char const* data, std::size_t bytes) {
  hide(data);  // compilers know that memchr finds the same in the same memory, and would call it once
  verify(std::memchr(data, 1, bytes) == nullptr, "memory holds only what was written");
}

page_array<char> zeros(std::size_t bytes) {
  page_array<char> made(bytes, page_size::huge);
  std::memset(made.data(), 0, bytes);
  return made;
}

/// The sum of y over all numbers x, where y is x after `degree` steps y := 1/2 + y/2.
float sum_of_polynomials(float const* data, std::size_t count, unsigned degree) {
  constexpr std::size_t width = 16;  // independent of each other, and with their sums in registers
  float sums[width] = {};
  for (std::size_t i = 0; i < count; i += width) {
    float values[width];
    for (std::size_t j = 0; j < width; ++j) values[j] = data[i + j];
    for (unsigned d = 0; d < degree; ++d) {
      for (std::size_t j = 0; j < width; ++j) values[j] = 0.5F + 0.5F * values[j];
    }
    for (std::size_t j = 0; j < width; ++j) sums[j] += values[j];
  }
  return std::accumulate(std::begin(sums), std::end(sums), 0.0F);
}

/// Ns per byte of that sum over ones, a fixed point of the steps, so the sum is `count`, which a float holds exactly.
double polynomial_ns(float const* ones, std::size_t count, unsigned degree, unsigned passes) {
  bool right = true;
  double const ns = ns_of([&] {
    for (unsigned p = 0; p < passes; ++p) {
      hide(ones);
      right &= sum_of_polynomials(ones, count, degree) == static_cast<float>(count);
    }
  });
  verify(right, "a sum of ones is their number");
  return ns / (static_cast<double>(count * sizeof(float)) * passes);
}

void wait_for(std::atomic<unsigned> const& word, unsigned value) {
  while (word.load(std::memory_order_acquire) < value) runtime::relax();
}

}  // namespace

double clock_ghz() {
  constexpr std::uint64_t turns = 20'000'000;
  std::uint64_t x = 0;
  std::uint64_t step = 1;
  hide(step);  // processors add constants while they rename registers, several in a cycle
  double const ns = ns_of([&] {
    while (x < turns) {
      x += step;
      hide(x);
    }
  });
  return static_cast<double>(turns) / ns;
}

double flops_per_ns() {
  constexpr std::size_t rows = 16;
  constexpr std::size_t columns = 128;
  constexpr std::size_t stride = columns + 16;
  constexpr int turns = 2000;
  std::vector<float> from((rows + 2) * stride, 1.0F);
  std::vector<float> to((rows + 2) * stride, 0.0F);
  apps::heat::rectangle const r{
      .from = &from[stride + 1], .to = &to[stride + 1], .stride = stride, .rows = rows, .columns = columns};
  auto* const sweep = apps::heat::sweeps().back().function;
  double const ns = ns_of([&] {
    for (int i = 0; i < turns; ++i) sweep(r);
  });
  verify(to[stride + 1] == 1.0F, "an even field stays as it is");
  return 7.0 * rows * columns * turns / ns;
}

/// Sweeps the memory once in parts, with and without arithmetic in turn, so that a disturbance hits both.
double hidden_share(std::size_t bytes) {
  constexpr std::size_t near = 4096;     // numbers, in the first-level cache
  constexpr std::size_t part = 1 << 18;  // 1 MiB
  constexpr unsigned highest = 64;
  constexpr std::size_t tries = 9;
  std::size_t const all = bytes / sizeof(float) / part * part;
  page_array<float> const ones(all, page_size::huge);
  std::ranges::fill(ones, 1.0F);
  auto const near_ns = [&](unsigned degree) {
    return median(repeated(tries, [&] { return polynomial_ns(ones.data(), near, degree, 64); }));
  };
  std::size_t at = 0;
  double const first = median(repeated(tries, [&] { return polynomial_ns(&ones[part * at++], part, 0, 1); }));
  unsigned degree = 1;
  while (degree < highest && near_ns(degree) < first) ++degree;
  std::vector<double> plain;
  std::vector<double> both;
  for (; (at + 2) * part <= all; at += 2) {
    plain.push_back(polynomial_ns(&ones[part * at], part, 0, 1));
    both.push_back(polynomial_ns(&ones[part * (at + 1)], part, degree, 1));
  }
  double const arithmetic = near_ns(degree);
  double const fetching = median(std::move(plain));
  double const longer = std::max(arithmetic, fetching);
  double const shorter = std::min(arithmetic, fetching);
  return std::clamp(1 - (median(std::move(both)) - longer) / shorter, 0.0, 1.0);
}

double read_bytes_per_ns(std::size_t bytes, unsigned threads) {
  auto const passes = static_cast<unsigned>(std::max(1.0, least_bytes_read / static_cast<double>(bytes)));
  std::atomic<unsigned> ready{0};
  std::vector<double> ns(threads);
  {
    std::vector<std::jthread> readers;
    for (unsigned t = 0; t < threads; ++t) {
      readers.emplace_back([&, t] {
        page_array<char> const mine = zeros(bytes);
        read_all(mine.data(), bytes);
        ready.fetch_add(1, std::memory_order_acq_rel);
        wait_for(ready, threads);
        ns[t] = ns_of([&] {
          for (unsigned p = 0; p < passes; ++p) read_all(mine.data(), bytes);
        });
        ready.fetch_add(1, std::memory_order_acq_rel);
        while (ready.load(std::memory_order_acquire) < 2 * threads)
          read_all(mine.data(), bytes);  // keep the memory busy until all are done
      });
    }
  }
  double rate = 0;
  for (double const each : ns) rate += static_cast<double>(bytes) * passes / each;
  return rate;
}

double write_bytes_per_ns(std::size_t bytes) {
  page_array<std::uint64_t> const mine(bytes / sizeof(std::uint64_t), page_size::huge);
  auto const passes = static_cast<unsigned>(std::max(1.0, least_bytes_read / static_cast<double>(bytes)));
  std::ranges::fill(mine, 0x0123'4567'89ab'cdefULL);
  double const ns = ns_of([&] {
    for (std::uint64_t p = 0; p < passes; ++p) {
      std::uint64_t value = 0x0123'4567'89ab'cdefULL + p;
      hide(value);
      std::ranges::fill(mine, value);
    }
  });
  verify(mine[mine.size() / 2] == 0x0123'4567'89ab'cdefULL + passes - 1, "memory holds what was written last");
  return static_cast<double>(bytes) * passes / ns;
}

/// Sattolo's shuffle: one ring, not several.
pointer_ring::pointer_ring(std::size_t bytes) : stops_(bytes / sizeof(stop), page_size::huge) {
  std::vector<std::uint32_t> order(stops_.size());
  std::iota(order.begin(), order.end(), 0U);
  runtime::dice roll(1);
  for (auto i = static_cast<std::uint32_t>(order.size()) - 1; i > 0; --i) std::swap(order[i], order[roll.below(i)]);
  for (std::size_t i = 0; i < order.size(); ++i) stops_[i].next = &stops_[order[i]];
}

double pointer_ring::ns(unsigned chains) {
  constexpr std::size_t steps = 200'000;
  std::vector<stop const*> at;
  constexpr std::size_t stride = 1'000'003;  // in memory, and so anywhere in the ring
  for (unsigned c = 0; c < chains; ++c) at.push_back(&stops_[++turn_ * stride % stops_.size()]);
  auto const walk = [&] {
    for (std::size_t i = 0; i < steps; ++i) {
      for (stop const*& s : at) s = s->next;
    }
  };
  walk();
  double const took = ns_of(walk);
  verify(std::ranges::all_of(at, [](stop const* s) { return s != nullptr; }), "a ring has no end");
  return took / static_cast<double>(steps * chains);
}

double ping_ns() {
  constexpr unsigned rounds = 20'000;
  alignas(runtime::cache_line_bytes) std::atomic<unsigned> there{0};
  alignas(runtime::cache_line_bytes) std::atomic<unsigned> back{0};
  std::jthread const other([&] {
    for (unsigned i = 1; i <= rounds; ++i) {
      wait_for(there, i);
      back.store(i, std::memory_order_release);
    }
  });
  double const ns = ns_of([&] {
    for (unsigned i = 1; i <= rounds; ++i) {
      there.store(i, std::memory_order_release);
      wait_for(back, i);
    }
  });
  return ns / (2.0 * rounds);
}

double handed_over_bytes_per_ns(std::size_t bytes) {
  constexpr unsigned rounds = 50;
  page_array<char> const shared = zeros(bytes);
  std::atomic<unsigned> written{0};
  std::atomic<unsigned> seen{0};
  std::jthread const writer([&] {
    for (unsigned i = 1; i <= rounds; ++i) {
      wait_for(seen, i - 1);
      for (std::size_t at = 0; at < bytes; at += line_bytes) shared[at] = 2;
      written.store(i, std::memory_order_release);
    }
  });
  double ns = 0;
  for (unsigned i = 1; i <= rounds; ++i) {
    wait_for(written, i);
    ns += ns_of([&] { read_all(shared.data(), bytes); });
    seen.store(i, std::memory_order_release);
  }
  return static_cast<double>(bytes) * rounds / ns;
}

}  // namespace skua::cli
