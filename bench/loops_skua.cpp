// SPDX-License-Identifier: MIT
// The runners of loops_bench on Skua: a task of the pool starts each loop.
#include <functional>

#include "bench/loops.hpp"
#include "skua/conventional.hpp"
#include "skua/skua.hpp"

namespace skua::bench::loops {

void on_skua(figures& all, std::int64_t workers, std::string const& policy) {
  pool p({.workers = static_cast<std::uint32_t>(workers), .policy = policy});
  p.run([&](auto& here) {
    auto const by_for_each = [&here](auto& floats) { for_each(here, floats, [](float& x) { x += 1; }); };
    auto const by_parallel_for = [](auto& floats) {
      parallel_for(std::size_t{0}, floats.size(), [&floats](std::size_t i) { floats[i] += 1; });
    };
    auto const by_reduce = [&here](auto const& integers) {
      return reduce(here, integers, std::uint32_t{0}, std::plus<>());
    };
    auto const by_parallel_reduce = [](auto const& integers) {
      return parallel_reduce(
          blocked_range<std::size_t>(0, integers.size()), std::uint32_t{0},
          [&integers](auto const& piece, std::uint32_t sum) {
            for (std::size_t i = piece.begin(); i != piece.end(); ++i) sum += integers[i];
            return sum;
          },
          std::plus<>());
    };
    all.emplace_back("few_each", us_of_adding(few, by_for_each));
    all.emplace_back("few", us_of_adding(few, by_parallel_for));
    all.emplace_back("many_each", us_of_adding(many, by_for_each));
    all.emplace_back("many", us_of_adding(many, by_parallel_for));
    all.emplace_back("sum_each", us_of_summing(by_reduce));
    all.emplace_back("sum", us_of_summing(by_parallel_reduce));
  });
}

}  // namespace skua::bench::loops
