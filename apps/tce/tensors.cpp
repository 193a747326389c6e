// SPDX-License-Identifier: MIT
#include "apps/tce/tensors.hpp"

namespace skua::apps::tce {
namespace {

constexpr std::uint32_t largest_element = 3;
constexpr std::uint32_t largest_weight = 1000;

double whole(runtime::dice& dice, std::uint32_t most) noexcept {
  return static_cast<double>(dice.below(2 * most + 1)) - most;
}

void fill(tiled_tensor& one, runtime::dice& dice) noexcept {
  for (double& element : one.elements()) element = random_element(dice);
}

}  // namespace

double random_element(runtime::dice& dice) noexcept { return whole(dice, largest_element); }

std::vector<double> random_vector(contraction const& on, std::uint64_t seed) {
  runtime::dice dice(seed);
  std::vector<double> x(std::size_t{on.outer().extent()} * on.outer().extent());
  for (double& one : x) one = whole(dice, largest_weight);
  return x;
}

std::string difference(contraction const& on, std::vector<double> const& c_x, std::vector<double> const& a_b_x) {
  std::size_t const outer = on.outer().extent();
  for (std::size_t ij = 0; ij < c_x.size(); ++ij) {
    if (c_x[ij] != a_b_x[ij]) {
      return "tce: C is wrong in row (" + std::to_string(ij / outer) + ", " + std::to_string(ij % outer) + ")";
    }
  }
  return {};
}

void tiled_tensor::visit(std::function<void(std::array<std::uint32_t, 4> const&, double)> const& each) const {
  places_.for_each([&](tile_index const& t) { visit_elements(places_.over(), t, tile(t), each); });
}

tensors::tensors(contraction const& on, std::uint64_t seed)
    : on_(&on), a_({&on.outer(), &on.outer(), &on.inner(), &on.inner()}),
      b_({&on.inner(), &on.inner(), &on.outer(), &on.outer()}),
      c_({&on.outer(), &on.outer(), &on.outer(), &on.outer()}) {
  runtime::dice dice(seed);
  fill(a_, dice);
  fill(b_, dice);
}

std::vector<double> tensors::c_times_random(std::uint64_t seed) const {
  std::size_t const outer = on_->outer().extent();
  std::vector<double> const x = random_vector(*on_, seed);
  std::vector<double> c_x(outer * outer);
  c_.visit([&](auto const& n, double value) { c_x[n[0] * outer + n[1]] += value * x[n[2] * outer + n[3]]; });
  return c_x;
}

std::vector<double> tensors::a_b_times_random(std::uint64_t seed) const {
  std::size_t const outer = on_->outer().extent();
  std::size_t const inner = on_->inner().extent();
  std::vector<double> const x = random_vector(*on_, seed);
  std::vector<double> b_x(inner * inner);
  std::vector<double> a_b_x(outer * outer);
  b_.visit([&](auto const& n, double value) { b_x[n[0] * inner + n[1]] += value * x[n[2] * outer + n[3]]; });
  a_.visit([&](auto const& n, double value) { a_b_x[n[0] * outer + n[1]] += value * b_x[n[2] * inner + n[3]]; });
  return a_b_x;
}

}  // namespace skua::apps::tce
