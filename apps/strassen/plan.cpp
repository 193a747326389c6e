// SPDX-License-Identifier: MIT
#include <cmath>

#include "apps/matmul/leaf.hpp"
#include "apps/strassen/step.hpp"
#include "apps/strassen/sums.hpp"
#include "usable.hpp"

namespace skua::apps::strassen {
namespace {

std::size_t divided(std::size_t a, std::size_t b) noexcept { return (a + b - 1) / b; }

}  // namespace

plan::plan(std::size_t length, std::size_t cutoff, std::size_t leaf) noexcept : n(length) {
  while (divided(n, std::size_t{1} << levels) > cutoff) ++levels;
  std::size_t const lowest = divided(n, std::size_t{1} << levels);
  std::size_t const blocks = divided(lowest, leaf / matmul::column_group * matmul::column_group);
  side = divided(divided(lowest, blocks), matmul::column_group) * matmul::column_group;
  room = side * blocks << levels;
}

double plan::growth() const noexcept {
  double const terms = static_cast<double>(room) / static_cast<double>(n);
  return levels == 0 ? terms : 7 * std::pow(4.5, levels - 1) * terms;
}

simd::variants<sum_function> sums() {
  return simd::usable<sum_function>([](auto arch) { return &sum<decltype(arch)>; });
}

}  // namespace skua::apps::strassen
