// SPDX-License-Identifier: MIT
// Regions of one pool share its workers, however much one of them has to do.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "skua/conventional.hpp"
#include "skua/skua.hpp"

namespace {

/// A call of `other` while tasks of the root region start each other for ever: how many of them begin before it does, the
/// median of 21 calls.
template <class Respawn>
void expect_a_turn(skua::pool& pool, Respawn const& respawn) {
  auto const other = pool.open_region("random", 0);
  std::atomic<std::uint64_t> begun{0};
  std::vector<std::uint64_t> waited;
  std::atomic<bool> ends{false};
  pool.run([&](auto& here) {
    here.join([&](auto& h) { respawn(h, begun, ends); },
              [&](auto&) {
                while (begun.load() < 1000) std::this_thread::yield();
                for (int calls = 0; calls < 21; ++calls) {
                  std::uint64_t const before = begun.load();
                  std::uint64_t const at = other.run([&](auto&) { return begun.load(); });
                  waited.push_back(at - before);
                }
                ends = true;
              });
  });
  // On each worker a turn on top of a waiting group may come before one of the search. The median, because the kernel may
  // stop either side between its look at the count and its next step.
  std::ranges::nth_element(waited, waited.begin() + 10);
  EXPECT_LE(waited[10], std::uint64_t{64} * pool.num_workers());
}

struct group_that_respawns {
  skua::task_group group;
  std::atomic<std::uint64_t>& begun;
  std::atomic<bool>& ends;

  void start() {
    group.run([this] {
      ++begun;
      if (!ends.load()) start();
    });
  }
};

}  // namespace

class region_turns : public testing::TestWithParam<char const*> {};

TEST_P(region_turns, a_group_that_respawns_itself_lets_others_in) {
  skua::pool pool({.workers = 2, .policy = GetParam()});
  expect_a_turn(pool, [](auto&, std::atomic<std::uint64_t>& begun, std::atomic<bool>& ends) {
    group_that_respawns g{.group = {}, .begun = begun, .ends = ends};
    g.start();
    g.group.wait();
  });
}

TEST_P(region_turns, scopes_of_many_children_let_others_in) {
  skua::pool pool({.workers = 2, .policy = GetParam()});
  expect_a_turn(pool, [](auto& here, std::atomic<std::uint64_t>& begun, std::atomic<bool>& ends) {
    while (!ends.load()) {
      here.scope([&](auto& s) {
        for (int i = 0; i < 10'000; ++i) {
          s.spawn([&](auto&) {
            if (!ends.load()) ++begun;
          });
        }
      });
    }
  });
}

INSTANTIATE_TEST_SUITE_P(policies, region_turns, testing::Values("random", "hierarchical", "numa-ws"),
                         [](auto const& p) {
                           std::string name = p.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });
