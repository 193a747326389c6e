// SPDX-License-Identifier: MIT
// Matrices on ranks that are threads of the test or of MPI, against a serial matrix.
#include "skua/distributed_matrix.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/ranks.hpp"
#include "tests/programs/effort.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

/// The same number on every rank, which may be a process.
std::uint64_t agreed_seed(communicator& world) {
  char const* const given = std::getenv("SEED");
  std::uint64_t const mine = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  return world.sum(world.rank() == 0 ? mine : 0);
}

/// Numbers whose sums and products are exact in every type.
template <class T>
T drawn(runtime::dice& dice) {
  auto const n = static_cast<double>(dice.below(9)) - 4;
  if constexpr (std::is_same_v<T, std::complex<double>>) {
    return {n, static_cast<double>(dice.below(5)) - 2};
  } else {
    return static_cast<T>(n);
  }
}

rectangle drawn_rectangle(runtime::dice& dice, std::uint64_t rows, std::uint64_t columns) {
  auto const below = [&](std::uint64_t n) { return std::uint64_t{dice.below(static_cast<std::uint32_t>(n))}; };
  rectangle r;
  r.row = below(rows + 1);
  r.column = below(columns + 1);
  r.rows = below(rows - r.row + 1);
  r.columns = below(columns - r.column + 1);
  return r;
}

matrix_distribution drawn_distribution(runtime::dice& dice, std::uint64_t rows, std::uint64_t columns,
                                       std::uint32_t ranks) {
  auto const starts = [&](std::uint64_t n) {
    std::vector<std::uint64_t> s{0};
    for (std::uint64_t at = 1; at < n; ++at) {
      if (dice.below(3) == 0) s.push_back(at);
    }
    return s;
  };
  switch (dice.below(5)) {
    case 0: return matrix_distribution::by_rows();
    case 3: return matrix_distribution::tiles(3, 2);
    case 1: return matrix_distribution::grid();
    case 2: return matrix_distribution::grid(1, ranks);
    default: {
      auto const of_rows = starts(rows);
      return matrix_distribution::irregular(of_rows, starts(columns));
    }
  }
}

template <class T>
struct serial_matrix {
  std::uint64_t rows;
  std::uint64_t columns;
  std::vector<T> all = std::vector<T>(rows * columns);
  T& at(std::uint64_t i, std::uint64_t j) { return all[i * columns + j]; }
  [[nodiscard]] std::vector<T> part(rectangle const& r) const {
    std::vector<T> some;
    for (std::uint64_t i = 0; i < r.rows; ++i) {
      for (std::uint64_t j = 0; j < r.columns; ++j) some.push_back(all[(r.row + i) * columns + r.column + j]);
    }
    return some;
  }
};

/// A rectangle in memory whose rows lie apart.
template <class T>
struct drawn_block {
  rectangle where;
  std::uint64_t leading;
  std::vector<T> values;
  drawn_block(runtime::dice& dice, serial_matrix<T> const& in)
      : where(drawn_rectangle(dice, in.rows, in.columns)), leading(where.columns + dice.below(3)),
        values(where.rows * leading) {
    for (T& v : values) v = drawn<T>(dice);
  }
  template <class F>
  void each(F f) const {
    for (std::uint64_t i = 0; i < where.rows; ++i) {
      for (std::uint64_t j = 0; j < where.columns; ++j) f(where.row + i, where.column + j, values[i * leading + j]);
    }
  }
};

template <class T>
class one_matrix {
 public:
  one_matrix(communicator& world, std::uint64_t seed)
      : world_(world), dice_(seed), serial_{1 + dice_.below(20), 1 + dice_.below(20)},
        real_(world, serial_.rows, serial_.columns,
              drawn_distribution(dice_, serial_.rows, serial_.columns, world.size()), {.name = "tested"}) {}

  void run_rounds(int rounds) {
    expect_equal("at first");
    for (int round = 0; round < rounds; ++round) {
      put_some();
      accumulate_some();
      start_some();
      change_whole();
    }
  }

 private:
  void expect_equal(char const* after) {
    runtime::dice mine(dice_.next() + world_.rank());
    for (int n = 0; n < 3; ++n) {
      rectangle const r = drawn_rectangle(mine, serial_.rows, serial_.columns);
      EXPECT_EQ(real_.get(r), serial_.part(r)) << in_words(r) << ' ' << after;
    }
    for (auto const& v : real_.local_parts()) {
      for (std::uint64_t i = 0; i < v.where.rows; ++i) {
        for (std::uint64_t j = 0; j < v.where.columns; ++j)
          EXPECT_EQ(v(i, j), serial_.at(v.where.row + i, v.where.column + j)) << after;
      }
    }
    auto const all = real_.gather(world_.size() - 1);
    if (world_.rank() == world_.size() - 1) {
      EXPECT_EQ(all, serial_.all) << after;
    }
  }

  /// One rank puts, so that the result is known.
  void put_some() {
    std::uint32_t const who = dice_.below(world_.size());
    drawn_block<T> const b(dice_, serial_);
    b.each([&](auto i, auto j, T v) { serial_.at(i, j) = v; });
    if (world_.rank() == who) real_.put(b.where, b.values.data(), b.leading);
    real_.sync();
    expect_equal("after put");
  }

  /// All ranks accumulate, to the same elements.
  void accumulate_some() {
    for (std::uint32_t who = 0; who < world_.size(); ++who) {
      for (int n = 0; n < 4; ++n) {
        drawn_block<T> const b(dice_, serial_);
        T const alpha = drawn<T>(dice_);
        b.each([&](auto i, auto j, T v) { serial_.at(i, j) += alpha * v; });
        if (world_.rank() == who) real_.accumulate(b.where, b.values.data(), b.leading, alpha);
      }
    }
    real_.sync();
    expect_equal("after accumulate");
  }

  /// All ranks begin several transfers, and wait in another order.
  void start_some() {
    std::vector<drawn_block<T>> blocks;
    std::vector<matrix_transfer> begun;
    serial_matrix<T> const before = serial_;
    for (std::uint32_t who = 0; who < world_.size(); ++who) {
      for (int n = 0; n < 3; ++n) {
        drawn_block<T> b(dice_, serial_);
        b.each([&](auto i, auto j, T v) { serial_.at(i, j) += v; });
        if (world_.rank() == who) blocks.push_back(std::move(b));
      }
    }
    for (auto const& b : blocks) begun.push_back(real_.start_accumulate(b.where, b.values.data(), b.leading));
    while (!begun.empty()) {
      auto const at = begun.begin() + static_cast<std::ptrdiff_t>(dice_.below(64) % begun.size());
      at->wait();
      EXPECT_TRUE(at->is_done());
      begun.erase(at);
    }
    real_.sync();
    rectangle const r = drawn_rectangle(dice_, serial_.rows, serial_.columns);
    std::vector<T> got(r.size());
    matrix_transfer get = real_.start_get(r, got.data(), r.columns);
    get.wait();
    EXPECT_EQ(got, serial_.part(r));
    expect_equal("after start_accumulate");
  }

  void change_whole() {
    T const value = drawn<T>(dice_);
    switch (dice_.below(3)) {
      case 0:
        real_.fill(value);
        for (T& x : serial_.all) x = value;
        break;
      case 1:
        real_.scale(value);
        for (T& x : serial_.all) x *= value;
        break;
      default: {
        distributed_matrix<T> other(world_, serial_.rows, serial_.columns, matrix_distribution::grid(),
                                    {.name = "other"});
        other.copy(real_);
        EXPECT_EQ(other.gather(0).size(), world_.rank() == 0 ? serial_.all.size() : 0);
        T const beta{2};
        real_.add(T{1}, real_, beta, other);  // three times what it was
        for (T& x : serial_.all) x += beta * x;
        real_.scale(T{0});
        real_.copy(other);
        for (T& x : serial_.all) x = x / T{3};
        break;
      }
    }
    expect_equal("after a change of all");
    for (T& x : serial_.all) x = T{};  // small numbers again
    real_.fill(T{});
  }

  communicator& world_;
  runtime::dice dice_;
  serial_matrix<T> serial_;
  distributed_matrix<T> real_;
};

class distributed_matrices : public on_each_number_of_ranks {};

template <class T>
void compare_with_serial() {
  on_ranks(::testing::TestWithParam<std::uint32_t>::GetParam(), [](communicator& world) {
    std::uint64_t const seed = agreed_seed(world);
    SCOPED_TRACE("SEED=" + std::to_string(seed));
    for (std::uint64_t n = 0; n < testing::full_or<std::uint64_t>(8, 2); ++n)
      one_matrix<T>(world, seed + n).run_rounds(1);
  });
}

TEST_P(distributed_matrices, of_doubles_hold_what_a_serial_matrix_holds) { compare_with_serial<double>(); }
TEST_P(distributed_matrices, of_floats_hold_what_a_serial_matrix_holds) { compare_with_serial<float>(); }
TEST_P(distributed_matrices, of_ints_hold_what_a_serial_matrix_holds) { compare_with_serial<std::int32_t>(); }
TEST_P(distributed_matrices, of_long_ints_hold_what_a_serial_matrix_holds) { compare_with_serial<std::int64_t>(); }
TEST_P(distributed_matrices, of_complex_numbers_hold_what_a_serial_matrix_holds) {
  compare_with_serial<std::complex<double>>();
}

/// element (i, j) = 10 i + j
template <class T>
void number(distributed_matrix<T>& m) {
  m.sync();
  for (auto const& v : m.local_parts()) {
    for (std::uint64_t i = 0; i < v.where.rows; ++i) {
      for (std::uint64_t j = 0; j < v.where.columns; ++j)
        v(i, j) = static_cast<T>(10 * (v.where.row + i) + v.where.column + j);
    }
  }
  m.sync();
}

TEST_P(distributed_matrices, transpose_symmetrise_and_reduce_over_any_distributions) {
  on_ranks(GetParam(), [](communicator& world) {
    auto const cut = matrix_distribution::irregular({0, 1, 4}, {0, 2, 3});
    distributed_matrix<double> a(world, 5, 7, cut, {.name = "a"});
    distributed_matrix<double> b(world, 7, 5, matrix_distribution::grid(), {.name = "b"});
    distributed_matrix<double> s(world, 6, 6, cut, {.name = "s"});
    number(a);
    b.transpose(a);
    auto const turned = b.get({0, 0, 7, 5});
    for (std::uint64_t i = 0; i < 7; ++i) {
      for (std::uint64_t j = 0; j < 5; ++j)
        EXPECT_EQ(turned[i * 5 + j], 10.0 * static_cast<double>(j) + static_cast<double>(i));
    }
    number(s);
    EXPECT_EQ(s.trace(), 11.0 * 15);
    EXPECT_EQ(s.sum(), 11.0 * 15 * 6);
    s.symmetrise();
    auto const even = s.get({0, 0, 6, 6});
    for (std::uint64_t i = 0; i < 6; ++i) {
      for (std::uint64_t j = 0; j < 6; ++j) EXPECT_EQ(even[i * 6 + j], 5.5 * static_cast<double>(i + j));
    }
    distributed_matrix<double> ones(world, 6, 6, matrix_distribution::by_rows(), {.name = "ones"});
    ones.fill(1);
    EXPECT_EQ(s.dot(ones), 11.0 * 15 * 6);
    s.transpose(s);
    EXPECT_EQ(s.get({0, 0, 6, 6}), even);
    a.add(2, a, -1, a);
    EXPECT_EQ(a.get({4, 6, 1, 1}), std::vector<double>{46});
  });
}

TEST_P(distributed_matrices, add_up_what_all_ranks_accumulate_to_one_element) {
  on_ranks(GetParam(), [](communicator& world) {
    distributed_matrix<std::int64_t> counter(world, 1, 1);
    for (std::int64_t n = 1; n <= 500; ++n) counter.accumulate({0, 0, 1, 1}, &n, 1);
    counter.sync();
    EXPECT_EQ(counter.get({0, 0, 1, 1}).front(), 500 * 501 / 2 * std::int64_t{world.size()});
  });
}

TEST_P(distributed_matrices, count_what_a_rank_transfers) {
  on_ranks(GetParam(), [](communicator& world) {
    std::uint64_t const n = world.size();
    distributed_matrix<double> m(world, n, 4);
    std::vector<double> all(4 * n, 1);
    m.put({0, 0, n, 4}, all.data(), 4);
    static_cast<void>(m.get({0, 0, n, 4}));
    m.accumulate({world.rank(), 0, 1, 2}, all.data(), 4);
    matrix_traffic const t = m.traffic();
    EXPECT_EQ(t.local_put, (matrix_traffic::counts{1, 32}));
    EXPECT_EQ(t.remote_put, (matrix_traffic::counts{n - 1, 32 * (n - 1)}));
    EXPECT_EQ(t.local_get, (matrix_traffic::counts{1, 32}));
    EXPECT_EQ(t.remote_get, (matrix_traffic::counts{n - 1, 32 * (n - 1)}));
    EXPECT_EQ(t.local_accumulated, (matrix_traffic::counts{1, 16}));
    EXPECT_EQ(t.remote_accumulated, (matrix_traffic::counts{}));
    m.reset_traffic();
    EXPECT_EQ(m.traffic().local_put, (matrix_traffic::counts{}));
    m.sync();
  });
}

TEST_P(distributed_matrices, come_and_go_on_ranks_that_are_not_in_step) {
  on_ranks(GetParam(), [](communicator& world) {
    std::vector<std::unique_ptr<distributed_matrix<float>>> kept;
    for (int round = 0; round < 9; ++round) {
      auto made = std::make_unique<distributed_matrix<float>>(world, 3, 5, matrix_distribution::grid());
      EXPECT_EQ(made->get({0, 0, 3, 5}), std::vector<float>(15, 0.0F));
      made->fill(static_cast<float>(round));
      kept.push_back(std::move(made));
      if (kept.size() > 1 + (world.rank() + static_cast<std::uint32_t>(round)) % 3) kept.erase(kept.begin());
    }
    EXPECT_EQ(kept.back()->get({2, 4, 1, 1}).front(), 8.0F);
    kept.back()->sync();
  });
}

TEST_P(distributed_matrices, may_have_no_elements_and_more_ranks_than_rows) {
  on_ranks(GetParam(), [](communicator& world) {
    distributed_matrix<double> none(world, 0, 5);
    none.fill(1);
    EXPECT_EQ(none.sum(), 0);
    EXPECT_TRUE(none.get({0, 0, 0, 5}).empty());
    distributed_matrix<double> vector(world, 2, 1, matrix_distribution::by_rows(), {.name = "vector"});
    double const one = 1;
    vector.accumulate({1, 0, 1, 1}, &one, 1, 3);
    vector.sync();
    EXPECT_EQ(vector.get({0, 0, 2, 1}), (std::vector<double>{0, 3.0 * world.size()}));
    vector.sync();
  });
}

INSTANTIATE_TEST_SUITE_P(of_ranks, distributed_matrices, ::testing::ValuesIn(numbers_of_ranks()));

}}}}  // namespace skua::v0::ranks
