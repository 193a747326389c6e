// SPDX-License-Identifier: MIT
// The field whose matrices lie on all ranks against the one of one process, on ranks that are threads.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/hartree_fock/distributed_problem.hpp"
#include "apps/hartree_fock/distributed_scf.hpp"
#include "apps/hartree_fock/over_ranks.hpp"
#include "apps/hartree_fock/purification.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps::hartree_fock { namespace {

constexpr std::uint64_t seed_of_vectors = 17;

shared_matrix by_rows(communicator& world, std::size_t n, char const* name) {
  return {world, n, n, matrix_distribution::by_rows(), {.name = name}};
}

void put_rows(shared_matrix& to, matrix const& from) {
  own_rows const rows(to);
  for (std::size_t i = 0; i < rows.count; ++i) {
    for (std::size_t j = 0; j < rows.n; ++j) rows.row(i)[j] = from.at(rows.first + i, j);
  }
  to.sync();
}

/// The largest difference, on every rank.
double distance(communicator& world, shared_matrix& a, matrix const& b) {
  own_rows const rows(a);
  double most = 0;
  for (std::size_t i = 0; i < rows.count; ++i) {
    for (std::size_t j = 0; j < rows.n; ++j) most = std::max(most, std::abs(rows.row(i)[j] - b.at(rows.first + i, j)));
  }
  return world.max(most);
}

/// Symmetric, with these levels and random eigenvectors; and the projector on the lowest ones.
std::pair<matrix, matrix> with_levels(std::vector<double> const& levels, std::size_t occupied) {
  using enum linear_algebra::form;
  std::mt19937_64 random(seed_of_vectors);
  std::uniform_real_distribution<double> any(-1, 1);
  linear_algebra const algebra = linear_algebra::find();
  matrix drawn(levels.size());
  for (std::size_t i = 0; i < drawn.n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) drawn.at(i, j) = drawn.at(j, i) = any(random);
  }
  matrix const vectors = algebra.solve(std::move(drawn)).vectors;
  matrix scaled = vectors;
  matrix lowest = vectors;
  for (std::size_t i = 0; i < scaled.n; ++i) {
    for (std::size_t j = 0; j < scaled.n; ++j) {
      scaled.at(i, j) *= levels[j];
      if (j >= occupied) lowest.at(i, j) = 0;
    }
  }
  return {algebra.multiply(scaled, plain, vectors, transposed), algebra.multiply(lowest, plain, vectors, transposed)};
}

/// From -5 to 3000, as those of a chain, with a gap above this many.
std::vector<double> levels_with_gap(std::size_t n, std::size_t occupied, double gap) {
  std::vector<double> levels;
  for (std::size_t i = 0; i < occupied; ++i) levels.push_back(-5 + 4.9 * std::sqrt(double(i) / double(occupied)));
  double const lowest = levels.back() + gap;
  for (std::size_t i = 0; i < n - occupied; ++i) levels.push_back(lowest + 3000 * std::pow(double(i) / double(n), 6));
  return levels;
}

TEST(purification, finds_the_projector_and_the_levels_at_the_gap) {
  for (auto const& [ranks, n, occupied] : {std::tuple{1U, 75U, 10U}, {2U, 15U, 2U}, {3U, 33U, 32U}}) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(n) + " functions");
    auto const levels = levels_with_gap(n, occupied, 0.25);
    auto const [f_of_all, right] = with_levels(levels, occupied);
    ranks::on_ranks(ranks, [&](communicator& world) {
      distributed_algebra const algebra(world);
      purification pure(algebra);
      shared_matrix f = by_rows(world, n, "f");
      shared_matrix p = by_rows(world, n, "p");
      shared_matrix square = by_rows(world, n, "square");
      shared_matrix difference = by_rows(world, n, "difference");
      put_rows(f, f_of_all);
      frontier_levels const at_gap{levels[occupied - 1], levels[occupied]};
      std::uint32_t unscaled = 0;
      // Not expected; expected exactly; expected so that the two gaps just meet; and elsewhere, among the empty and among the occupied levels.
      for (std::optional<frontier_levels> const& expected :
           {std::optional<frontier_levels>(), std::optional(at_gap),
            std::optional(frontier_levels{at_gap.lowest_empty - 0.01, at_gap.lowest_empty + 0.4}),
            std::optional(frontier_levels{at_gap.highest_occupied - 0.4, at_gap.highest_occupied + 0.01}),
            std::optional(frontier_levels{at_gap.lowest_empty + 1, at_gap.lowest_empty + 2}),
            std::optional(frontier_levels{-4, -3}), std::optional(frontier_levels{1, 0})}) {
        SCOPED_TRACE(expected ? std::to_string(expected->highest_occupied) : "not expected");
        frontier_levels const found = pure.project(f, occupied, expected, p, {square, difference});
        EXPECT_LT(distance(world, p, right), 1e-10);
        EXPECT_NEAR(found.highest_occupied, at_gap.highest_occupied, 1e-10);
        EXPECT_NEAR(found.lowest_empty, at_gap.lowest_empty, 1e-10);
        if (!expected) unscaled = pure.products();
        if (expected && expected->highest_occupied == at_gap.highest_occupied) {
          EXPECT_LT(pure.products(), unscaled * 3 / 4);
        }
      }
    });
  }
}

TEST(purification, says_on_every_rank_that_there_is_no_gap) {
  std::vector<double> levels = levels_with_gap(30, 4, 1);
  levels[4] = levels[3];
  auto const [f_of_all, none] = with_levels(levels, 4);
  ranks::on_ranks(3, [&](communicator& world) {
    distributed_algebra const algebra(world);
    purification pure(algebra);
    shared_matrix f = by_rows(world, 30, "f");
    shared_matrix p = by_rows(world, 30, "p");
    shared_matrix square = by_rows(world, 30, "square");
    shared_matrix difference = by_rows(world, 30, "difference");
    put_rows(f, f_of_all);
    EXPECT_THROW(static_cast<void>(pure.project(f, 4, {}, p, {square, difference})), resource_error);
    EXPECT_NO_THROW(static_cast<void>(pure.project(f, 3, {}, p, {square, difference})));
  });
}

TEST(distributed_algebra, finds_the_inverse_square_root_of_the_overlaps) {
  for (std::uint32_t const ranks : {1U, 3U}) {
    ranks::on_ranks(ranks, [&](communicator& world) {
      std::size_t const n = 60;
      matrix overlaps(n);
      for (std::uint32_t i = 0; i < n; ++i) {
        for (std::uint32_t j = 0; j < n; ++j) overlaps.at(i, j) = overlap(chain::function(i), chain::function(j));
      }
      distributed_algebra const algebra(world);
      shared_matrix s = by_rows(world, n, "s");
      shared_matrix root = by_rows(world, n, "root");
      shared_matrix work = by_rows(world, n, "work");
      put_rows(s, overlaps);
      algebra.to_inverse_square_root(s, root, work);
      put_rows(s, overlaps);
      algebra.multiply(work, s, root);
      algebra.multiply_symmetric(s, root, work);
      matrix one(n);
      for (std::size_t i = 0; i < n; ++i) one.at(i, i) = 1;
      EXPECT_LT(distance(world, s, one), 1e-10);
      s.fill(0);
      EXPECT_THROW(algebra.to_inverse_square_root(s, root, work), resource_error);
    });
  }
}

// Four atoms are damped and shifted by other rules than five.
TEST(distributed_scf, is_that_of_one_process_in_every_iteration) {
  for (auto const& [ranks, atoms, iterations] : {std::tuple{2U, 1U, 3U}, {3U, 2U, 100U}, {4U, 4U, 5U}, {3U, 6U, 9U}}) {
    SCOPED_TRACE("Be" + std::to_string(atoms));
    screening const on({.atoms = atoms}, 20);
    scf_options const options{.most_iterations = iterations};
    std::vector<double> energies, changes, gaps;
    std::vector<matrix> builds, densities;
    scf field(on, options);
    while (!field.done()) {
      builds.push_back(two_electron_part(on, field.density()));
      field.advance(builds.back());
      energies.push_back(field.energy());
      changes.push_back(field.change());
      gaps.push_back(field.levels()[on.atoms().occupied()] - field.levels()[on.atoms().occupied() - 1]);
      densities.push_back(field.density());
    }
    ranks::on_ranks(ranks, [&](communicator& world) {
      distributed_scf shared(world, on, options, true);
      for (std::size_t i = 0; i < energies.size(); ++i) {
        SCOPED_TRACE("iteration " + std::to_string(i));
        ASSERT_FALSE(shared.done());
        shared.begin_build();
        put_rows(shared.two_electron(), builds[i]);
        shared.advance();
        EXPECT_NEAR(shared.energy(), energies[i], 1e-9);
        EXPECT_NEAR(shared.change(), changes[i], 1e-8);
        EXPECT_NEAR(shared.frontier()->lowest_empty - shared.frontier()->highest_occupied, gaps[i], 1e-8);
        EXPECT_LT(distance(world, shared.density(), densities[i]), 1e-8);
        if (i > 0) {
          EXPECT_LT(distance(world, shared.last_density(), densities[i - 1]), 1e-8);
        }
      }
      EXPECT_EQ(shared.converged(), field.converged());
      EXPECT_TRUE(shared.done());
      shared.restart();
      EXPECT_EQ(shared.iterations(), 0U);
      shared.begin_build();
      put_rows(shared.two_electron(), builds[0]);
      shared.advance();
      EXPECT_NEAR(shared.energy(), energies[0], 1e-9);
    });
  }
}

TEST(distributed_scf, goes_on_from_its_files_on_another_number_of_ranks) {
  auto const folder = std::filesystem::temp_directory_path() / ("skua-field-" + std::to_string(std::random_device{}()));
  std::filesystem::create_directories(folder);
  std::string const prefix = (folder / "f").string();
  screening const on({.atoms = 5}, 20);
  scf field(on);
  std::vector<matrix> builds;
  for (int i = 0; i < 4; ++i) {
    builds.push_back(two_electron_part(on, field.density()));
    field.advance(builds.back());
  }
  std::vector<double> state;
  auto const advance = [&](distributed_scf& shared, std::size_t i) {
    shared.begin_build();
    put_rows(shared.two_electron(), builds[i]);
    shared.advance();
  };
  ranks::on_ranks(3, [&](communicator& world) {
    distributed_scf shared(world, on, {}, false);
    for (std::size_t i = 0; i < 3; ++i) advance(shared, i);
    auto const mine = shared.write(prefix);
    if (world.rank() == 0) state = mine;
  });
  ranks::on_ranks(2, [&](communicator& world) {
    distributed_scf shared(world, on, {}, false);
    shared.read(state, prefix);
    EXPECT_EQ(shared.iterations(), 3U);
    advance(shared, 3);
    EXPECT_NEAR(shared.energy(), field.energy(), 1e-9);
    EXPECT_LT(distance(world, shared.density(), field.density()), 1e-8);
    screening const longer({.atoms = 6}, 20);
    distributed_scf other(world, longer, {}, false);
    EXPECT_THROW(other.read(state, prefix), usage_error);
    EXPECT_THROW(shared.read(std::span(state).first(3), prefix), usage_error);
  });
  std::filesystem::remove_all(folder);
}

ranks_plan planned(std::string const& balance, std::uint32_t workers = 1) {
  return {.balance = balance, .workers = workers};
}

TEST(distributed_hartree_fock, has_the_energy_of_one_thread_under_each_balance) {
  screening const on({.atoms = 3}, 10);
  scf_options const options{.most_iterations = 3};
  double const right = solve_serially(on, options).energy();
  for (auto const& [ranks, workers, balance] : {std::tuple{1U, 1U, "retentive"},
                                                {2U, 1U, "steal"},
                                                {3U, 2U, "none"},
                                                {4U, 1U, "retentive"},
                                                {2U, 3U, "hierarchical"},
                                                {3U, 1U, "auto"},
                                                {50U, 1U, "steal"}}) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks, " + balance);
    ranks::on_ranks(ranks, [&](communicator& world) {
      distributed_problem shared(world, on, options);
      std::uint64_t const bytes = over_ranks(world, shared, planned(balance, workers));
      EXPECT_EQ(bytes == 0, ranks == 1);
      EXPECT_NEAR(shared.found()->energy, right, 1e-9);
      if (world.rank() == 0) {
        EXPECT_EQ(shared.wrong(), "");
      }
    });
  }
}

TEST(distributed_hartree_fock, may_have_more_ranks_than_rows) {
  screening const on({.atoms = 1}, 4);
  scf_options const options{.most_iterations = 2};
  double const right = solve_serially(on, options).energy();
  ranks::on_ranks(17, [&](communicator& world) {
    distributed_problem shared(world, on, options);
    over_ranks(world, shared, planned("steal"));
    EXPECT_NEAR(shared.found()->energy, right, 1e-9);
  });
}

TEST(distributed_hartree_fock, each_rank_has_its_share_of_the_rows) {
  screening const on({.atoms = 7}, 20);
  for (std::uint32_t const ranks : {1U, 2U, 4U, 8U}) {
    ranks::on_ranks(ranks, [&](communicator& world) {
      distributed_problem shared(world, on, {});
      for (shared_matrix* m : {&shared.field().density(), &shared.field().two_electron()}) {
        own_rows const rows(*m);
        EXPECT_EQ(world.sum(rows.count), on.atoms().functions());
        EXPECT_LE(rows.count, on.atoms().functions() / ranks + 1);
      }
    });
  }
}

TEST(distributed_hartree_fock, a_wrong_build_is_noticed_on_rank_0_wherever_it_is) {
  screening const on({.atoms = 17}, 20, 1e-2);
  ranks::on_ranks(3, [&](communicator& world) {
    distributed_problem shared(world, on, {.most_iterations = 2});
    std::string const none = shared.wrong();
    EXPECT_NE(none, "");
    over_ranks(world, shared, planned("retentive"));
    shared.repeat_last_build();
    EXPECT_EQ(world.rank() == 0 ? shared.wrong() : "", "");
    for (std::uint64_t const row : {std::uint64_t{7}, std::uint64_t{254}}) {
      double const off = 1e-6;
      if (world.rank() == 1) shared.field().two_electron().accumulate({row, row, 1, 1}, &off, 1);
      shared.field().two_electron().sync();
      shared.repeat_last_build();
      if (world.rank() == 0) {
        EXPECT_NE(shared.wrong().find("element (" + std::to_string(row)), std::string::npos) << shared.wrong();
      }
      double const back = -off;
      if (world.rank() == 1) shared.field().two_electron().accumulate({row, row, 1, 1}, &back, 1);
      shared.field().two_electron().sync();
    }
    shared.reset();
    over_ranks(world, shared, planned("steal"));
    shared.repeat_last_build();
    EXPECT_EQ(world.rank() == 0 ? shared.wrong() : "", "");
  });
}

}}  // namespace skua::apps::hartree_fock
