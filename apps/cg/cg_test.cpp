// SPDX-License-Identifier: MIT
// The matrix is the published one; every runner gives the same bits; the place hints name the owners of the rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ranges>

#include "apps/cg/problem.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/program/recorder.hpp"
#include "skua/program/serial.hpp"
#include "skua/skua.hpp"

namespace skua::apps::cg { namespace {

/// Small enough for a look at every element.
constexpr nas_class tiny{.name = "tiny", .rows = 53, .entries = 3, .iterations = 2, .shift = 10, .zeta = 0};

estimate of_serial(problem& p) {
  p.reset();
  serial here;
  program(here, p, {});
  return p.found().value();
}

TEST(cg, the_random_numbers_are_those_of_nas) {
  nas_random random;
  // 5^13 * 314159265 mod 2^46, and once more.
  EXPECT_EQ(random.next() * 0x1.0p46, 55'909'509'111'989.0);
  EXPECT_EQ(random.next() * 0x1.0p46, 61'155'031'930'969.0);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    double const x = random.next();
    ASSERT_GT(x, 0);
    ASSERT_LT(x, 1);
    sum += x;
  }
  EXPECT_NEAR(sum / 100'000, 0.5, 0.005);
}

TEST(cg, the_matrix_is_symmetric_and_its_rows_are_in_order) {
  for (nas_class const& of : {tiny, classes[0]}) {
    matrix const a = make_matrix(of);
    ASSERT_EQ(a.rows(), of.rows);
    std::map<std::pair<std::size_t, std::size_t>, double> elements;
    for (std::size_t r = 0; r < a.rows(); ++r) {
      for (std::size_t k = a.starts[r]; k < a.starts[r + 1]; ++k) {
        if (k > a.starts[r]) {
          EXPECT_LT(a.columns[k - 1], a.columns[k]);
        }
        elements[{r, a.columns[k]}] = a.values[k];
      }
    }
    EXPECT_EQ(elements.size(), a.nonzeros());
    for (auto const& [at, value] : elements) {
      EXPECT_NEAR(value, (elements.at({at.second, at.first})), 1e-15) << at.first << ", " << at.second;
    }
    // 1/4 w^i from its own vector, a little from the others, plus 0.1 - shift.
    for (std::size_t i = 0; i < a.rows(); ++i) EXPECT_GT(elements.at({i, i}), 0.1 - of.shift);
  }
}

// As NPB prints it.
TEST(cg, the_numbers_of_nonzeros_are_the_published_ones) {
  EXPECT_EQ(make_matrix(classes[0]).nonzeros(), 78'148U);
  EXPECT_EQ(make_matrix(classes[1]).nonzeros(), 508'402U);
  EXPECT_EQ(make_matrix(classes[2]).nonzeros(), 1'853'104U);
}

TEST(cg, zeta_is_the_published_one) {
  problem p(classes[0], 64);
  EXPECT_EQ(p.wrong(), "cg: no run yet");
  estimate const found = of_serial(p);
  EXPECT_EQ(p.wrong(), "");
  EXPECT_LT(found.residual, 1e-12);
  EXPECT_NEAR(found.zeta, 8.5971775078648, 8.5971775078648e-10);
}

TEST(cg, another_zeta_is_noticed) {
  problem p(classes[0], 64);
  double const right = classes[0].zeta;
  p.answer({.zeta = right * (1 + 0.9e-10)});
  EXPECT_EQ(p.wrong(), "");
  for (double const zeta : {right * (1 + 1.1e-10), right * (1 - 1.1e-10), -right, std::nan("")}) {
    p.answer({.zeta = zeta});
    EXPECT_NE(p.wrong(), "") << zeta;
  }
  p.answer({.zeta = 8.5});
  EXPECT_EQ(p.wrong(), "cg: zeta is 8.5000000000000; right is 8.5971775078648 for class S");
}

TEST(cg, the_sums_of_a_sweep_do_not_depend_on_where_the_recursion_ends) {
  std::vector<sums> of_block(37);
  for (std::size_t b = 0; b < of_block.size(); ++b) of_block[b].first = 1.0 / (3.0 + static_cast<double>(b));
  auto const value = [&](std::size_t b) { return of_block[b]; };
  for (std::size_t cut = 1; cut <= of_block.size(); ++cut) {
    auto const whole = [&](auto const& self, blocks const& some) -> sums {
      if (some.count() <= cut) return tree_sum(some, value);
      auto const [left, right] = some.halves();
      return self(self, left) + self(self, right);
    };
    EXPECT_EQ(whole(whole, {0, of_block.size()}), tree_sum({0, of_block.size()}, value)) << "cut at " << cut;
  }
}

TEST(cg, every_runner_yields_the_same_bits) {
  nas_class short_run = classes[0];
  short_run.iterations = 2;
  for (std::size_t const leaf_rows : {1U, 9U, 64U, 5000U}) {
    problem p(short_run, leaf_rows);
    estimate const right = of_serial(p);
    for (std::uint32_t const workers : {1U, 3U}) {
      pool several({.workers = workers, .topology = "package:2 l3:1 core:2"});
      for (std::uint32_t const places : {0U, 2U, 5U}) {
        p.reset();
        several.run([&](auto& here) { program(here, p, {.first = 0, .count = places}); });
        EXPECT_EQ(p.found(), right) << leaf_rows << " rows, " << workers << " workers, " << places << " places";
      }
    }
  }
}

TEST(cg, every_schedule_and_partitioner_yields_the_same_bits) {
  if (runtime::under_tsan) GTEST_SKIP() << "the OpenMP and oneTBB libraries are not instrumented";
  nas_class short_run = classes[0];
  short_run.iterations = 2;
  tbb_workers arenas;
  for (std::size_t const leaf_rows : {9U, 64U}) {
    problem p(short_run, leaf_rows);
    estimate const right = of_serial(p);
    for (unsigned const workers : {1U, 3U}) {
      for (auto const how : {openmp_schedule::of_static, openmp_schedule::of_dynamic, openmp_schedule::of_tasks}) {
        p.reset();
        with_openmp(workers, p, how);
        EXPECT_EQ(p.found(), right) << "OpenMP " << static_cast<int>(how) << ", " << workers << " workers";
      }
      for (auto const how : {tbb_partitioner::of_auto, tbb_partitioner::of_static, tbb_partitioner::of_affinity,
                             tbb_partitioner::of_simple}) {
        p.reset();
        with_tbb(arenas, workers, p, how);
        EXPECT_EQ(p.found(), right) << "oneTBB " << static_cast<int>(how) << ", " << workers << " workers";
      }
    }
  }
}

/// The tree of one product with the matrix of class S.
task_tree recorded_product(problem& p, std::uint32_t places) {
  return record([&](recorder& here) {
    static_cast<void>(over(here, p, {.first = 0, .count = places}, p.all(), multiply{p.on()}));
  });
}

TEST(cg, the_work_hints_of_a_group_add_up_to_those_of_its_parent) {
  problem p(classes[0], 64);
  task_tree const tree = recorded_product(p, 0);
  std::size_t groups = 0;
  for (tree_node_id id = 0; id < tree.size(); ++id) {
    if (tree[id].kind != tree_node_kind::join) continue;
    ++groups;
    double sum = 0;
    for (tree_node_id child = tree[id].first; child != no_tree_node; child = tree[child].next) {
      EXPECT_FALSE(tree[child].hints.place.has_value());
      sum += tree[child].hints.work.value();
    }
    tree_node_id const parent = tree[id].parent;
    EXPECT_EQ(sum, parent == 0 ? static_cast<double>(p.nonzeros_of_all()) : tree[parent].hints.work.value());
  }
  EXPECT_EQ(groups, p.all().end - 1);
}

// Leaf after leaf the owner's number never falls, every place gets its share, and neither depends on the sweep.
TEST(cg, places_own_contiguous_shares_of_the_rows) {
  problem p(classes[0], 64);
  for (std::uint32_t const places : {1U, 2U, 3U, 4U, 7U}) {
    task_tree const tree = recorded_product(p, places);
    std::vector<std::size_t> leaves(places);
    std::uint32_t last = 0;
    for (tree_node_id id = 0; id < tree.size(); ++id) {
      if (tree[id].kind != tree_node_kind::leaf) continue;
      std::uint32_t const owner = index(tree[tree[id].parent].hints.place.value());
      EXPECT_GE(owner, last);
      last = owner;
      ++leaves.at(owner);
    }
    auto const [fewest, most] = std::ranges::minmax(leaves);
    EXPECT_LE(most - fewest, 1U) << places << " places";
  }
}

// Halves of the blocks do not end where shares do, so the owner of a part's first block may own nothing else of it.
TEST(cg, a_part_no_larger_than_a_share_goes_to_whoever_owns_most_of_it) {
  for (std::uint32_t const count : {1U, 2U, 3U, 4U, 7U}) {
    place_range const places{.first = 5, .count = count};
    for (std::size_t const n : {7U, 22U, 219U, 220U}) {
      for (std::size_t begin = 0; begin < n; ++begin) {
        std::map<place_id, std::size_t> owned;
        for (std::size_t end = begin + 1; end <= std::min(n, begin + n / count); ++end) {
          ++owned[places.owner(end - 1, n).value()];
          std::size_t const most = std::ranges::max(owned | std::views::values);
          EXPECT_GE(owned[places.owner_of_part(begin, end, n).value()] + 1, most)
              << begin << " to " << end << " of " << n << ", " << count << " places";
        }
      }
    }
  }
  EXPECT_FALSE(place_range{}.owner_of_part(1, 3, 5).has_value());
}

// All elements of an array, in order; the rows of a block lie with the block's owner.
TEST(cg, the_owner_of_a_block_owns_its_rows_of_the_matrix_and_of_all_vectors) {
  problem p(classes[0], 64);
  for (std::uint32_t const count : {0U, 1U, 3U, 4U}) {
    place_range const places{.first = 0, .count = count};
    auto const arrays = p.owned(places);
    ASSERT_EQ(arrays.size(), 8U);
    for (owned_array const& each : arrays) {
      std::size_t next = 0;
      for (memory::share const& s : each.shares()) {
        EXPECT_EQ(s.first, next);
        next += s.count;
      }
      EXPECT_EQ(next * each.memory->element_bytes(), each.memory->bytes().size());
    }
    for (std::size_t b = 0; b < p.all().end; ++b) {
      rows const of_block = p.rows_of({b, b + 1});
      auto const owner_of = [&](owned_array const& array, std::size_t element) {
        for (memory::share const& s : array.shares()) {
          if (element < s.first + s.count) return s.place;
        }
        return place_id{99};
      };
      place_id const right = places.owner(b, p.all().end).value_or(place_id{0});
      EXPECT_EQ(owner_of(arrays[0], p.on().a.starts[of_block.begin]), right);
      EXPECT_EQ(owner_of(arrays[2], of_block.begin), right);
      EXPECT_EQ(owner_of(arrays[3], of_block.end - 1), right);
    }
  }
}

// What two leaves of one sweep write is disjoint, and together it is the whole vector.
TEST(cg, the_leaves_of_a_sweep_write_every_row_once) {
  problem p(classes[0], 64);
  task_tree const tree = recorded_product(p, 2);
  auto next = reinterpret_cast<std::uintptr_t>(p.on().q.data());
  auto const end = next + p.on().q.size() * sizeof(double);
  for (touch const& t : tree.touches()) {
    if (!t.written) continue;
    EXPECT_EQ(t.address, next);
    next = t.address + t.bytes;
  }
  EXPECT_EQ(next, end);
}

}}  // namespace skua::apps::cg
