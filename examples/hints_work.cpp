// SPDX-License-Identifier: MIT
// Work hints, for `adws`: the work of each child, in any unit. SKUA_POLICY=adws ./example_hints_work
#include <cstdio>
#include <vector>

#include "skua/skua.hpp"

/// Row i of a triangle has i + 1 elements: the lower half of the rows holds three quarters of the work.
using triangle = std::vector<std::vector<double>>;

long elements(std::size_t begin, std::size_t end) { return static_cast<long>((end - begin) * (begin + end + 1) / 2); }

void fill(auto& here, triangle& t, std::size_t begin, std::size_t end) {
  if (end - begin == 1) return t[begin].assign(begin + 1, 1.0);
  std::size_t const middle = (begin + end) / 2;
  here.join(
      skua::work{double(elements(begin, middle))}, [&](auto& h) { fill(h, t, begin, middle); },
      skua::work{double(elements(middle, end))}, [&](auto& h) { fill(h, t, middle, end); });
}

double sum_of(auto& here, triangle& t) {
  std::vector<double> sums(t.size());
  auto const work_of = [&](std::size_t const& i) { return t[i].size(); };  // a number is work
  std::vector<std::size_t> rows(t.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  here.join_each(rows, work_of, [&](auto&, std::size_t i) {
    for (double x : t[i]) sums[i] += x;
  });
  double all = 0;
  for (double s : sums) all += s;
  return all;
}

int main() {
  skua::pool pool;
  triangle t(500);
  double const sum = pool.run([&](auto& here) { return fill(here, t, 0, t.size()), sum_of(here, t); });
  std::printf("%.0f elements, scheduled by %s\n", sum, std::string(pool.policy()).c_str());
  return sum == 500 * 501 / 2 ? 0 : 1;
}
