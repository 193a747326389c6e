// SPDX-License-Identifier: MIT
// The integrals are those of quadrature and of each other's sums; the energies are those of PySCF.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "apps/hartree_fock/boys.hpp"
#include "apps/hartree_fock/fock_task.hpp"
#include "apps/hartree_fock/problem.hpp"
#include "apps/hartree_fock/scf.hpp"

namespace skua::apps::hartree_fock {
namespace {

TEST(boys, is_right_to_4e_13_everywhere) {
  EXPECT_EQ(boys(0), 1);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> to_40(0, 40);
  for (int n = 0; n < 100'000; ++n) {
    double const t = n < 1000 ? to_40(random) * 1e-4 : to_40(random);
    double const root = std::sqrt(t);
    double const right = t < 1e-12 ? 1 : boys_table::half_root_pi * std::erf(root) / root;
    ASSERT_NEAR(boys(t) / right, 1, 4e-13) << "t = " << t;
  }
}

TEST(basis, functions_have_norm_one_and_products_their_own_weight) {
  for (std::uint32_t i = 0; i < 30; ++i) {
    for (std::uint32_t j = 0; j < 30; ++j) {
      double const s = overlap(chain::function(i), chain::function(j));
      EXPECT_LE(std::abs(s), 1 + 1e-14);
      if (i == j) {
        EXPECT_NEAR(s, 1, 1e-14);
      }
    }
  }
}

TEST(basis, fifteen_functions_lie_on_and_around_each_atom) {
  EXPECT_EQ(chain::function(0).exponent, 1741);
  EXPECT_EQ(chain::function(15 + 8).exponent, .05835);
  EXPECT_EQ(chain::function(15 + 9).centre.x, 5.6);
  EXPECT_EQ(chain::function(15 + 10).centre.x, 2.4);
  EXPECT_EQ(chain::function(14).centre.z, -1.6);
  EXPECT_EQ((chain{.atoms = 4}.functions()), 60U);
  EXPECT_NEAR((chain{.atoms = 3}.repulsion_of_nuclei()), 16. / 4 + 16. / 4 + 16. / 8, 1e-12);
}

class every_integrals_kernel : public testing::TestWithParam<simd::variant<integrals_function>> {};

TEST_P(every_integrals_kernel, agrees_with_the_closed_form_for_every_length) {
  std::vector<product> products;
  for (std::uint32_t i = 0; i < 45; ++i) {
    for (std::uint32_t j = 0; j < 45; j += 3) products.push_back(product_of(chain::function(i), chain::function(j)));
  }
  std::vector<double> x, y, z, exponent, factor;
  for (product const& one : products) {
    x.push_back(one.centre.x);
    y.push_back(one.centre.y);
    z.push_back(one.centre.z);
    exponent.push_back(one.exponent);
    factor.push_back(one.factor / one.exponent);
  }
  charges const all{x.data(), y.data(), z.data(), exponent.data(), factor.data()};
  for (std::size_t n = 0; n < products.size(); n += n < 80 ? 1 : 97) {
    product const& of = products[(n * 31) % products.size()];
    std::vector<double> found(n + 1, -1);
    GetParam().function({of.centre.x, of.centre.y, of.centre.z, of.exponent, of.factor / of.exponent}, all, n,
                        table_of_boys().coefficients.data(), found.data());
    for (std::size_t m = 0; m < n; ++m) {
      double const right = repulsion(of, products[m]);
      ASSERT_NEAR(found[m], right, 1e-12 * right) << "n = " << n << ", m = " << m;
    }
    EXPECT_EQ(found[n], -1) << "wrote behind the end";
  }
}

INSTANTIATE_TEST_SUITE_P(hartree_fock, every_integrals_kernel, testing::ValuesIn(all_integrals()),
                         [](auto const& tested) { return std::string(tested.param.name); });

/// F by its definition.
matrix by_definition(screening const& on, matrix const& d) {
  std::uint32_t const n = on.atoms().functions();
  std::vector<product> pairs;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) pairs.push_back(product_of(chain::function(i), chain::function(j)));
  }
  matrix f(n);
  for (std::uint32_t ij = 0; ij < n * n; ++ij) {
    for (std::uint32_t kl = 0; kl < n * n; ++kl) {
      if (on.bound(ij / n, ij % n) * on.bound(kl / n, kl % n) < on.threshold()) continue;
      double const g = repulsion(pairs[ij], pairs[kl]);
      f.elements[ij] += g * d.elements[kl];
      f.at(ij / n, kl / n) -= g * d.at(ij % n, kl % n) / 2;
    }
  }
  return f;
}

TEST(fock_task, adds_up_to_the_definition_whatever_the_tile) {
  std::uint64_t const seed = 11;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  matrix d(30);
  for (std::size_t i = 0; i < d.n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) d.at(i, j) = d.at(j, i) = any(random);
  }
  for (std::uint32_t const tile : {1U, 7U, 15U, 20U, 64U}) {
    screening const on({.atoms = 2}, tile);
    matrix const right = by_definition(on, d);
    matrix const found = two_electron_part(on, d);
    for (std::size_t e = 0; e < right.elements.size(); ++e) {
      ASSERT_NEAR(found.elements[e], right.elements[e], 1e-11) << "tile " << tile << ", element " << e;
    }
  }
}

TEST(fock_task, counts_its_integrals_and_leaves_a_null_task_alone) {
  screening const on({.atoms = 16}, 20);
  matrix const d(on.atoms().functions());
  matrix f(d.n);
  fock_worker worker(on);
  local_blocks blocks{on, d, f};
  for (std::uint64_t id = 0; id < on.tiles().tasks(); id += 13) {
    quartet const q = on.tiles().quartet_of(id);
    ASSERT_EQ(worker.run(q, blocks), on.integrals_of(q)) << "task " << id;
  }
}

// The energies of reference.py.
TEST(scf, finds_the_energies_of_pyscf_without_a_threshold) {
  EXPECT_NEAR(solve_serially(screening({.atoms = 1}, 20, 1e-13)).energy(), -14.5720745170, 2e-10);
  EXPECT_NEAR(solve_serially(screening({.atoms = 2}, 20, 1e-13)).energy(), -29.1065617554, 2e-10);
  EXPECT_NEAR(solve_serially(screening({.atoms = 4}, 20, 1e-13)).energy(), -58.2005024989, 2e-10);
}

TEST(scf, the_usual_threshold_costs_micro_hartrees) {
  EXPECT_NEAR(solve_serially(screening({.atoms = 4}, 20)).energy(), -58.2005024989, 1e-5);
}

TEST(scf, the_energy_does_not_depend_on_the_tile) {
  double const right = solve_serially(screening({.atoms = 4}, 20)).energy();
  for (std::uint32_t const tile : {7U, 60U}) {
    EXPECT_NEAR(solve_serially(screening({.atoms = 4}, tile)).energy(), right, 1e-9) << "tile " << tile;
  }
}

TEST(scf, a_loose_tolerance_ends_earlier_and_says_so) {
  screening const on({.atoms = 2}, 20);
  scf const loose = solve_serially(on, {.tolerance = scf_options::tolerance_of_the_original});
  scf const tight = solve_serially(on);
  EXPECT_TRUE(loose.converged());
  EXPECT_LT(loose.iterations(), tight.iterations());
  EXPECT_NEAR(loose.energy(), tight.energy(), 1e-5);
  EXPECT_FALSE(solve_serially(on, {.most_iterations = 2}).converged());
}

TEST(scf, the_density_holds_all_electrons) {
  screening const on({.atoms = 4}, 20);
  scf const field = solve_serially(on);
  double electrons = 0;
  for (std::uint32_t i = 0; i < on.atoms().functions(); ++i) {
    for (std::uint32_t j = 0; j < on.atoms().functions(); ++j) {
      electrons += field.density().at(i, j) * overlap(chain::function(i), chain::function(j));
    }
  }
  EXPECT_NEAR(electrons, 16, 1e-9);
}

TEST(hartree_fock, a_wrong_build_is_noticed_in_short_and_in_long_chains) {
  for (std::uint32_t const atoms : {1U, 17U}) {
    SCOPED_TRACE(testing::Message() << "Be" << atoms);
    problem p(screening({.atoms = atoms}, 20, 1e-2), {.most_iterations = 3});
    EXPECT_NE(p.wrong(), "");
    while (!p.field().done()) p.advance(two_electron_part(p.on(), p.field().density()));
    EXPECT_EQ(p.wrong(), "");
    p.reset();
    while (!p.field().done()) {
      matrix off = two_electron_part(p.on(), p.field().density());
      off.at(7, 7) += 1e-6;
      p.advance(std::move(off));
    }
    EXPECT_NE(p.wrong(), "");
  }
}

}  // namespace
}  // namespace skua::apps::hartree_fock
