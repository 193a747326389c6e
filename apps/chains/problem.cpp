// SPDX-License-Identifier: MIT
#include "apps/chains/problem.hpp"

#include <algorithm>
#include <numeric>

#include "apps/checks.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua::apps::chains {
namespace {

std::size_t whole_groups(std::size_t columns) noexcept {
  return (columns + matmul::column_group - 1) / matmul::column_group * matmul::column_group;
}

float initial(std::uint64_t seed, std::size_t which, std::size_t i, std::size_t j) noexcept {
  return static_cast<float>(runtime::dice{seed ^ (which << 60) ^ (i << 30) ^ j}.next() % 1000);
}

/// Element n of the sequence x0, x1, x(n) = x(n - 1) - x(n - 2), which has the period 6.
float element(float x0, float x1, std::uint64_t n) noexcept {
  std::array<float, 6> const all{x0, x1, x1 - x0, -x0, -x1, x0 - x1};
  return all[n % 6];
}

std::string differs_at(std::string_view what, std::size_t i, std::size_t j, float got, float right) {
  return std::string(what) + ", element (" + std::to_string(i) + ", " + std::to_string(j) + ") is " +
         std::to_string(got) + "; right is " + std::to_string(right);
}

/// A cycle through all rows, so that no short product of permutations is the identity.
std::vector<std::uint32_t> random_cycle(std::size_t n, runtime::dice& roll) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t left = n; left > 1; --left)
    std::swap(order[left - 1], order[roll.below(static_cast<std::uint32_t>(left))]);
  std::vector<std::uint32_t> next(n);
  for (std::size_t i = 0; i < n; ++i) next[order[i]] = order[(i + 1) % n];
  return next;
}

}  // namespace

chain::chain(shape const& all, std::uint32_t which)
    : runs_(all.runs), size_(all.size),
      steps_(all.tasks / all.parallelism + (which < all.tasks % all.parallelism ? 1 : 0)),
      seed_(runtime::dice{all.seed + which}.next()), leaf_(matmul::leaves().back().function) {
  std::size_t const columns = whole_groups(size_);
  if (runs_ != kernel::triad) {
    runtime::dice roll{seed_};
    source_ = random_cycle(size_, roll);
    for (std::size_t i = 0; i < size_; ++i) sign_.push_back(roll.below(2) == 0 ? 1.0F : -1.0F);
    a_ = padded(size_, columns);
    for (std::size_t i = 0; i < size_; ++i) a_.row(i)[source_[i]] = sign_[i];
    for (padded& b : b_) b = padded(size_, columns);
  }
  if (runs_ != kernel::matmul) {
    for (padded& x : x_) x = padded(size_, columns);
  }
}

bool chain::multiplies(std::uint64_t step) const noexcept {
  return runs_ == kernel::matmul || (runs_ == kernel::mixed && step % 2 == 1);
}

task_type chain::type_of(std::uint64_t step) const noexcept { return multiplies(step) ? matmul_type : triad_type; }

flops chain::operations(std::uint64_t step) const noexcept {
  double const cells = static_cast<double>(size_) * static_cast<double>(size_);
  return {2 * cells * (multiplies(step) ? static_cast<double>(size_) : 1)};
}

chain::matrices chain::of(std::uint64_t step) const noexcept {
  std::uint64_t const i = before(step);
  if (multiplies(step)) return {&b_[(i + 1) % 2], &a_, &b_[i % 2]};
  return {&x_[(i + 2) % 3], &x_[(i + 1) % 3], &x_[i % 3]};
}

std::array<reads, 2> chain::read(std::uint64_t step, std::size_t begin, std::size_t end) const noexcept {
  matrices const m = of(step);
  bool const all = multiplies(step);
  return {touched<reads>(m.first, begin, end), touched<reads>(m.second, all ? 0 : begin, all ? size_ : end)};
}

void chain::run_rows(std::uint64_t step, std::size_t begin, std::size_t end) noexcept {
  matrices const m = of(step);
  if (multiplies(step)) {
    return leaf_({.c = m.to->row(begin),
                  .a = m.first->row(begin),
                  .b = m.second->row(0),
                  .c_stride = m.to->stride(),
                  .a_stride = m.first->stride(),
                  .b_stride = m.second->stride(),
                  .m = end - begin,
                  .n = m.to->columns(),
                  .k = size_,
                  .replace = true});
  }
  for (std::size_t i = begin; i < end; ++i) {
    float* __restrict const to = m.to->row(i);
    float const* const last = m.first->row(i);
    float const* const before_last = m.second->row(i);
    for (std::size_t j = 0; j < size_; ++j) to[j] = last[j] + scalar_ * before_last[j];
  }
}

void chain::end_step(std::uint64_t step) noexcept {
  in_order_ = in_order_ && step == done_;
  ++done_;
}

void chain::reset() {
  partitions_.clear();
  done_ = 0;
  in_order_ = true;
  for (std::size_t which = 0; which < 2; ++which) {
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j < size_; ++j) {
        if (runs_ != kernel::triad && which == 0) b_[0].row(i)[j] = initial(seed_, 2, i, j);
        if (runs_ != kernel::matmul) x_[which].row(i)[j] = initial(seed_, which, i, j);
      }
    }
  }
}

/// A^m by squaring: row i of the product is factor * row `from` of the first matrix.
std::string chain::wrong_product() const {
  std::uint64_t const products = runs_ == kernel::mixed ? steps_ / 2 : steps_;
  std::vector<std::uint32_t> from(size_);
  std::iota(from.begin(), from.end(), 0U);
  std::vector<float> factor(size_, 1.0F);
  std::vector<std::uint32_t> source = source_;
  std::vector<float> sign = sign_;
  auto const follow = [n = size_](auto& f, auto& s, auto const& g, auto const& t) {  // (f, s) becomes (g, t) o (f, s)
    for (std::size_t i = 0; i < n; ++i) {
      s[i] *= t[f[i]];
      f[i] = g[f[i]];
    }
  };
  for (std::uint64_t left = products; left > 0; left /= 2) {
    if (left % 2 == 1) follow(from, factor, source, sign);
    auto const once = source;
    auto const its_sign = sign;
    follow(source, sign, once, its_sign);
  }
  padded const& got = b_[products % 2];
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < size_; ++j) {
      float const right = factor[i] * initial(seed_, 2, from[i], j);
      if (got.row(i)[j] != right) return differs_at("product", i, j, got.row(i)[j], right);
    }
  }
  return {};
}

std::string chain::wrong_triad() const {
  std::uint64_t const triads = runs_ == kernel::mixed ? (steps_ + 1) / 2 : steps_;
  padded const& got = x_[(triads + 1) % 3];
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < size_; ++j) {
      float const right = element(initial(seed_, 0, i, j), initial(seed_, 1, i, j), triads + 1);
      if (got.row(i)[j] != right) return differs_at("triad", i, j, got.row(i)[j], right);
    }
  }
  return {};
}

std::string chain::wrong() const {
  if (done_ != steps_) return differs("tasks", done_, steps_);
  if (!in_order_) return "tasks ran out of order";
  if (runs_ != kernel::triad) {
    if (std::string found = wrong_product(); !found.empty()) return found;
  }
  return runs_ == kernel::matmul ? std::string() : wrong_triad();
}

problem::problem(shape const& s) {
  require_between("chains: --parallelism", std::int64_t{s.parallelism}, 1, 1'000'000);
  require_between("chains: --size", static_cast<std::int64_t>(s.size), 1, 4096);
  double const matrices = s.runs == kernel::mixed ? 6 : 3;
  double const gib =
      matrices * s.parallelism * static_cast<double>(s.size * whole_groups(s.size)) * sizeof(float) / 0x1p30;
  require_between("chains: the size of all matrices in GiB", gib, 0, 64);
  chains_.reserve(s.parallelism);
  for (std::uint32_t i = 0; i < s.parallelism; ++i) chains_.emplace_back(s, i);
  reset();
}

partition_counts problem::partitions() const {
  partition_counts all;
  for (chain const& c : chains_) {
    for (auto const& [partition, steps] : c.partitions()) all[partition] += steps;
  }
  return all;
}

void problem::reset() {
  for (chain& c : chains_) c.reset();
}

std::string problem::wrong() const {
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    if (std::string const found = chains_[i].wrong(); !found.empty())
      return "chains: chain " + std::to_string(i) + ": " + found;
  }
  return {};
}

void run_alone(problem& p) {
  for (chain& c : p.chains()) {
    for (std::uint64_t step = 0; step < c.steps(); ++step) c.run(step);
  }
}

}  // namespace skua::apps::chains
