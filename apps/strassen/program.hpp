// SPDX-License-Identifier: MIT
// The recursion of Strassen's product, for Skua and, as functions, for its twins. The seven products of
// a step are equal, and so are their work hints. They have no place hints, because several of them use
// each quadrant. [numa-ws-2018 V]
#pragma once

#include <cstddef>
#include <ranges>
#include <type_traits>

#include "apps/strassen/step.hpp"
#include "apps/tbb_workers.hpp"
#include "skua/program/fork_join.hpp"

namespace skua::apps::strassen {

/// C = A * B, square, `level` steps below the top. For blocks of side b and L levels, n = 2^L c b: work O(7^L (c b)^3),
/// span O(n^2 / 2^16 + c b^3); the additions' span is that of the group of n^2 / 2^16 pieces at the top.
template <fork_join Here, template <class> class View>
void program(Here& here, product<View> const& whole, tools<View> const& with, unsigned level = 0) {
  if (level == with.levels) return matmul::program(here, whole, with.leaf);
  auto const room = with.room->take(level, index(here.worker()));
  step<View> const s(whole, room.data(), with);
  here.join_each(std::views::iota(std::size_t{0}, 2 * s.pieces()), [&](Here& h, std::size_t i) { s.sum_inputs(h, i); });
  auto const p = s.products();
  auto const multiply = [&](std::size_t i) { return [&, i](Here& h) { program(h, p[i], with, level + 1); }; };
  here.join(work{1}, multiply(0), work{1}, multiply(1), work{1}, multiply(2), work{1}, multiply(3),  //
            work{1}, multiply(4), work{1}, multiply(5), work{1}, multiply(6));
  here.join_each(std::views::iota(std::size_t{0}, s.pieces()), [&](Here& h, std::size_t i) { s.sum_products(h, i); });
}

template <template <class> class View>
void with_openmp(unsigned workers, product<View> const& whole, tools<View> const& with);
template <template <class> class View>
void with_tbb(tbb_workers& workers, unsigned count, product<View> const& whole, tools<View> const& with);

}  // namespace skua::apps::strassen
