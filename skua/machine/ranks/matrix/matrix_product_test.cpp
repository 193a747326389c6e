// SPDX-License-Identifier: MIT
// Products of matrices on ranks that are threads of the test or of MPI, against three loops.
#include "skua/machine/ranks/matrix/matrix_product.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "skua/distributed_matrix.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/ranks.hpp"
#include "tests/programs/effort.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

/// Small whole numbers, whose sums of products are exact in every type.
template <class T>
std::vector<T> drawn_elements(runtime::dice& dice, std::uint64_t count) {
  std::vector<T> all(count);
  for (T& x : all) {
    auto const n = static_cast<double>(dice.below(7)) - 3;
    if constexpr (std::is_same_v<T, std::complex<double>>) {
      x = {n, static_cast<double>(dice.below(3)) - 1};
    } else {
      x = static_cast<T>(n);
    }
  }
  return all;
}

template <class T>
std::vector<T> product_in_loops(std::vector<T> const& a, std::vector<T> const& b, std::uint64_t rows,
                                std::uint64_t inner, std::uint64_t columns) {
  std::vector<T> c(rows * columns);
  for (std::uint64_t i = 0; i < rows; ++i) {
    for (std::uint64_t j = 0; j < columns; ++j) {
      for (std::uint64_t k = 0; k < inner; ++k) c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
    }
  }
  return c;
}

matrix_distribution drawn_way(runtime::dice& dice, std::uint64_t rows) {
  switch (dice.below(4)) {
    case 0: return matrix_distribution::grid();
    case 1: return matrix_distribution::tiles(5, 7);
    case 2:
      return matrix_distribution::irregular(
          rows > 2 ? std::vector<std::uint64_t>{0, 1, rows - 1} : std::vector<std::uint64_t>{0}, {0});
    default: return matrix_distribution::by_rows();
  }
}

template <class T>
void put_all(communicator& world, distributed_matrix<T>& to, std::vector<T> const& from) {
  if (world.rank() == 0) to.put({0, 0, to.rows(), to.columns()}, from.data(), to.columns());
  to.sync();
}

template <class T>
void expect_all(distributed_matrix<T>& found, std::vector<T> const& right) {
  std::vector<T> const all = found.gather(0);
  EXPECT_TRUE(all.empty() || all == right);
}

std::uint64_t agreed_seed_of_products(communicator& world) {
  char const* const given = std::getenv("SEED");
  std::uint64_t const mine = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  return world.sum(world.rank() == 0 ? mine : 0);
}

class products : public on_each_number_of_ranks {
 protected:
  template <class T>
  static void compare_with_loops() {
    on_ranks(GetParam(), [](communicator& world) {
      std::uint64_t const seed = agreed_seed_of_products(world);
      SCOPED_TRACE("SEED=" + std::to_string(seed));
      runtime::dice dice(seed);
      for (int round = 0; round < testing::full_or(8, 2); ++round) {
        std::uint64_t const rows = dice.below(40);
        std::uint64_t const inner = dice.below(40);
        std::uint64_t const columns = dice.below(40);
        distributed_matrix<T> a(world, rows, inner, drawn_way(dice, rows), {.name = "a"});
        distributed_matrix<T> b(world, inner, columns, drawn_way(dice, inner), {.name = "b"});
        distributed_matrix<T> c(world, rows, columns, drawn_way(dice, rows), {.name = "c"});
        auto const of_a = drawn_elements<T>(dice, rows * inner);
        auto const of_b = drawn_elements<T>(dice, inner * columns);
        auto right = drawn_elements<T>(dice, rows * columns);
        put_all(world, a, of_a);
        put_all(world, b, of_b);
        put_all(world, c, right);
        T const alpha = drawn_elements<T>(dice, 1).front();
        T const beta = drawn_elements<T>(dice, 1).front();
        auto const ab = product_in_loops(of_a, of_b, rows, inner, columns);
        for (std::size_t n = 0; n < right.size(); ++n) right[n] = alpha * ab[n] + beta * right[n];
        c.multiply(alpha, a, b, beta);
        expect_all(c, right);
        c.multiply(T{1}, a, b);
        expect_all(c, ab);
        expect_all(a, of_a);
      }
    });
  }
};

TEST_P(products, of_doubles_are_those_of_loops) { compare_with_loops<double>(); }
TEST_P(products, of_floats_are_those_of_loops) { compare_with_loops<float>(); }
TEST_P(products, of_ints_are_those_of_loops) { compare_with_loops<std::int32_t>(); }
TEST_P(products, of_long_ints_are_those_of_loops) { compare_with_loops<std::int64_t>(); }
TEST_P(products, of_complex_numbers_are_those_of_loops) { compare_with_loops<std::complex<double>>(); }

TEST_P(products, may_overwrite_a_factor_and_what_is_no_number) {
  on_ranks(GetParam(), [](communicator& world) {
    std::uint64_t const n = 30;
    runtime::dice dice(9);
    auto const of_a = drawn_elements<double>(dice, n * n);
    auto const of_b = drawn_elements<double>(dice, n * n);
    distributed_matrix<double> a(world, n, n, matrix_distribution::grid(), {.name = "a"});
    distributed_matrix<double> b(world, n, n, matrix_distribution::by_rows(), {.name = "b"});
    put_all(world, a, of_a);
    put_all(world, b, of_b);
    a.multiply(1, a, b);
    auto right = product_in_loops(of_a, of_b, n, n, n);
    expect_all(a, right);
    a.multiply(1, a, a);
    expect_all(a, product_in_loops(right, right, n, n, n));
    a.fill(std::numeric_limits<double>::quiet_NaN());
    a.multiply(2, b, b);
    right = product_in_loops(of_b, of_b, n, n, n);
    for (double& x : right) x *= 2;
    expect_all(a, right);
  });
}

// From one stripe to three, and with a last one that is short.
TEST_P(products, that_are_symmetric_are_computed_to_one_half) {
  on_ranks(GetParam(), [](communicator& world) {
    for (std::uint64_t const n : {1U, 65U, 128U, 191U}) {
      SCOPED_TRACE(std::to_string(n) + " rows");
      runtime::dice dice(n);
      auto const of_a = drawn_elements<double>(dice, n * 3);
      std::vector<double> turned(n * 3);
      for (std::uint64_t i = 0; i < n; ++i) {
        for (std::uint64_t k = 0; k < 3; ++k) turned[k * n + i] = of_a[i * 3 + k];
      }
      distributed_matrix<double> a(world, n, 3, matrix_distribution::by_rows(), {.name = "a"});
      distributed_matrix<double> b(world, 3, n, matrix_distribution::grid(1, world.size()), {.name = "b"});
      put_all(world, a, of_a);
      put_all(world, b, turned);
      auto right = product_in_loops(of_a, turned, n, 3, n);
      std::uint64_t computed = 0;
      product_options<double> const half{.kernel =
                                             [&](block_product<double> const& p) {
                                               computed += p.rows * p.columns * p.inner;
                                               multiply_in_loops(p);
                                             },
                                         .is_symmetric = true};
      for (auto const& way :
           {matrix_distribution::by_rows(), matrix_distribution::grid(), matrix_distribution::tiles(100, 30)}) {
        distributed_matrix<double> c(world, n, n, way, {.name = "c"});
        computed = 0;
        c.multiply(1, a, b, 0, half);
        expect_all(c, right);
        std::uint64_t const stripe = symmetric_halves::height;
        EXPECT_EQ(world.sum(computed) >= 3 * n * (n + 1) / 2, true);
        EXPECT_LE(world.sum(computed), 3 * (n * n + (n + stripe) * stripe) / 2);
        c.multiply(2, a, b, -1, half);
        expect_all(c, right);
      }
    }
  });
}

TEST(symmetric_halves, compute_each_pair_once_and_copy_the_others) {
  for (std::uint64_t const n : {1U, 63U, 64U, 65U, 128U, 129U, 200U, 320U, 321U}) {
    symmetric_halves const halves(n);
    std::vector<int> found(n * n);
    for (std::uint64_t i = 0; i < n; ++i) {
      for (auto const& [from, to] : halves.computed(i)) {
        for (std::uint64_t j = from; j < to; ++j) found[i * n + j] += 1;
      }
      for (auto const& [from, to] : halves.copied(i)) {
        for (std::uint64_t j = from; j < to; ++j) found[i * n + j] += 10;
      }
    }
    for (std::uint64_t i = 0; i < n; ++i) {
      for (std::uint64_t j = 0; j < n; ++j) {
        bool const same = i / symmetric_halves::height == j / symmetric_halves::height;
        ASSERT_EQ(found[i * n + j] + found[j * n + i], same ? 2 : 11) << n << ": " << i << ", " << j;
        ASSERT_LE(found[i * n + j], 10);
      }
    }
  }
}

TEST_P(products, of_shapes_that_do_not_fit_are_refused_on_every_rank) {
  on_ranks(GetParam(), [](communicator& world) {
    distributed_matrix<double> a(world, 5, 3, matrix_distribution::by_rows(), {.name = "a"});
    distributed_matrix<double> b(world, 4, 7, matrix_distribution::by_rows(), {.name = "b"});
    distributed_matrix<double> c(world, 5, 7, matrix_distribution::by_rows(), {.name = "c"});
    auto const refused = [&](auto f, std::string const& why) {
      try {
        f();
        ADD_FAILURE() << "nothing was thrown";
      } catch (usage_error const& e) {
        EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
      }
    };
    refused([&] { c.multiply(1, a, b); }, "5 x 3 times 4 x 7 is to be 5 x 7; allowed: r x c is r x n times n x c");
    distributed_matrix<double> d(world, 3, 7, matrix_distribution::by_rows(), {.name = "d"});
    refused([&] { c.multiply(1, a, d, 0, {.is_symmetric = true}); },
            "5 x 3 times 3 x 7 is to be 5 x 7 and symmetric; allowed: a square matrix");
    c.multiply(1, a, d);
  });
}

INSTANTIATE_TEST_SUITE_P(of_ranks, products, ::testing::ValuesIn(numbers_of_ranks()));

}}}}  // namespace skua::v0::ranks
