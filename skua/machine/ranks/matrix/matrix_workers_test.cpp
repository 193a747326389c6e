// SPDX-License-Identifier: MIT
// Matrices under the tasks of collections, on ranks of one and of several workers: only the server may call the transport.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "skua/distributed_matrix.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/rank_pool.hpp"
#include "skua/ranks.hpp"
#include "tests/programs/effort.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

struct tile_pair {
  std::uint32_t i;
  std::uint32_t k;
};

struct workers_shape {
  std::uint32_t ranks;
  std::uint32_t threads;  ///< 0: no rank_pool
  serving how;
  friend std::ostream& operator<<(std::ostream& out, workers_shape const& s) {
    return out << s.ranks << " ranks, " << s.threads << " threads"
               << (s.how == serving::server_thread ? ", server" : ", between tasks");
  }
};

class matrices_of_workers : public ::testing::TestWithParam<workers_shape> {
 protected:
  template <class F>
  static void on_all(F const& program) {
    on_ranks(GetParam().ranks, [&](communicator& world) {
      if (GetParam().threads == 0) return program(world);
      pool threads(GetParam().threads);
      rank_pool const workers(world, threads, GetParam().how);
      program(world);
    });
  }
};

// What rma_pool and Fock builds do: a task gets two blocks of D, and accumulates blocks of F that other tasks accumulate to, too.
TEST_P(matrices_of_workers, get_and_accumulate_what_a_serial_build_has) {
  on_all([](communicator& world) {
    constexpr std::uint64_t tile = 4;
    constexpr std::uint64_t tiles = 5;
    constexpr std::uint64_t n = tile * tiles - 1;  // the last tile is smaller
    constexpr std::uint32_t repeats = 3;
    distributed_matrix<double> density(world, n, n, matrix_distribution::grid(), {.name = "D"});
    distributed_matrix<double> fock(world, n, n, matrix_distribution::by_rows(), {.name = "F"});
    auto const block = [](std::uint32_t i, std::uint32_t k) {
      auto const size = [](std::uint32_t t) { return t + 1 == tiles ? tile - 1 : tile; };
      return rectangle{i * tile, k * tile, size(i), size(k)};
    };
    task_collection<tile_pair> build(world, {.name = "build"}, [&](tile_pair const& t) {
      rectangle const at = block(t.i, t.k);
      std::vector<double> coulomb(at.size());
      std::vector<double> exchange(at.size());
      matrix_transfer first = density.start_get(at, coulomb.data(), at.columns);
      matrix_transfer second = density.start_get(block(t.k, t.i), exchange.data(), at.rows);
      first.wait();
      second.wait();
      fock.accumulate(at, coulomb.data(), at.columns, 2);
      fock.accumulate(block(t.k, t.i), exchange.data(), at.rows, -1);
    });
    for (auto const& v : density.local_parts()) {
      for (std::uint64_t i = 0; i < v.where.rows; ++i) {
        for (std::uint64_t j = 0; j < v.where.columns; ++j)
          v(i, j) = static_cast<double>((v.where.row + i) * n + v.where.column + j);
      }
    }
    if (world.rank() == 0) {
      for (std::uint32_t again = 0; again < repeats; ++again) {
        for (std::uint32_t i = 0; i < tiles; ++i) {
          for (std::uint32_t k = 0; k < tiles; ++k) build.add({i, k});
        }
      }
    }
    for (int iteration = 0; iteration < 3; ++iteration) {
      fock.fill(0);
      build.process();
      fock.sync();
      auto const found = fock.get({0, 0, n, n});
      for (std::uint64_t e = 0; e < found.size(); ++e) EXPECT_EQ(found[e], repeats * static_cast<double>(e)) << e;
      fock.sync();
      build.restore();
    }
  });
}

TEST_P(matrices_of_workers, accumulate_from_all_tasks_to_one_element) {
  on_all([](communicator& world) {
    distributed_matrix<std::int64_t> sum(world, 2, 2);
    task_collection<int> all(world, {.name = "all"}, [&](int n) {
      std::int64_t const one[2] = {n, -n};
      sum.accumulate({0, 0, 2, 1}, one, 1);
      matrix_transfer again = sum.start_accumulate({1, 0, 1, 2}, one, 2);
      again.wait();
    });
    for (int n = 1; n <= 200; ++n) all.add(n);
    all.process();
    sum.sync();
    std::int64_t const total = 100 * 201 * std::int64_t{world.size()};
    EXPECT_EQ(sum.get({0, 0, 2, 2}), (std::vector<std::int64_t>{total, 0, 0, -total}));
    sum.sync();
  });
}

TEST_P(matrices_of_workers, may_wait_on_the_communicators_thread_for_what_a_task_began) {
  on_all([](communicator& world) {
    distributed_matrix<float> m(world, 8, 8, matrix_distribution::grid());
    m.fill(3);
    std::vector<float> to(64);
    matrix_transfer kept;
    task_collection<int> one(world, {.name = "one"}, [&](int) { kept = m.start_get({0, 0, 8, 8}, to.data(), 8); });
    one.enable_stealing(false);
    one.add(1);
    one.process();
    kept.wait();
    EXPECT_EQ(to, std::vector<float>(64, 3.0F));
    m.sync();
  });
}

TEST_P(matrices_of_workers, refuse_collective_calls_in_a_task_and_transfers_in_foreign_threads) {
  on_all([](communicator& world) {
    distributed_matrix<double> m(world, 4, 4);
    std::atomic<int> refused = 0;
    task_collection<int> all(world, {.name = "all"}, [&](int) {
      try {
        m.sync();
      } catch (usage_error const&) {
        ++refused;
      }
    });
    all.enable_stealing(false);
    all.add(1);
    all.process();
    EXPECT_EQ(refused, 1);
    std::string said;
    std::jthread([&] {
      try {
        double const x = 1;
        m.accumulate({0, 0, 1, 1}, &x, 1);
      } catch (usage_error const& e) {
        said = e.what();
      }
    }).join();
    EXPECT_EQ(said,
              "the distributed matrix 'matrix': accumulate in a thread that is neither that of the communicator, nor a "
              "worker of a rank_pool within process(); allowed: these");
    m.sync();
    EXPECT_EQ(m.sum(), 0);
  });
}

TEST_P(matrices_of_workers, go_on_after_a_task_that_throws) {
  on_all([](communicator& world) {
    distributed_matrix<double> m(world, 6, 6);
    task_collection<int> all(world, {.name = "all"}, [&](int n) {
      double x = 0;
      m.get({static_cast<std::uint64_t>(n % 6), 2, 1, 1}, &x, 1);
      if (n == 17) m.get({6, 0, 1, 1}, &x, 1);
    });
    if (world.rank() == 0) {
      for (int n = 0; n < 40; ++n) all.add(n);
    }
    EXPECT_THROW(all.process(), error);
    m.fill(2);
    EXPECT_EQ(m.sum(), 72);
  });
}

// The tasks of a rank use the same blocks again and again.
TEST_P(matrices_of_workers, get_and_accumulate_less_often_with_a_cache_and_an_accumulator) {
  on_all([](communicator& world) {
    distributed_matrix<double> from(world, 8, 8, matrix_distribution::grid(), {.name = "from"});
    distributed_matrix<double> to(world, 8, 8, matrix_distribution::grid(), {.name = "to"});
    matrix_cache<double> cache(from);
    matrix_accumulator<double> sums(to);
    constexpr int tasks = 60;
    task_collection<int> all(world, {.name = "all"}, [&](int n) {
      rectangle const r{static_cast<std::uint64_t>(n) % 2 * 4, 0, 4, 8};
      auto const block = cache.get(r);
      sums.accumulate(r, block->data(), 8, 2);
    });
    all.enable_stealing(false);
    for (int n = 0; n < tasks; ++n) all.add(n);
    for (int iteration = 1; iteration <= 3; ++iteration) {
      from.fill(iteration);
      to.fill(0);
      to.reset_traffic();
      all.process();
      sums.flush();
      to.sync();
      EXPECT_EQ(to.get({0, 0, 8, 8}), std::vector<double>(64, iteration * 2.0 * tasks / 2 * world.size()));
      EXPECT_LE(to.traffic().local_accumulated.bytes + to.traffic().remote_accumulated.bytes, 64 * sizeof(double));
      EXPECT_EQ(cache.num_hits() + cache.num_misses(), static_cast<std::uint64_t>(tasks * iteration));
      EXPECT_LE(cache.num_misses(), 2U * world.workers() * static_cast<std::uint64_t>(iteration));
      to.sync();
      all.restore();
    }
  });
}

TEST(matrix_cache, forgets_at_a_meeting_when_it_is_told_to_and_when_it_is_full) {
  auto const world = communicator::alone();
  distributed_matrix<double> m(*world, 4, 4);
  matrix_cache<double> cache(m, 10 * sizeof(double));
  auto const kept = cache.get({0, 0, 2, 4});
  EXPECT_EQ(cache.get({0, 0, 2, 4}), kept);
  m.fill(1);
  EXPECT_EQ(*cache.get({0, 0, 2, 4}), std::vector<double>(8, 1));
  EXPECT_EQ(*kept, std::vector<double>(8, 0));
  cache.clear();
  static_cast<void>(cache.get({0, 0, 2, 4}));
  EXPECT_EQ(cache.num_misses(), 3U);
  static_cast<void>(cache.get({2, 0, 1, 4}));  // 12 elements would be more than 10
  static_cast<void>(cache.get({0, 0, 2, 4}));
  static_cast<void>(cache.get({0, 0, 4, 4}));  // never fits
  static_cast<void>(cache.get({0, 0, 4, 4}));
  EXPECT_EQ(cache.num_misses(), 7U);
  EXPECT_EQ(cache.num_hits(), 1U);
  EXPECT_THROW(static_cast<void>(cache.get({4, 0, 1, 1})), usage_error);
}

TEST(matrix_accumulator, sends_its_sums_when_they_take_too_much_memory) {
  auto const world = communicator::alone();
  distributed_matrix<std::int32_t> m(*world, 4, 4);
  matrix_accumulator<std::int32_t> sums(m, 6 * sizeof(std::int32_t));
  std::vector<std::int32_t> const ones(16, 1);
  for (int n = 0; n < 5; ++n) sums.accumulate({0, 0, 2, 2}, ones.data(), 4);
  EXPECT_EQ(m.get({0, 0, 1, 1}).front(), 0);
  sums.accumulate({1, 1, 2, 2}, ones.data(), 4, 3);
  EXPECT_EQ(m.get({1, 1, 1, 1}).front(), 8);
  sums.accumulate({3, 3, 1, 1}, ones.data(), 1);
  sums.flush();
  EXPECT_EQ(m.sum(), 5 * 4 + 3 * 4 + 1);
  EXPECT_THROW(sums.accumulate({3, 3, 2, 1}, ones.data(), 1), usage_error);
}

std::vector<workers_shape> worker_shapes() {
  std::vector<workers_shape> all;
  for (std::uint32_t const ranks : numbers_of_ranks()) {
    if (ranks > 3 && numbers_of_ranks().size() > 1) continue;
    all.push_back({ranks, 0, serving::between_tasks});
    for (std::uint32_t const threads : {1U, 2U, 3U}) {
      if (threads == 2 && !testing::full_effort()) continue;
      all.push_back({ranks, threads, serving::server_thread});
      all.push_back({ranks, threads, serving::between_tasks});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(of_ranks, matrices_of_workers, ::testing::ValuesIn(worker_shapes()));

}}}}  // namespace skua::v0::ranks
