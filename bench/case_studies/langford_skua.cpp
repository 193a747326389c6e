// SPDX-License-Identifier: MIT
// The same search on Skua: branches are children of joins, and sums are values instead of an atomic that all workers write.
// A fork costs so little that the depth hardly matters, and none (a cut-off of 1) is no mistake.
#include "bench/case_studies/langford.hpp"
#include "bench/case_studies/study.hpp"
#include "skua/skua.hpp"

namespace {

using namespace skua::bench::langford;

std::uint64_t branches(auto& here, board const& b, int k, std::uint64_t places, int cutoff);

std::uint64_t count(auto& here, board const& b, int k, int cutoff) {
  if (k <= cutoff) return count_serially(b, k);
  return branches(here, b, k, free_places(b, k), cutoff);
}

/// The branches with the first k at one of these places: the lowest is called, and thieves may take the others.
std::uint64_t branches(auto& here, board const& b, int k, std::uint64_t places, int cutoff) {
  if (places == 0) return 0;
  std::uint64_t const others = places & (places - 1);
  if (others == 0) return count(here, put(b, k, places), k - 1, cutoff);
  auto [first, rest] = here.join([&](auto& h) { return count(h, put(b, k, places), k - 1, cutoff); },
                                 [&](auto& h) { return branches(h, b, k, others, cutoff); });
  return first + rest;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace skua::bench;
  study::arguments const given(argc, argv);  // N CUTOFF WORKERS POLICY
  int const n = static_cast<int>(given.number(1, 12));
  int const cutoff = static_cast<int>(given.number(2, 1)) - 1;
  skua::pool pool({.workers = static_cast<std::uint32_t>(given.number(3, 2)), .policy = given.text(4, "random")});
  study::stopwatch const watch;
  std::uint64_t const found = pool.run([&](auto& here) { return count(here, board{.taken = 0, .n = n}, n, cutoff); });
  return study::tell(watch, static_cast<double>(found));
}
