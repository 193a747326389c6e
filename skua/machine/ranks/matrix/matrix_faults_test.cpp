// SPDX-License-Identifier: MIT
// What ranks throw for wrong input, and that all of them do.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "skua/distributed_matrix.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/ranks.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

template <class E = usage_error, class F>
std::string said_by(F f) {
  try {
    f();
  } catch (E const& e) {
    return e.what();
  }
  return "nothing was thrown";
}

class matrix_faults : public on_each_number_of_ranks {};

TEST_P(matrix_faults, are_thrown_locally_for_wrong_rectangles) {
  on_ranks(GetParam(), [](communicator& world) {
    distributed_matrix<double> m(world, 5, 7, matrix_distribution::grid(), {.name = "F"});
    double x[4] = {};
    std::string const on_rank = "the distributed matrix 'F' on rank " + std::to_string(world.rank()) + ": ";
    EXPECT_EQ(said_by([&] { m.get({4, 0, 2, 1}, x, 1); }),
              on_rank + "get of rows [4, 4 + 2) and columns [0, 0 + 1); allowed: within its 5 rows and 7 columns");
    EXPECT_EQ(said_by([&] { m.accumulate({0, 0, 2, 2}, x, 1); }),
              on_rank +
                  "accumulate of rows [0, 0 + 2) and columns [0, 0 + 2) with a leading dimension of 1; allowed: "
                  "at least 2");
    EXPECT_EQ(said_by([&] { m.put({0, 0, 1, 1}, nullptr, 1); }),
              on_rank + "put of rows [0, 0 + 1) and columns [0, 0 + 1) with a null pointer; allowed: memory for it");
    EXPECT_THROW(static_cast<void>(m.get({~std::uint64_t{0}, 0, 2, 1})), usage_error);
    EXPECT_THROW(static_cast<void>(m.owner_of(5, 0)), usage_error);
    m.put({5, 7, 0, 0}, nullptr, 0);
    EXPECT_EQ(m.sum(), 0);
  });
}

TEST_P(matrix_faults, of_ranks_that_differ_are_thrown_everywhere) {
  on_ranks(GetParam(), [](communicator& world) {
    if (world.size() == 1) return;
    std::uint32_t const last = world.size() - 1;
    bool const odd = world.rank() == last;
    std::string const of_last = ", rank " + std::to_string(last);
    EXPECT_EQ(said_by([&] { distributed_matrix<double>(world, odd ? 4 : 3, 3); }),
              "the distributed matrix differs between ranks: rank 0 has 'matrix' of double, 3 x 3 by rows" + of_last +
                  " has 'matrix' of double, 4 x 3 by rows");
    distributed_matrix<double> a(world, 3, 3, matrix_distribution::by_rows(), {.name = "a"});
    distributed_matrix<double> b(world, 3, 3, matrix_distribution::by_rows(), {.name = "b"});
    std::string const differ = said_by([&] { (odd ? a : b).sync(); });
    EXPECT_NE(differ.find("rank "), std::string::npos);
    EXPECT_NE(differ.find("is in sync of the distributed matrix 'b' (number"), std::string::npos) << differ;
    EXPECT_NE(differ.find("in sync of the distributed matrix 'a' (number"), std::string::npos) << differ;
    EXPECT_NE(said_by([&] { a.fill(odd ? 1 : 2); }).find("fill of the distributed matrix 'a'"), std::string::npos);
    a.fill(5);
    EXPECT_EQ(a.sum(), 45);
  });
}

TEST_P(matrix_faults, of_shapes_are_thrown_everywhere) {
  on_ranks(GetParam(), [](communicator& world) {
    distributed_matrix<double> a(world, 3, 4);
    distributed_matrix<double> b(world, 4, 4);
    EXPECT_NE(said_by([&] { a.copy(b); }).find("3 x 4 and 4 x 4; allowed: equal shapes"), std::string::npos);
    EXPECT_NE(said_by([&] { static_cast<void>(a.trace()); }).find("3 x 4 and 4 x 3"), std::string::npos);
    EXPECT_THROW(a.symmetrise(), usage_error);
    EXPECT_THROW(a.transpose(b), usage_error);
    EXPECT_THROW(a.add(1, a, 1, b), usage_error);
    EXPECT_THROW(static_cast<void>(a.dot(b)), usage_error);
    EXPECT_NE(said_by([&] {
                distributed_matrix<double>(world, 4, 4, matrix_distribution::grid(world.size() + 1, 1));
              }).find("allowed: as many as there are"),
              std::string::npos);
    b.fill(1);
    EXPECT_EQ(b.sum(), 16);
  });
}

TEST_P(matrix_faults, of_memory_are_thrown_everywhere) {
  on_ranks(GetParam(), [](communicator& world) {
    for (std::uint64_t const rows : {std::uint64_t{1} << 44, std::uint64_t{1} << 55}) {
      EXPECT_NE(said_by<resource_error>([&] {
                  distributed_matrix<double>(world, rows, 1, matrix_distribution::by_rows(), {.name = "huge"});
                }).find("finds no memory for its"),
                std::string::npos);
    }
    // One rank alone has all of it.
    EXPECT_THROW(distributed_matrix<double>(world, std::uint64_t{1} << 44, 1, matrix_distribution::irregular({0}, {0})),
                 resource_error);
    distributed_matrix<double> m(world, 3, 3);
    m.fill(1);
    EXPECT_EQ(m.sum(), 9);
  });
}

TEST_P(matrix_faults, of_a_gather_to_no_rank_leave_nothing_behind) {
  on_ranks(GetParam(), [](communicator& world) {
    distributed_matrix<double> m(world, 3, 3);
    EXPECT_THROW(static_cast<void>(m.gather(world.size())), usage_error);
    m.fill(1);
    EXPECT_EQ(m.sum(), 9);
  });
}

TEST(matrix_faults_after_the_end, of_the_communicator_are_usage_errors) {
  auto world = communicator::alone();
  distributed_matrix<double> m(*world, 3, 3);
  double x = 1;
  m.put({0, 0, 1, 1}, &x, 1);
  world.reset();
  std::string const late = "a distributed matrix after the end of its communicator; allowed: before it";
  EXPECT_EQ(said_by([&] { m.get({0, 0, 1, 1}, &x, 1); }), late);
  EXPECT_EQ(said_by([&] { m.sync(); }), late);
  EXPECT_EQ(said_by([&] { static_cast<void>(m.local_parts()); }), late);
  EXPECT_EQ(said_by([&] { m.copy(m); }), late);
  EXPECT_EQ(said_by([&] { static_cast<void>(m.trace()); }), late);
  EXPECT_EQ(said_by([&] { m.write("nowhere"); }), late);
}

class matrix_files : public on_each_number_of_ranks {
 protected:
  /// The same on all ranks of a test, and of no other test that runs.
  static std::string path_for(communicator& world, char const* name) {
    std::uint64_t const owner = world.sum(world.rank() == 0 ? static_cast<std::uint64_t>(::getpid()) : 0);
    return ::testing::TempDir() + name + std::to_string(owner) + "_" + std::to_string(world.size());
  }
};

TEST_P(matrix_files, are_read_in_another_distribution) {
  on_ranks(GetParam(), [](communicator& world) {
    std::string const path = path_for(world, "skua_matrix_");
    distributed_matrix<double> from(world, 5, 6, matrix_distribution::grid(), {.name = "from"});
    distributed_matrix<double> to(world, 5, 6, matrix_distribution::irregular({0, 3}, {0, 1, 2}), {.name = "to"});
    for (auto const& v : from.local_parts()) {
      for (std::uint64_t n = 0; n < v.where.size(); ++n) v.data[n] = static_cast<double>(n + 100 * world.rank());
    }
    from.write(path);
    to.read(path);
    EXPECT_EQ(to.get({0, 0, 5, 6}), from.get({0, 0, 5, 6}));
    to.sync();
    if (world.rank() == 0) ::unlink(path.c_str());
  });
}

TEST_P(matrix_files, of_another_shape_or_type_and_damaged_ones_are_refused_everywhere) {
  on_ranks(GetParam(), [](communicator& world) {
    std::string const path = path_for(world, "skua_damaged_");
    distributed_matrix<double> m(world, 4, 3, matrix_distribution::by_rows(), {.name = "m"});
    m.fill(7);
    EXPECT_THROW(m.read(path), resource_error) << "there is none yet";
    EXPECT_THROW(m.write("/dev/null"), usage_error);
    EXPECT_THROW(m.write("/nowhere/matrix"), resource_error);
    m.write(path);
    distributed_matrix<double> other_shape(world, 3, 4);
    EXPECT_EQ(said_by([&] { other_shape.read(path); }),
              "matrix file " + path + " has 4 x 3 elements of double; wanted: 3 x 4 elements of double");
    distributed_matrix<std::int64_t> other_type(world, 4, 3);
    EXPECT_EQ(said_by([&] { other_type.read(path); }),
              "matrix file " + path + " has 4 x 3 elements of double; wanted: 4 x 3 elements of int64_t");
    std::string good;
    if (world.rank() == 0) {
      std::ifstream in(path, std::ios::binary);
      good.assign(std::istreambuf_iterator<char>(in), {});
      EXPECT_EQ(good.size(), 16U + 40 + 96);
    }
    for (std::size_t n = 0; n < 16 + 40 + 96 + 2; n += world.size() > 2 ? 13 : 3) {
      world.barrier();
      if (world.rank() == 0) {
        std::string bad = good;
        if (n < good.size()) bad[n] = static_cast<char>(bad[n] ^ 4);
        if (n == good.size()) bad.pop_back();
        if (n > good.size()) bad.push_back('x');
        std::ofstream(path, std::ios::binary) << bad;
      }
      EXPECT_THROW(m.read(path), usage_error) << n;
    }
    EXPECT_EQ(m.sum(), 84) << "nothing has changed";
    world.barrier();
    if (world.rank() == 0) ::unlink(path.c_str());
  });
}

INSTANTIATE_TEST_SUITE_P(of_ranks, matrix_faults, ::testing::ValuesIn(numbers_of_ranks()));
INSTANTIATE_TEST_SUITE_P(of_ranks, matrix_files, ::testing::ValuesIn(numbers_of_ranks()));

}}}}  // namespace skua::v0::ranks
