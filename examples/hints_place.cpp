// SPDX-License-Identifier: MIT
// Place hints, for `numa-ws`: the place of a child's data. SKUA_POLICY=numa-ws SKUA_PLACES=cores ./example_hints_place
#include <cstdio>
#include <numeric>
#include <vector>

#include "skua/skua.hpp"

int main() {
  skua::pool pool;
  for (std::uint32_t p = 0; p < pool.places(); ++p) {
    auto const workers = pool.workers_of(skua::place_id{p});
    std::printf("place %u: workers %u to %u\n", p, index(workers.front()), index(workers.back()));
  }

  // One share of the array per place, in proportion to its workers. `distribute` puts the share's pages there.
  skua::page_array<double> data(1 << 16);
  std::vector<skua::memory::share> const shares = shares_of(data, pool.layout());
  distribute(data, shares, pool.layout());

  auto const home = [](skua::memory::share const& s) { return skua::at{s.place}; };
  std::vector<double> sums(shares.size());
  pool.run([&](auto& here) {
    here.join_each(shares, home,
                   [&](auto& h, skua::memory::share const& s) {  // what is forked in here inherits the place
                     auto const mine = data.elements().subspan(s.first, s.count);
                     skua::for_each(h, mine, [](double& x) { x = 1; });
                     sums[std::size_t(&s - shares.data())] = std::accumulate(mine.begin(), mine.end(), 0.0);
                   });
  });
  double const sum = std::accumulate(sums.begin(), sums.end(), 0.0);
  std::printf("%.0f elements, scheduled by %s\n", sum, std::string(pool.policy()).c_str());
  return sum == double(data.size()) ? 0 : 1;
}
