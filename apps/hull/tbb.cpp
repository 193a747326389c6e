// SPDX-License-Identifier: MIT
// hull with oneTBB: a parallel_for over the blocks of a division, and parallel_invoke for its two caps.
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include "apps/hull/problem.hpp"

namespace skua::apps::hull {
namespace {

chain of_cap(cap const& c, std::size_t leaf);

chain of_division(division d, std::size_t leaf) {
  tbb::parallel_for(std::size_t{0}, d.blocks(), [&d](std::size_t b) { d.sift_block(b); });
  d.settle();
  tbb::parallel_for(std::size_t{0}, d.blocks(), [&d](std::size_t b) { d.move_block(b); });
  chain left;
  chain right;
  tbb::parallel_invoke([&] { left = of_cap(d.first(), leaf); }, [&] { right = of_cap(d.second(), leaf); });
  return joined(std::move(left), d.middle(), right);
}

chain of_cap(cap const& c, std::size_t leaf) {
  if (c.points.empty()) return {};
  if (c.points.size() > leaf) return of_division(division(c, leaf), leaf);
  return {finish(c)};
}

}  // namespace

void with_tbb(tbb_workers& workers, unsigned count, problem& p) {
  workers.run(count, [&p] {
    tbb::parallel_for(std::size_t{0}, p.blocks(), [&p](std::size_t b) { p.look_at_block(b); });
    if (auto whole = p.start()) {
      p.collect(of_division(std::move(*whole), p.leaf()));
      tbb::parallel_for(std::size_t{0}, p.runs(), [&p](std::size_t i) { p.write_run(i); });
    }
  });
}

}  // namespace skua::apps::hull
