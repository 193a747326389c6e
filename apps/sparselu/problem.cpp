// SPDX-License-Identifier: MIT
#include "apps/sparselu/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "skua/parts/base/dice.hpp"

namespace skua::apps::sparselu {
namespace {

/// Which blocks the suite's matrix has.
bool is_there(std::size_t i, std::size_t j) noexcept {
  if (i == j || i + 1 == j || j + 1 == i) return true;
  if (i % 2 == 1 || j % 2 == 1) return false;
  return i < j ? i % 3 == 0 : j % 3 == 0;
}

using vector = std::vector<double>;

/// to += part of the block matrix * x. `weigh(value)` is applied to every element; `lower` and `upper` choose the part.
enum class part : std::uint8_t { all, lower, upper };

template <class Weigh>
vector times(block_matrix const& m, part which, vector const& x, Weigh&& weigh) {
  std::size_t const s = m.size();
  vector to(x.size(), 0);
  for (std::size_t bi = 0; bi < m.blocks(); ++bi) {
    for (std::size_t bj = 0; bj < m.blocks(); ++bj) {
      float const* const b = m.at(bi, bj);
      if (b == nullptr || (which == part::lower && bj > bi) || (which == part::upper && bj < bi)) continue;
      for (std::size_t i = 0; i < s; ++i) {
        std::size_t const first = which == part::upper && bi == bj ? i : 0;
        std::size_t const end = which == part::lower && bi == bj ? i : s;
        double sum = 0;
        for (std::size_t j = first; j < end; ++j) sum += weigh(double{b[i * s + j]}) * x[bj * s + j];
        to[bi * s + i] += sum;
      }
    }
  }
  if (which == part::lower) {
    for (std::size_t i = 0; i < x.size(); ++i) to[i] += x[i];  // the ones on its diagonal
  }
  return to;
}

}  // namespace

float* block_matrix::fill(std::size_t i, std::size_t j) {
  auto& block = all_[i * blocks_ + j];
  if (block == nullptr) block = std::make_unique<float[]>(size_ * size_);
  return block.get();
}

std::size_t block_matrix::filled() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(all_, [](auto const& b) { return b != nullptr; }));
}

void block_matrix::copy(block_matrix const& from) {
  *this = block_matrix(from.blocks_, from.size_);
  for (std::size_t i = 0; i < blocks_; ++i) {
    for (std::size_t j = 0; j < blocks_; ++j) {
      if (float const* const b = from.at(i, j)) std::copy_n(b, size_ * size_, fill(i, j));
    }
  }
}

block_matrix generated(std::size_t blocks, std::size_t size, std::uint64_t seed) {
  block_matrix made(blocks, size);
  for (std::size_t i = 0; i < blocks; ++i) {
    for (std::size_t j = 0; j < blocks; ++j) {
      if (is_there(i, j)) made.fill(i, j);
    }
  }
  runtime::dice roll{seed};
  for (std::size_t i = 0; i < blocks; ++i) {
    for (std::size_t row = 0; row < size; ++row) {
      float sum = 0;
      for (std::size_t j = 0; j < blocks; ++j) {
        float* const b = made.at(i, j);
        if (b == nullptr) continue;
        for (std::size_t column = 0; column < size; ++column) {
          float const value = (static_cast<float>(roll.below(65536)) - 32768.0F) / 16384.0F;
          b[row * size + column] = value;
          sum += std::fabs(value);
        }
      }
      made.at(i, i)[row * size + row] = 2 * sum + 1;
    }
  }
  return made;
}

void lu0(float* diagonal, std::size_t size) noexcept {
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t i = k + 1; i < size; ++i) {
      float const factor = diagonal[i * size + k] /= diagonal[k * size + k];
      for (std::size_t j = k + 1; j < size; ++j) diagonal[i * size + j] -= factor * diagonal[k * size + j];
    }
  }
}

void fwd(float const* diagonal, float* block, std::size_t size, std::size_t begin, std::size_t end) noexcept {
  for (std::size_t k = 0; k < size; ++k) {
    float const* __restrict const from = block + k * size;
    for (std::size_t i = k + 1; i < size; ++i) {
      float* __restrict const to = block + i * size;
      float const factor = diagonal[i * size + k];
      for (std::size_t j = begin; j < end; ++j) to[j] -= factor * from[j];
    }
  }
}

void bdiv(float const* diagonal, float* block, std::size_t size, std::size_t begin, std::size_t end) noexcept {
  for (std::size_t i = begin; i < end; ++i) {
    float* __restrict const to = block + i * size;
    for (std::size_t k = 0; k < size; ++k) {
      float const* __restrict const from = diagonal + k * size;
      float const factor = to[k] /= from[k];
      for (std::size_t j = k + 1; j < size; ++j) to[j] -= factor * from[j];
    }
  }
}

void bmod(float const* below, float const* right, float* inner, std::size_t size, std::size_t begin,
          std::size_t end) noexcept {
  for (std::size_t i = begin; i < end; ++i) {
    float* __restrict const to = inner + i * size;
    for (std::size_t k = 0; k < size; ++k) {
      float const* __restrict const from = right + k * size;
      float const factor = below[i * size + k];
      for (std::size_t j = 0; j < size; ++j) to[j] -= factor * from[j];
    }
  }
}

void task::run(std::size_t size) const noexcept {
  what == operation::lu0 ? sparselu::lu0(block, size) : run_part(size, 0, size);
}

void task::run_part(std::size_t size, std::size_t begin, std::size_t end) const noexcept {
  switch (what) {
    case operation::lu0: break;
    case operation::fwd: return sparselu::fwd(first, block, size, begin, end);
    case operation::bdiv: return sparselu::bdiv(first, block, size, begin, end);
    case operation::bmod: return sparselu::bmod(first, second, block, size, begin, end);
  }
}

double task::operations(std::size_t size) const noexcept {
  auto const n = static_cast<double>(size);
  switch (what) {
    case operation::lu0: return 2 * n * n * n / 3;
    case operation::fwd:
    case operation::bdiv: return n * n * n;
    case operation::bmod: break;
  }
  return 2 * n * n * n;
}

void run_alone(block_matrix& a) {
  for_each_task(a, [&a](task const& t) { t.run(a.size()); });
}

std::string wrong(block_matrix const& lu, block_matrix const& a) {
  std::size_t const n = a.blocks() * a.size();
  double const rounding = static_cast<double>(n) * std::numeric_limits<float>::epsilon() / 2;
  double const bound = rounding / (1 - rounding) + static_cast<double>(n) * 1e-15;  // the check is in doubles
  auto const value = [](double x) { return x; };
  auto const magnitude = [](double x) { return std::fabs(x); };
  runtime::dice roll{7};
  for (int round = 0; round < 2; ++round) {
    vector x(n);
    for (double& e : x) e = static_cast<double>(roll.below(2001)) / 1000 - 1;
    vector size_of_x(n);
    std::ranges::transform(x, size_of_x.begin(), magnitude);
    vector const got = times(lu, part::lower, times(lu, part::upper, x, value), value);
    vector const right = times(a, part::all, x, value);
    vector const allowed = times(lu, part::lower, times(lu, part::upper, size_of_x, magnitude), magnitude);
    for (std::size_t i = 0; i < n; ++i) {
      if (std::fabs(got[i] - right[i]) <= bound * allowed[i]) continue;  // a NaN is not
      return "sparselu: row " + std::to_string(i) + " of L U x is " + std::to_string(got[i]) + "; right is " +
             std::to_string(right[i]) + " up to " + std::to_string(bound * allowed[i]);
    }
  }
  return {};
}

}  // namespace skua::apps::sparselu
