// SPDX-License-Identifier: MIT
// The particles are those of the paper; whatever runs the leaves, they compute what brute force computes and obey the
// laws of physics; a wrong answer is noticed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "apps/sph/problem.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/program/recorder.hpp"
#include "skua/program/serial.hpp"
#include "skua/skua.hpp"

namespace skua::apps::sph {
namespace {

/// A tank of a thousand particles, for tests that must be fast.
tank<3> small_tank() {
  return {.spacing = 0.02,
          .water = {.low = {0, 0, 0}, .high = {6, 5, 7}},
          .obstacle = {.low = {10, 1, 0}, .high = {12, 4, 2}},
          .inside = {.low = {0, 0, 0}, .high = {14, 5, 9}}};
}

TEST(sph_tank, the_particles_are_as_many_as_in_the_papers_inputs) {
  EXPECT_EQ(fill(dam_break<2>(4)).at.size(), 35'888U);
  EXPECT_EQ(fill(dam_break<2>(8)).at.size(), 138'968U);
  EXPECT_EQ(fill(dam_break<3>(1)).at.size(), 182'364U);
  EXPECT_EQ(fill(dam_break<2>(4)).water, 268U * 120U);
  EXPECT_EQ(fill(dam_break<3>(1)).water, 67U * 54U * 30U);
}

template <std::size_t D>
void expect_lattice(tank<D> const& t) {
  particle_set<D> const set = fill(t);
  std::set<std::array<std::int64_t, D>> points;
  for (std::size_t i = 0; i < set.at.size(); ++i) {
    std::array<std::int64_t, D> point;
    for (std::size_t d = 0; d < D; ++d) {
      point[d] = std::llround(set.at[i][d] / t.spacing);
      EXPECT_NEAR(set.at[i][d], static_cast<double>(point[d]) * t.spacing, 1e-12);
      if (i < set.water) {
        EXPECT_GT(point[d], 0);
      }
    }
    EXPECT_TRUE(points.insert(point).second) << "two particles in one place, particle " << i;
    EXPECT_TRUE(t.within().contains(set.at[i]));
  }
  // Without its outermost layer the box does not hold the walls any more.
  EXPECT_FALSE(t.within().widened(-t.spacing / 2).contains(set.at[set.water]));
}

TEST(sph_tank, particles_stand_on_a_lattice_no_two_in_one_place) {
  expect_lattice(dam_break<2>(1));
  expect_lattice(dam_break<2>(3));
  expect_lattice(small_tank());
}

template <std::size_t D>
void expect_kernel() {
  fluid<D> const water(0.02);
  double const radius = water.radius();
  double volume = 0;
  int const slices = 20'000;
  for (int i = 0; i < slices; ++i) {
    double const r = (i + 0.5) * radius / slices;
    double const shell = (D == 2 ? 2 * std::numbers::pi * r : 4 * std::numbers::pi * r * r) * radius / slices;
    volume += shell * water.weight(r * r);
    double const step = radius * 1e-5;
    double const slope = (water.weight((r + step) * (r + step)) - water.weight((r - step) * (r - step))) / (2 * step);
    if (r < radius - step && r > step) {
      // push is -(dW/dr) / r for pressures of 1 and particles at rest.
      EXPECT_NEAR(-water.push(r * r, 1, 0) * r, slope, 1e-4 * water.weight(0) / radius) << r / radius;
    }
  }
  EXPECT_NEAR(volume, 1, 1e-6);
  EXPECT_NEAR(water.weight(radius * radius * (1 - 1e-9)) / water.weight(0), 0, 1e-12);
  EXPECT_NEAR(water.mass(), 1000 * std::pow(0.02, D), 1e-9);
}

TEST(sph_fluid, the_kernel_has_integral_one_and_push_is_its_slope) {
  expect_kernel<2>();
  expect_kernel<3>();
}

TEST(sph_fluid, pressure_is_what_takes_elastic_energy_to_build_up_and_is_never_negative) {
  for (double density = 900; density < 1100; density += 0.5) {
    double const step = 1e-3;
    double const slope =
        (fluid<2>::elastic_energy(density + step) - fluid<2>::elastic_energy(density - step)) / (2 * step);
    EXPECT_NEAR(slope, fluid<2>::pressure(density) / (density * density), 1e-6) << density;
    EXPECT_GE(fluid<2>::pressure(density), 0);
  }
  // Sound travels at the speed that the equation of state says.
  EXPECT_NEAR(std::sqrt(fluid<2>::pressure(1000.001) / 0.001), speed_of_sound, 0.01);
}

TEST(sph_fluid, viscosity_brakes_what_comes_closer_and_nothing_else) {
  fluid<2> const water(0.02);
  double const squared = 0.02 * 0.02;
  EXPECT_GT(water.push(squared, 1, -0.01), water.push(squared, 1, 0));
  EXPECT_EQ(water.push(squared, 1, 0.01), water.push(squared, 1, 0));
}

TEST(sph_fluid, forces_between_two_particles_are_opposite_to_the_last_bit) {
  std::uint64_t const seed = 11;
  runtime::dice random(seed);
  fluid<3> const water(0.02);
  auto const some = [&](double size) {
    return vec<3>{random.unit() * size, random.unit() * size, random.unit() * size};
  };
  for (int i = 0; i < 10'000; ++i) {
    vec<3> const a = some(0.02);
    vec<3> const b = some(0.02);
    vec<3> const u = some(3);
    vec<3> const v = some(3);
    double const p = random.unit();
    double const q = random.unit();
    auto const force = [&](vec<3> const& x, vec<3> const& y, vec<3> const& ux, vec<3> const& uy, double px, double py) {
      vec<3> const apart = x - y;
      vec<3> sum{};
      add(sum, water.push(dot(apart, apart), px + py, dot(ux - uy, apart)), apart);
      return sum;
    };
    vec<3> const there = force(a, b, u, v, p, q);
    vec<3> const back = force(b, a, v, u, q, p);
    for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(there[d], -back[d]) << "seed " << seed << ", pair " << i;
  }
}

template <std::size_t D>
std::vector<body<D>> scattered(std::size_t count, std::uint64_t seed) {
  runtime::dice random(seed);
  std::vector<body<D>> bodies(count);
  for (std::size_t i = 0; i < count; ++i) {
    bodies[i].id = i;
    for (double& x : bodies[i].at) x = random.unit() * random.unit();  // denser near the axes
    if (i % 7 == 1) bodies[i].at = bodies[i - 1].at;
  }
  return bodies;
}

/// Checks the laws of a tree over `bodies`, and that no neighbour is missed.
template <std::size_t D>
void expect_tree(std::size_t count, std::size_t most_per_leaf, double radius, std::uint64_t seed) {
  SCOPED_TRACE(::testing::Message() << D << "D, " << count << " bodies, leaves of " << most_per_leaf << ", seed "
                                  << seed);
  std::vector<body<D>> bodies = scattered<D>(count, seed);
  tree<D> t(most_per_leaf);
  t.build(bodies, radius);
  std::vector<int> seen(count, 0);
  for (body<D> const& b : bodies) ++seen[b.id];
  EXPECT_EQ(std::ranges::count(seen, 1), static_cast<std::ptrdiff_t>(count)) << "sorting loses nobody";

  EXPECT_EQ(t.root().own, (range{0, static_cast<std::uint32_t>(count)}));
  for (node<D> const& n : t.nodes()) {
    box<D> tight;
    for (std::uint32_t i = n.own.first; i < n.own.end; ++i) tight.include(bodies[i].at);
    EXPECT_EQ(n.around.low, tight.low);
    EXPECT_EQ(n.around.high, tight.high);
    if (n.is_leaf()) continue;
    std::uint32_t next = n.own.first;
    for (node<D> const& child : t.children(n)) {
      EXPECT_EQ(child.own.first, next);
      EXPECT_GT(child.own.size(), 0U);
      next = child.own.end;
    }
    EXPECT_EQ(next, n.own.end) << "children share their parent's particles out";
  }
  std::uint32_t next = 0;
  for (std::size_t l = 0; l < t.leaves().size(); ++l) {
    node<D> const& leaf = t.leaf(l);
    EXPECT_EQ(leaf.own.first, next) << "leaves stand from left to right";
    next = leaf.own.end;
    EXPECT_LE(leaf.own.size(), std::max<std::size_t>(most_per_leaf, 2)) << "only two bodies share a place";
    std::vector<bool> near(count, false);
    for (range const& r : t.near_leaves(leaf)) {
      for (std::uint32_t j = r.first; j < r.end; ++j) near[j] = true;
    }
    for (std::uint32_t i = leaf.own.first; i < leaf.own.end; ++i) {
      for (std::uint32_t j = 0; j < count; ++j) {
        vec<D> const apart = bodies[i].at - bodies[j].at;
        ASSERT_TRUE(near[j] || dot(apart, apart) > radius * radius) << i << " misses " << j;
      }
    }
  }
  EXPECT_EQ(next, count);
}

TEST(sph_tree, shares_all_particles_out_and_misses_no_neighbour) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (std::size_t const count : {1U, 2U, 17U, 300U, 1500U}) {
      for (std::size_t const most : {1U, 16U, 64U}) {
        expect_tree<2>(count, most, 0.05, seed);
        expect_tree<3>(count, most, 0.2, seed);
      }
    }
  }
}

TEST(sph_tree, particles_in_one_place_do_not_divide_it_forever) {
  std::vector<body<2>> bodies(100);
  tree<2> t(8);
  t.build(bodies, 1);
  EXPECT_EQ(t.leaves().size(), 1U);
  EXPECT_EQ(t.leaf(0).own.size(), 100U);
}

/// Particles at random positions with random velocities: compares both passes with sums over all.
template <std::size_t D>
void expect_brute_force(std::size_t count, std::size_t most_per_leaf, double radius, std::uint64_t seed) {
  SCOPED_TRACE(::testing::Message() << D << "D, leaves of " << most_per_leaf << ", seed " << seed);
  particles<D> p{.water = fluid<D>(radius / radius_in_spacings),
                 .tree = tree<D>(most_per_leaf),
                 .bodies = scattered<D>(count, seed),
                 .states = std::vector<state>(count),
                 .accelerations = std::vector<vec<D>>(count)};
  runtime::dice random(seed + 1);
  for (body<D>& b : p.bodies) std::ranges::generate(b.velocity, [&] { return random.unit() - 0.5; });
  p.tree.build(p.bodies, p.water.radius());
  for (pass const which : {pass::densities, pass::forces}) {
    for (std::size_t l = 0; l < p.tree.leaves().size(); ++l) interact(p, p.tree.leaf(l), which);
  }
  for (std::size_t i = 0; i < count; ++i) {
    double density = 0;
    vec<D> acceleration{};
    double pushed = 0;
    for (std::size_t j = 0; j < count; ++j) {
      vec<D> const apart = p.bodies[i].at - p.bodies[j].at;
      double const squared = dot(apart, apart);
      if (squared >= p.water.radius() * p.water.radius()) continue;
      density += p.water.mass() * p.water.weight(squared);
      double const push = p.water.mass() * p.water.push(squared, p.states[i].pressure + p.states[j].pressure,
                                                        dot(p.bodies[i].velocity - p.bodies[j].velocity, apart));
      add(acceleration, push, apart);
      pushed += std::abs(push) * std::sqrt(squared);
    }
    EXPECT_NEAR(p.states[i].density, density, 1e-12 * density) << i;
    for (std::size_t d = 0; d < D; ++d) EXPECT_NEAR(p.accelerations[i][d], acceleration[d], 1e-12 * pushed) << i;
  }
}

TEST(sph, leaves_find_what_brute_force_finds_wherever_particles_are) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (std::size_t const most : {1U, 16U, 64U, 2000U}) {
      expect_brute_force<2>(1500, most, 0.05, seed);
      expect_brute_force<3>(1500, most, 0.2, seed);
    }
  }
}

TEST(sph, every_leaf_size_gives_what_brute_force_gives) {
  for (std::size_t const most : {1U, 7U, 64U, 600U, 4096U}) {
    problem<2> flat(dam_break<2>(1), 4, most);
    serial here;
    program(here, flat);
    EXPECT_EQ(flat.wrong(), "") << "leaves of " << most;
    problem<3> deep(small_tank(), 4, most);
    program(here, deep);
    EXPECT_EQ(deep.wrong(), "") << "leaves of " << most;
  }
}

template <std::size_t D>
void expect_same_bits(tank<D> const& t) {
  problem<D> p(t, 3, 16);
  for (std::uint32_t const workers : {1U, 3U}) {
    pool several({.workers = workers});
    p.reset();
    several.run([&p](auto& here) { program(here, p); });
    EXPECT_EQ(p.wrong(), "") << D << "D, pool of " << workers;
  }
}

template <std::size_t D>
void expect_same_bits_of_the_twins(tank<D> const& t) {
  problem<D> p(t, 3, 16);
  tbb_workers arenas;
  for (unsigned const workers : {1U, 3U}) {
    for (auto const how : {openmp_schedule::of_static, openmp_schedule::of_dynamic, openmp_schedule::of_tasks}) {
      p.reset();
      with_openmp(workers, p, how);
      EXPECT_EQ(p.wrong(), "") << D << "D, OpenMP " << static_cast<int>(how);
    }
    for (auto const how : {tbb_partitioner::of_auto, tbb_partitioner::of_static, tbb_partitioner::of_affinity,
                           tbb_partitioner::of_simple}) {
      p.reset();
      with_tbb(arenas, workers, p, how);
      EXPECT_EQ(p.wrong(), "") << D << "D, oneTBB " << static_cast<int>(how);
    }
  }
}

TEST(sph, every_pool_gives_the_same_bits_in_two_and_three_dimensions) {
  expect_same_bits(dam_break<2>(1));
  expect_same_bits(small_tank());
}

TEST(sph, every_schedule_and_partitioner_gives_the_same_bits_in_two_and_three_dimensions) {
  if (runtime::under_tsan) GTEST_SKIP() << "the OpenMP and oneTBB libraries are not instrumented";
  expect_same_bits_of_the_twins(dam_break<2>(1));
  expect_same_bits_of_the_twins(small_tank());
}

TEST(sph, leaves_run_only_as_leaves_and_children_weigh_what_they_hold) {
  problem<2> p(dam_break<2>(1), 1, 32);
  recorder here;
  program(here, p);
  EXPECT_EQ(p.wrong(), "");
  task_tree const recorded = here.take();
  EXPECT_EQ(recorded.weigh(unit::leaves).leaves, 2 * p.now().tree.leaves().size());
  double const water = static_cast<double>(p.size()) * 2 * flops_per_particle<2>;
  EXPECT_NEAR(recorded.weigh(unit::flops).work, water, 1e-9 * water);
}

TEST(sph, a_drop_falls_as_galileo_says) {
  tank<2> const t{.spacing = 0.02,
                  .water = {.low = {10, 60}, .high = {11, 61}},
                  .obstacle = {.low = {3, 0}, .high = {4, 1}},
                  .inside = {.low = {0, 0}, .high = {20, 80}}};
  problem<2> p(t, 300, 64);
  serial here;
  program(here, p);
  EXPECT_EQ(p.different(), "");
  double const time = 299 * p.now().water.time_step();
  auto const drop = std::ranges::find(p.now().bodies, std::uint64_t{0}, &body<2>::id);
  EXPECT_NEAR(drop->at[1], 61 * t.spacing - gravity * time * time / 2, 1e-12);
  EXPECT_NEAR(drop->at[0], 11 * t.spacing, 1e-15);
}

TEST(sph, the_dam_breaks_and_only_viscosity_takes_energy) {
  problem<2> first(dam_break<2>(1), 1, 64);
  serial here;
  program(here, first);
  double const at_start = first.energy();
  problem<2> p(dam_break<2>(1), 400, 64);
  program(here, p);
  EXPECT_EQ(p.wrong(), "");
  EXPECT_LT(p.energy(), at_start);
  EXPECT_GT(p.energy(), 0.98 * at_start);
  double front = 0;
  for (body<2> const& b : p.now().bodies) {
    if (b.id < p.water()) front = std::max(front, b.at[0]);
  }
  EXPECT_GT(front, 75 * p.tank().spacing) << "the column was 67 wide";
}

TEST(sph, one_wrong_bit_is_noticed) {
  problem<2> p(dam_break<2>(1), 3, 64);
  serial here;
  program(here, p);
  ASSERT_EQ(p.wrong(), "");
  std::uint64_t const seed = 23;
  runtime::dice random(seed);
  auto const spoil = [&](double& value, char const* what) {
    double const right = value;
    for (double const wrong : {std::nextafter(right, 1e9), std::numeric_limits<double>::quiet_NaN()}) {
      value = wrong;
      EXPECT_NE(p.wrong().find(what), std::string::npos) << p.wrong() << ", seed " << seed;
    }
    value = right;
  };
  for (int round = 0; round < 5; ++round) {
    std::size_t const i = random.below(static_cast<std::uint32_t>(p.size()));
    spoil(p.now().bodies[i].at[1], "position");
    spoil(p.now().bodies[i].velocity[0], "velocity");
    spoil(p.now().states[i].density, "density");
    spoil(p.now().accelerations[i][1], "acceleration");
  }
  EXPECT_EQ(p.wrong(), "");
}

TEST(sph, a_leaf_left_out_or_a_pass_out_of_order_is_noticed) {
  problem<2> p(dam_break<2>(1), 2, 64);
  p.reset();
  p.run([&](pass which) {
    for (std::size_t i = 0; i + 1 < p.now().tree.leaves().size(); ++i) interact(p.now(), p.now().tree.leaf(i), which);
  });
  EXPECT_NE(p.wrong(), "");
  p.reset();
  p.run([&](pass which) {
    pass const other = which == pass::densities ? pass::forces : pass::densities;
    for (std::size_t i = 0; i < p.now().tree.leaves().size(); ++i) interact(p.now(), p.now().tree.leaf(i), other);
  });
  EXPECT_NE(p.wrong(), "");
}

TEST(sph, a_broken_law_is_named) {
  problem<2> p(dam_break<2>(1), 3, 64);
  serial here;
  program(here, p);
  particles<2> const right = p.now();
  auto const water = static_cast<std::size_t>(std::ranges::find(p.now().bodies, std::uint64_t{0}, &body<2>::id) -
                                              p.now().bodies.begin());
  auto const wall =
      static_cast<std::size_t>(std::ranges::find(p.now().bodies, p.water(), &body<2>::id) - p.now().bodies.begin());
  auto const said_after = [&](auto&& spoil) {
    p.now() = right;
    spoil(p.now());
    return p.unphysical();
  };
  auto const expect = [&](std::string const& reason, auto&& spoil) {
    std::string const message = said_after(spoil);
    EXPECT_NE(message.find(reason), std::string::npos) << reason << ": " << message;
  };
  expect("mass", [&](particles<2>& q) { q.bodies[water].id = 1; });
  expect("mass", [&](particles<2>& q) { q.bodies[water].id = ~std::uint64_t{0}; });
  expect("left the tank", [&](particles<2>& q) { q.bodies[water].at[0] = -1; });
  expect("left the tank", [&](particles<2>& q) { q.bodies[water].at[1] = std::numeric_limits<double>::infinity(); });
  expect("left the tank", [&](particles<2>& q) { q.bodies[water].at[0] = std::numeric_limits<double>::quiet_NaN(); });
  expect("walls", [&](particles<2>& q) { q.bodies[wall].at[0] += 1e-9; });
  expect("momentum", [&](particles<2>& q) { q.accelerations[water][0] += 1e-3; });
  expect("energy", [&](particles<2>& q) { q.bodies[water].velocity[0] = 30; });
  expect("energy", [&](particles<2>& q) {
    for (body<2>& b : q.bodies) b.at[1] = b.id < p.water() ? 0 : b.at[1];
  });
  expect("density", [&](particles<2>& q) { q.states[0].density *= 1 + 1e-11; });
  EXPECT_EQ(said_after([](particles<2>&) {}), "");
}

TEST(sph, the_picture_shows_water_walls_and_air) {
  problem<2> flat(dam_break<2>(1), 1, 64);
  picture const shown = picture_of(flat);
  EXPECT_EQ(shown.width, 2U * 179U);
  EXPECT_EQ(shown.height, 2U * 57U);
  auto const at = [&](std::size_t x, std::size_t y) { return shown.grey[(shown.height - 1 - y) * shown.width + x]; };
  EXPECT_GT(at(40, 30), 0.99F);
  EXPECT_EQ(at(40, 100), 0.0F);
  EXPECT_NEAR(at(1, 100), 0.35F, 1e-6);
  EXPECT_NEAR(at(2 * 135, 10), 0.35F, 1e-6);
  problem<3> deep(small_tank(), 1, 64);
  EXPECT_EQ(picture_of(deep).height, 2U * 11U);
}

}  // namespace
}  // namespace skua::apps::sph
