// SPDX-License-Identifier: MIT
// Every particle is on the map in both passes of every step, and every leaf of the tree is drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "apps/sph/map.hpp"
#include "skua/skua.hpp"

namespace skua::apps::sph {
namespace {

constexpr std::size_t steps = 3;

template <std::size_t D>
task_map map_of(problem<D>& p, std::string const& policy, std::uint32_t workers) {
  pool some({.workers = workers, .policy = policy});
  leaf_record record(some);
  surveyor<D> seen(p, workers);
  p.reset();
  some.run([&](auto& here) { program(here, p, work_hints::given, [&] { seen.note(record.take()); }); });
  EXPECT_EQ(p.wrong(), "");
  return seen.map();
}

TEST(sph_map, every_particle_and_every_leaf_is_on_it) {
  problem<2> p(dam_break<2>(1), steps, 16);
  for (std::string const policy : {"random", "hierarchical", "adws", "numa-ws", "replay"}) {
    for (std::uint32_t const workers : {1U, 2U, 7U}) {
      SCOPED_TRACE(policy + ", workers " + std::to_string(workers));
      task_map const map = map_of(p, policy, workers);
      EXPECT_EQ(map.iterations(), steps);
      EXPECT_EQ(map.lost(), 0U);
      ASSERT_EQ(map.panels().size(), 3U);
      for (map_iteration const* shown : map.panels()) {
        EXPECT_EQ(shown->owners.size(), 2 * p.size());
        EXPECT_EQ(std::ranges::count(shown->owners, nobody), 0);
        EXPECT_LT(*std::ranges::max_element(shown->owners), workers);
        EXPECT_EQ(std::ranges::count(shown->boxes, nobody, &map_box::worker), 0);
      }
      EXPECT_EQ(map.panels().back()->boxes.size(), p.now().tree.leaves().size());
      if (workers == 1) {
        EXPECT_EQ(map.overlap(), 1.0);
      }
    }
  }
}

TEST(sph_map, leaves_stand_in_the_picture_and_cover_it_no_more_than_once) {
  problem<2> p(dam_break<2>(1), 1, 16);
  task_map const map = map_of(p, "random", 2);
  double area = 0;
  for (map_box const& b : map.panels().front()->boxes) {
    EXPECT_GE(b.left, 0);
    EXPECT_GE(b.top, 0);
    EXPECT_LE(b.right, map.width() * (1 + 1e-12));
    EXPECT_LE(b.bottom, map.height() * (1 + 1e-12));
    EXPECT_LE(b.left, b.right);
    EXPECT_LE(b.top, b.bottom);
    area += (b.right - b.left) * (b.bottom - b.top);
  }
  EXPECT_GT(area, 0);
  EXPECT_LE(area, map.width() * map.height());
}

TEST(sph_map, of_a_deep_tank_is_a_cut) {
  sph::tank<3> narrow = dam_break<3>(1);
  narrow.water.high = {8, 8, 6};
  narrow.obstacle = {.low = {20, 2, 0}, .high = {22, 6, 3}};
  narrow.inside.high = {24, 8, 10};
  problem<3> p(narrow, 1, 16);
  auto const shown = map_of(p, "adws", 2).panels().front()->boxes.size();
  EXPECT_GT(shown, 0U);
  EXPECT_LT(shown, p.now().tree.leaves().size());
}

}  // namespace
}  // namespace skua::apps::sph
