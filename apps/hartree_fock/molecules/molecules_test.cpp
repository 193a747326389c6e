// SPDX-License-Identifier: MIT
// Energies are those of textbooks, and those of a Fock build without any symmetry. `make references` compares
// more of them with PySCF.
#include "apps/hartree_fock/molecules/molecular_problem.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include "skua/skua.hpp"

namespace skua::apps::hartree_fock::molecules { namespace {

/// The STO-3G fits (Hehre, Stewart and Pople 1969) of hydrogen (zeta 1.24) and oxygen (7.66, 2.25), and that of helium with
/// zeta 2.0925, as in the textbook's HeH+.
constexpr char const* sto_3g = R"(BASIS
H S
 3.425250914 0.1543289673
 0.6239137298 0.5353281423
 0.1688554040 0.4446345422
He S
 9.753935 0.1543289673
 1.776691 0.5353281423
 0.480844 0.4446345422
O S
 130.7093214 0.1543289673
 23.80886605 0.5353281423
 6.443608313 0.4446345422
O SP
 5.033151319 -0.09996722919 0.1559162750
 1.169596125 0.3995128261 0.6076837186
 0.3803889600 0.7001154689 0.3919573931
O D
 1.1 1
END
)";

basis_set minimal(bool with_d = false) {
  text_reader in(with_d ? std::string("BASIS SPHERICAL\n") + (sto_3g + sizeof("BASIS")) : sto_3g, "STO-3G");
  basis_set set = read_nwchem_basis(in);
  if (!with_d) set.at(8).pop_back();
  return set;
}

molecule two(unsigned first, unsigned second, double distance, std::int64_t charge) {
  return {.nuclei = {{.protons = first, .at = {0, 0, 0}}, {.protons = second, .at = {0, 0, distance}}},
          .charge = charge};
}

/// Of T. D. Crawford's Programming Projects, "Hartree-Fock SCF Procedure".
molecule water() {
  return {.nuclei = {{.protons = 8, .at = {0, -0.143225816552, 0}},
                     {.protons = 1, .at = {1.638036840407, 1.136548822547, 0}},
                     {.protons = 1, .at = {-1.638036840407, 1.136548822547, 0}}}};
}

/// Solves on one thread.
molecular_answer solved(molecule const& of, basis_set const& set, molecular_options options = {}) {
  molecular_problem p(of, set, "a set", options);
  serial here;
  program(here, p, false);
  EXPECT_EQ(p.wrong(), "");
  EXPECT_TRUE(p.found()->converged);
  return *p.found();
}

TEST(boys_orders, agree_with_the_error_function_and_their_recurrence) {
  boys_orders const boys(8);
  std::array<double, 9> f{};
  for (double t = 1e-6; t < 60; t *= 1.07) {
    boys(t, 8, f.data());
    double const first = std::sqrt(std::numbers::pi / t) / 2 * std::erf(std::sqrt(t));
    EXPECT_NEAR(f[0] / first, 1, 1e-13) << t;
    for (std::size_t m = 0; m < 8; ++m) {
      double const left = static_cast<double>(2 * m + 1) * f[m];
      EXPECT_NEAR(left, 2 * t * f[m + 1] + std::exp(-t), 1e-14 * left + 1e-16) << t << " " << m;
    }
  }
  boys(0, 8, f.data());
  for (std::size_t m = 0; m <= 8; ++m) EXPECT_NEAR(f[m], 1 / static_cast<double>(2 * m + 1), 1e-15);
}

// Szabo and Ostlund, Modern Quantum Chemistry, 3.5.2 and 3.5.3.
TEST(molecular_field, finds_the_textbook_s_energies) {
  molecular_answer const hydrogen = solved(two(1, 1, 1.4, 0), minimal());
  EXPECT_NEAR(hydrogen.energy, -1.1167, 5e-5);
  EXPECT_NEAR(hydrogen.levels[0], -0.578, 5e-4);
  EXPECT_NEAR(hydrogen.levels[1], 0.670, 5e-4);
  EXPECT_NEAR(solved(two(2, 1, 1.4632, 1), minimal()).energy, -2.860662, 2e-5);
}

TEST(molecular_field, finds_the_energy_of_water) {
  EXPECT_NEAR(solved(water(), minimal()).energy, -74.942079928, 1e-6);
}

/// (ij|kl) of all functions.
std::vector<double> all_integrals_of(quartets const& on) {
  std::size_t const n = on.of().functions;
  std::vector<double> all(n * n * n * n);
  repulsion_integrals integrals(on.library(), on.of());
  auto const count = static_cast<std::uint32_t>(on.of().all.size());
  auto const put = [&](shell_pair const& p, shell_pair const& q) {
    double const* value = integrals(p, q).data();
    auto const each = [](shell const& s, auto const& body) {
      for (std::size_t f = s.first; f < s.first + s.functions(); ++f) body(f);
    };
    each(on.of().all[p.i], [&](std::size_t a) {
      each(on.of().all[p.j], [&](std::size_t b) {
        each(on.of().all[q.i], [&](std::size_t c) {
          each(on.of().all[q.j], [&](std::size_t d) {
            for (auto const& [i, j] : {std::pair(a, b), std::pair(b, a)}) {
              for (auto const& [k, l] : {std::pair(c, d), std::pair(d, c)}) {
                all[((i * n + j) * n + k) * n + l] = all[((k * n + l) * n + i) * n + j] = *value;
              }
            }
            ++value;
          });
        });
      });
    });
  };
  auto const l_of = [&](shell_pair const& p) { return on.of().all[p.i].l + on.of().all[p.j].l; };
  for (std::uint32_t p = 0; p < count * count; ++p) {
    for (std::uint32_t q = 0; q < count * count; ++q) {
      shell_pair const bra = pair_of(on.of(), p / count, p % count);
      shell_pair const ket = pair_of(on.of(), q / count, q % count);
      if (l_of(bra) <= l_of(ket)) put(bra, ket);
    }
  }
  return all;
}

TEST(quartets, add_up_to_the_definition_with_d_functions) {
  quartets const on(shells_of(water(), minimal(true), "a set"), 0);
  std::size_t const n = on.of().functions;
  ASSERT_EQ(n, 12U);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> some(-1, 1);
  matrix density(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) density.at(i, j) = density.at(j, i) = some(random);
  }
  std::vector<double> const all = all_integrals_of(on);
  matrix const built = two_electron_part(on, density);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double right = 0;
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t l = 0; l < n; ++l) {
          right += density.at(k, l) * (all[((i * n + j) * n + k) * n + l] - 0.5 * all[((i * n + k) * n + j) * n + l]);
        }
      }
      EXPECT_NEAR(built.at(i, j), right, 1e-11) << i << " " << j;
    }
  }
}

TEST(quartets, that_are_left_out_cost_no_more_than_their_error) {
  molecule far = two(2, 2, 12, 0);
  far.nuclei.push_back({.protons = 2, .at = {3, 3, 3}});
  auto const energy_of = [](molecular_problem& p) {
    serial here;
    program(here, p, false);
    return p.field().energy();  // with all its digits
  };
  molecular_problem exact(far, minimal(), "a set", {.threshold = 0});
  double const right = energy_of(exact);
  EXPECT_EQ(exact.on().left_out(), 0U);
  for (std::uint32_t p = 0; p < exact.on().tasks(); ++p) EXPECT_GT(exact.on().pair(p).bound, 0) << p;
  for (double const threshold : {1e-6, 1e-4, 1e-2}) {
    molecular_problem some(far, minimal(), "a set", {.threshold = threshold});
    EXPECT_GT(some.on().left_out(), 0U) << threshold;
    EXPECT_LE(std::abs(energy_of(some) - right), some.on().error() + 1e-11) << threshold;
  }
}

TEST(molecular_problem, threads_find_what_one_thread_finds) {
  double const alone = solved(water(), minimal()).energy;
  for (bool const hints : {false, true}) {
    pool workers({.workers = 3});
    molecular_problem p(water(), minimal(), "a set", {});
    workers.run([&](auto& here) { program(here, p, hints); });
    EXPECT_NEAR(p.found()->energy, alone, 1e-10);
    EXPECT_EQ(p.wrong(), "");
  }
}

TEST(molecular_problem, refuses_what_does_not_fit) {
  EXPECT_THROW(molecular_problem(two(1, 1, 1.4, 1), minimal(), "a set", {}), usage_error) << "one electron";
  EXPECT_THROW(molecular_problem(two(6, 6, 2, 0), minimal(), "a set", {}), usage_error) << "no functions of carbon";
  EXPECT_THROW(molecular_problem(two(1, 1, 1.4, -4), minimal(), "a set", {}), usage_error)
      << "more pairs than functions";
}

}}  // namespace skua::apps::hartree_fock::molecules
