// SPDX-License-Identifier: MIT
// Translations are exact where they can be, the error falls with the order, and the answer has the same bits however it is run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "apps/fmm/problem.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::fmm {
namespace {

using series = std::vector<complex>;

std::vector<charge> few(complex around, double reach, std::uint64_t seed) {
  std::vector<charge> all = charges_of({.n = 20, .seed = seed});
  for (charge& c : all) c.at = around + reach * (2.0 * c.at - complex{1, 1});
  return all;
}
/// The potential of a multipole expansion, by its definition.
double value(series const& multipole, complex centre, complex at) {
  complex const z = at - centre;
  double sum = multipole[0].re * 0.5 * std::log(z.norm());
  complex power{1, 0};
  for (std::size_t k = 1; k < multipole.size(); ++k) {
    power = power * z.inverse();
    sum += (multipole[k] * power).re;
  }
  return sum;
}

TEST(fmm_series, multipoles_and_their_shifts_are_the_potential_far_away) {
  translations const by(30);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    complex const centre{0.3, -0.2};
    std::vector<charge> const all = few(centre, 0.1, seed);
    series multipole(by.terms());
    by.p2m(all, centre, multipole.data());
    complex const parent{0.2, -0.1};
    series shifted(by.terms());
    by.m2m(multipole.data(), centre, parent, shifted.data());
    for (complex const at : {complex{2, 1}, complex{-1, 0.5}, complex{0.3, -3}}) {
      EXPECT_NEAR(value(multipole, centre, at), direct(all, at), 1e-13) << "seed " << seed;
      EXPECT_NEAR(value(shifted, parent, at), direct(all, at), 1e-12) << "seed " << seed;
    }
  }
}

TEST(fmm_series, local_series_and_their_shifts_are_the_potential_of_what_is_far) {
  translations const by(30);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    complex const source{0.5, 0.5};
    complex const target{-0.6, 0.1};
    std::vector<charge> const all = few(source, 0.1, seed);
    series multipole(by.terms());
    by.p2m(all, source, multipole.data());
    series local(by.terms());
    by.m2l(multipole.data(), source, target, local.data());
    complex const child = target + complex{0.05, -0.05};
    series shifted(by.terms());
    by.l2l(local.data(), target, child, shifted.data());
    for (complex const offset : {complex{0, 0}, complex{0.05, 0.02}, complex{-0.03, -0.08}}) {
      complex const at = target + offset;
      EXPECT_NEAR(by.l2p(local.data(), target, at), direct(all, at), 1e-12) << "seed " << seed;
      EXPECT_NEAR(by.l2p(shifted.data(), child, at), direct(all, at), 1e-12) << "seed " << seed;
    }
  }
}

double error_of(shape const& s) {
  problem p(s, charges_of(s));
  run_alone(p);
  EXPECT_EQ(p.wrong(), "");
  return p.errors_of(200).relative;
}

TEST(fmm, error_is_below_a_thousandth_and_falls_with_the_order) {
  for (distribution const how : {distribution::uniform, distribution::circle, distribution::cluster}) {
    shape s{.n = 3000, .order = 12, .how = how, .seed = 3};
    EXPECT_LT(error_of(s), 1e-3);
    double before = 1;
    for (std::uint32_t const order : {4U, 8U, 12U, 16U, 20U}) {
      s.order = order;
      double const error = error_of(s);
      EXPECT_LT(error, before / 4) << "order " << order;  // theta^4 is 1 / 16
      before = error;
    }
    EXPECT_LT(before, 1e-6);
  }
}

TEST(fmm, few_charges_and_charges_in_one_place_are_summed_directly) {
  for (std::uint32_t const n : {1U, 2U, 64U}) EXPECT_LT(error_of({.n = n, .order = 1}), 1e-14);
  shape const s{.n = 500, .order = 4, .leaf = 8};
  problem p(s, std::vector<charge>(500, charge{{0.25, 0.5}, 1}));
  run_alone(p);
  EXPECT_EQ(p.wrong(), "");
  EXPECT_EQ(p.potentials(), std::vector<double>(500, 0)) << "no charge acts on its own place";
  std::vector<charge> two(500, charge{{0, 0}, 1});
  for (std::size_t i = 0; i < 250; ++i) two[i].at = {1, 0};
  problem q(s, two);
  run_alone(q);
  EXPECT_EQ(q.wrong(), "");
}

TEST(fmm, graph_and_parts_have_the_bits_of_the_plain_program) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    shape const s{.n = 2000,
                  .order = 6,
                  .leaf = seed % 2 == 0 ? 5U : 64U,
                  .how = static_cast<distribution>(seed % 3),
                  .seed = seed};
    problem alone(s, charges_of(s));
    run_alone(alone);
    problem by_flow(s, charges_of(s));
    serial here;
    program(here, by_flow);
    EXPECT_EQ(by_flow.potentials(), alone.potentials()) << "seed " << seed;
    problem by_parts(s, charges_of(s));
    auto const& all = by_parts.groups();
    for (std::size_t i = all.size(); i-- > 0;) by_parts.up(all[i]);
    for (group const& g : all) {
      for (std::size_t i = g.cells.size(); i-- > 0;) by_parts.far(g, i, i + 1);
      for (std::size_t i = g.leaves.size(); i-- > 0;) by_parts.near(g, i, i + 1);
    }
    for (group const& g : all) by_parts.down(g);
    EXPECT_EQ(by_parts.potentials(), alone.potentials()) << "seed " << seed;
  }
}

TEST(fmm, every_pair_of_charges_interacts_once) {
  for (distribution const how : {distribution::uniform, distribution::circle, distribution::cluster}) {
    std::vector<charge> charges = charges_of({.n = 300, .how = how, .seed = 9});
    tree const t(charges, 4, 0.5);
    auto const cells = t.cells();
    std::vector<int> pairs(300 * 300);
    auto const count = [&](interactions const& lists, std::uint32_t target) {
      for (std::uint32_t const source : lists.of(target)) {
        for (std::uint32_t i = cells[target].begin; i < cells[target].end; ++i) {
          for (std::uint32_t j = cells[source].begin; j < cells[source].end; ++j) ++pairs[i * 300 + j];
        }
      }
    };
    for (std::uint32_t c = 0; c < cells.size(); ++c) {
      count(t.far(), c);
      count(t.near(), c);
    }
    EXPECT_EQ(pairs, std::vector<int>(300 * 300, 1));
  }
}

TEST(fmm, damage_is_noticed) {
  shape const s{.n = 2000, .order = 12};
  problem p(s, charges_of(s));
  EXPECT_NE(p.wrong(), "") << "not run";
  run_alone(p);
  ASSERT_EQ(p.wrong(), "");
  for (std::size_t i = 0; i < p.groups().size(); ++i) {
    if (!p.groups()[i].leaves.empty()) p.near(p.groups()[i], 0, p.groups()[i].leaves.size());  // what is far is lost
  }
  EXPECT_NE(p.wrong(), "");
}

}  // namespace
}  // namespace skua::apps::fmm
