// SPDX-License-Identifier: MIT
// Matrices and vectors of Matrix Market files are read; a wrong line is named; no text does harm; systems are solved.
#include "apps/cg/matrix_market.hpp"
#include "apps/sayings_for_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/cg/problem.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"
#include "tests/programs/effort.hpp"

namespace skua::apps::cg { namespace {

using elements = std::vector<std::tuple<std::size_t, std::uint32_t, double>>;

std::string const real = "%%MatrixMarket matrix coordinate real symmetric\n";
std::string const general = "%%MatrixMarket matrix coordinate real general\n";
std::string const whole_numbers = "%%MatrixMarket matrix coordinate integer symmetric\n";
std::string const pattern = "%%MatrixMarket matrix coordinate pattern symmetric\n";
std::string const array = "%%MatrixMarket matrix array real general\n";

symmetric_matrix read(std::string const& text) {
  text_reader in(text, "x");
  return read_matrix(in);
}

elements all_of(std::string const& text) {
  matrix const a = read(text).a;
  elements all;
  for (std::size_t r = 0; r < a.rows(); ++r) {
    for (std::size_t k = a.starts[r]; k < a.starts[r + 1]; ++k) all.emplace_back(r, a.columns[k], a.values[k]);
  }
  return all;
}

std::vector<double> vector_of(std::string const& text, std::size_t rows) {
  text_reader in(text, "x");
  return read_vector(in, rows);
}

TEST(matrix_market, symmetric_files_have_one_triangle_and_general_ones_both) {
  elements const right{{0, 0, 4}, {0, 1, -1.5}, {1, 0, -1.5}, {1, 1, 3}};
  EXPECT_EQ(all_of(real + "% a comment\n\n2 2 3\n1 1 4\n2 1 -1.5e0\n2 2 +3\n"), right);
  EXPECT_EQ(all_of(real + "2 2 3\n2 2 3\n1 2 -1.5\n1 1 4"), right);  // the upper triangle does as well
  EXPECT_EQ(all_of(general + "2 2 4\r\n1 1 4\r\n2 1 -1.5\r\n1 2 -1.5\r\n2 2 3\r\n"), right);
  EXPECT_EQ(all_of("\xef\xbb\xbf%%matrixmarket MATRIX Coordinate REAL Symmetric\n1 1 1\n1 1 2\n"),
            (elements{{0, 0, 2}}));
  EXPECT_EQ(all_of(whole_numbers + "2 2 2\n1 1 +7\n2 2 9007199254740992\n"), (elements{{0, 0, 7}, {1, 1, 0x1p53}}));
  EXPECT_EQ(read(general + "1 1 1\n1 1 2\n").form, "real general");
}

TEST(matrix_market, a_general_matrix_may_differ_from_its_transpose_by_rounding) {
  EXPECT_EQ(all_of(general + "2 2 3\n1 1 1\n2 2 1\n1 2 1e-14\n").size(), 3U);
  EXPECT_EQ(said_by([] { return read(general + "2 2 3\n1 1 1\n2 2 1\n1 2 1e-11\n"); }),
            "x: it is not symmetric: the elements (1, 2) and (2, 1) differ");
}

TEST(matrix_market, a_pattern_is_the_laplacian_of_its_graph_and_the_identity) {
  elements const path{{0, 0, 2}, {0, 1, -1}, {1, 0, -1}, {1, 1, 3}, {1, 2, -1}, {2, 1, -1}, {2, 2, 2}};
  EXPECT_EQ(all_of(pattern + "3 3 2\n2 1\n3 2\n"), path);
  EXPECT_EQ(all_of(pattern + "3 3 3\n2 1\n2 2\n3 2\n"), path);  // a loop counts for nothing
  EXPECT_EQ(said_by([] { return read(pattern + "3 3 2\n2 1\n1 1\n"); }), "x: row 3 has no element");
  EXPECT_EQ(said_by([] { return read("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n2 1\n1 1\n"); }),
            "x: it is not symmetric: the element (2, 1) is there, (1, 2) is not");
}

TEST(matrix_market, first_lines_of_other_matrices_are_refused_by_name) {
  for (auto const& [text, said] : sayings{
           {"", "x: it is empty; allowed: a Matrix Market file"},
           {"p sp 2 1\n", "x:1: it begins with 'p'; allowed: %%MatrixMarket"},
           {"\x1b]0;x\a\n", "x:1: it begins with '\\x1b]0;x\\x07'; allowed: %%MatrixMarket"},
           {"%%MatrixMarket vector coordinate real general\n", "x:1: the object is 'vector'; allowed: matrix"},
           {array, "x:1: the form is 'array'; allowed: coordinate"},
           {"%%MatrixMarket matrix coordinate complex hermitian\n",
            "x:1: the field is 'complex'; allowed: real, integer, pattern"},
           {"%%MatrixMarket matrix coordinate real hermitian\n",
            "x:1: the symmetry is 'hermitian'; allowed: general, symmetric"},
           {"%%MatrixMarket matrix coordinate real skew-symmetric\n",
            "x:1: the symmetry is 'skew-symmetric'; allowed: general, symmetric"},
           {"%%MatrixMarket matrix coordinate real symmetric 3\n", "x:1: '3' is too much in its line"},
       }) {
    EXPECT_EQ(said_by([&] { return read(text); }), said);
  }
}

TEST(matrix_market, wrong_lines_are_named_by_their_number) {
  for (auto const& [text, said] : sayings{
           {real, "x:1: the file ends before the line of sizes"},
           {real + "3 4 9\n",
            "x:2: there are 3 rows and 4 columns; allowed: as many columns as rows, because the matrix is symmetric"},
           {real + "1000000000000000000 1000000000000000000 1\n",
            "x:2: the number of rows is '1000000000000000000'; allowed: 1 to 2147483647"},
           {real + "1 1 1000000000000000000\n",
            "x:2: the number of elements is '1000000000000000000'; allowed: 0 to 4294967295"},
           {real + "2147483647 2147483647 2\n",
            "x:2: 2 elements are too few for 2147483647 rows: a row would have none on its diagonal, so the matrix is "
            "not positive "
            "definite"},
           {real + "1 1 4294967295\n1 1 1\n", "x:3: the file ends after 1 elements; its line of sizes says 4294967295"},
           {real + "1 1 1\n1 1 1\n% more\n1 1 1\n", "x:5: more elements than the 1 of the line of sizes"},
           {real + "1 1 1\n1 2 1\n", "x:3: a column is '2'; allowed: 1 to 1"},
           {real + "1 1 1\n0 1 1\n", "x:3: a row is '0'; allowed: 1 to 1"},
           {real + "1 1 1\n1 1\n", "x:3: an element is ''; allowed: a finite number"},
           {real + "1 1 1\n1 1 nan\n", "x:3: an element is 'nan'; allowed: a finite number"},
           {real + "1 1 1\n1 1 1e999\n", "x:3: an element is '1e999'; allowed: a finite number"},
           {real + "1 1 1\n1 1 1 0\n", "x:3: '0' is too much in its line"},
           {whole_numbers + "1 1 1\n1 1 1.5\n", "x:3: an element is '1.5'; allowed: a whole number from -2^53 to 2^53"},
           {pattern + "1 1 1\n1 1 1\n", "x:3: '1' is too much in its line"},
           {general + "2 2 3\n1 1 1\n2 2 1\n1 1 3\n", "x: the element (1, 1) is there twice"},
           {real + "2 2 4\n1 1 1\n2 2 1\n1 2 0\n2 1 0\n",
            "x: the element (1, 2) is there twice; of a symmetric matrix it also stands for (2, 1)"},
       }) {
    EXPECT_EQ(said_by([&] { return read(text); }), said);
  }
}

TEST(matrix_market, what_is_visibly_not_positive_definite_is_refused) {
  for (auto const& [text, said] : sayings{
           {real + "2 2 2\n1 1 1\n2 1 1\n",
            "x: it is not positive definite: the diagonal element (2, 2) is 0; allowed: above 0"},
           {real + "1 1 1\n1 1 -2\n",
            "x: it is not positive definite: the diagonal element (1, 1) is -2; allowed: above 0"},
           {real + "2 2 3\n1 1 4\n2 2 1\n2 1 2.001\n",
            "x: it is not positive definite: the element (1, 2) is larger than the geometric mean of the diagonal "
            "elements of its row "
            "and its column"},
       }) {
    EXPECT_EQ(said_by([&] { return read(text); }), said);
  }
}

TEST(matrix_market, vectors_are_arrays_or_coordinates) {
  EXPECT_EQ(vector_of(array + "3 1\n1\n-2.5\n% x\n3e2\n", 3), (std::vector<double>{1, -2.5, 300}));
  EXPECT_EQ(vector_of(general + "3 1 2\n3 1 5\n1 1 -1\n", 3), (std::vector<double>{-1, 0, 5}));
  EXPECT_EQ(vector_of("%%MatrixMarket matrix array integer general\n1 1\n-4\n", 1), (std::vector<double>{-4}));
  for (auto const& [text, said] : sayings{
           {array + "2 1\n1\n2\n", "x:2: the number of rows is '2'; allowed: 3 to 3"},
           {array + "3 2\n1\n2\n", "x:2: the number of columns is '2'; allowed: 1 to 1"},
           {array + "3 1\n1\n2\n", "x:4: the file ends after 2 of 3 elements"},
           {array + "3 1\n1\n2\n3\n4\n", "x:6: more elements than the 3 of the line of sizes"},
           {array + "3 1\n1\ninf\n3\n", "x:4: an element is 'inf'; allowed: a finite number"},
           {general + "3 1 2\n3 1 5\n3 1 -1\n", "x: the element (3, 1) is there twice"},
           {pattern, "x:1: the field is 'pattern'; allowed: real, integer"},
           {real, "x:1: the symmetry is 'symmetric'; allowed: general"},
       }) {
    EXPECT_EQ(said_by([&] { return vector_of(text, 3); }), said);
  }
}

TEST(matrix_market, a_written_vector_is_read_back_bit_for_bit) {
  std::vector<double> const v{0.1, -1.0 / 3, 5e-324, 1.7976931348623157e308, 0};
  EXPECT_EQ(vector_of(text_of_vector(v), v.size()), v);
  EXPECT_EQ(text_of_vector(std::vector<double>{0.5, -2}), "%%MatrixMarket matrix array real general\n2 1\n0.5\n-2\n");
  EXPECT_EQ(text_of_residuals(std::vector<double>{1, 0.25}), "0 1\n1 0.25\n");
}

TEST(matrix_market, damaged_texts_are_read_or_refused_in_one_line) {
  std::vector<std::string> const whole{real + "% c\n3 3 4\n1 1 4\n2 1 -1\n2 2 4\n3 3 9e-1\n",
                                       general + "2 2 4\n1 1 4\n2 1 1\n1 2 1\n2 2 4\n", pattern + "3 3 2\n2 1\n3 1\n"};
  for (std::uint64_t seed = 0; seed < testing::full_or(std::uint64_t{200'000}, std::uint64_t{3000}); ++seed) {
    runtime::dice rolled{seed};
    std::string text = whole[rolled.below(3)];
    auto const at = [&] { return rolled.below(static_cast<std::uint32_t>(text.size())); };
    for (std::uint32_t left = 1 + rolled.below(4); left > 0; --left) {
      constexpr std::string_view bytes = "0123456789 \n\r\t%-.e\x1b\0\xff";
      char const byte = bytes[rolled.below(static_cast<std::uint32_t>(bytes.size()))];
      if (rolled.below(3) == 0)
        text.erase(at(), 1 + rolled.below(5));
      else if (rolled.below(2) == 0)
        text[at()] = byte;
      else
        text.insert(at(), 1, byte);
    }
    std::string const said = said_by([&] { return read(text); });
    ASSERT_TRUE(said == "accepted" || (said.starts_with("x:") && said.find_first_of("\n\x1b") == std::string::npos))
        << "seed " << seed << ": " << said;
  }
}

/// The Laplacian of a line of points with fixed ends.
std::string line_of(std::size_t n) {
  std::string text = real + std::to_string(n) + ' ' + std::to_string(n) + ' ' + std::to_string(2 * n - 1) + '\n';
  for (std::size_t i = 1; i <= n; ++i) {
    text += std::to_string(i) + ' ' + std::to_string(i) + " 2\n";
    if (i > 1) text += std::to_string(i) + ' ' + std::to_string(i - 1) + " -1\n";
  }
  return text;
}

problem system_of(std::string const& text, stop_rule const& until, std::vector<double> b = {}) {
  matrix a = read(text).a;
  if (b.empty()) b = sums_of_rows(a);
  return {std::move(a), std::move(b), until, 9};
}

TEST(cg_system, every_runner_solves_it_with_the_same_residuals) {
  problem p = system_of(line_of(200), {.tolerance = 1e-10});
  EXPECT_EQ(p.wrong(), "cg: no run yet");
  EXPECT_LE(p.right().iterations(), 200U);
  pool several({.workers = 3, .topology = "package:2 l3:1 core:2"});
  tbb_workers arenas;
  for (int how = 0; how < (runtime::under_tsan ? 1 : 3); ++how) {
    p.reset();
    if (how == 0) several.run([&](auto& here) { program(here, p, {.first = 0, .count = 2}); });
    if (how == 1) with_openmp(3, p, openmp_schedule::of_dynamic);
    if (how == 2) with_tbb(arenas, 3, p, tbb_partitioner::of_auto);
    EXPECT_EQ(p.wrong(), "");
    for (double const x : p.solution()) EXPECT_NEAR(x, 1, 1e-7);
  }
  estimate other = p.right();
  other.residuals.back() *= 2;
  p.answer(other);
  EXPECT_NE(p.wrong(), "");
}

TEST(cg_system, a_run_that_does_not_converge_is_wrong) {
  problem p = system_of(line_of(200), {.tolerance = 1e-10, .most_iterations = 7});
  p.answer(p.right());
  EXPECT_EQ(p.right().iterations(), 7U);
  EXPECT_NE(p.wrong().find("cg: after 7 iterations the residual is "), std::string::npos);
}

TEST(cg_system, the_solution_for_zero_is_zero_at_once) {
  problem p = system_of(line_of(5), {}, std::vector<double>(5));
  p.answer(solve(p, [&](auto const& sweep) { return sweep.run(p.rows_of(p.all())); }));
  EXPECT_EQ(p.wrong(), "");
  EXPECT_EQ(p.found()->iterations(), 0U);
  for (double const x : p.solution()) EXPECT_EQ(x, 0);
}

TEST(cg_system, an_indefinite_or_huge_system_is_noticed) {
  // Eigenvalues 1 + 1.8 and 1 - 0.9: each pair of diagonal elements allows it.
  std::string const indefinite = real + "3 3 6\n1 1 1\n2 2 1\n3 3 1\n2 1 -0.9\n3 1 -0.9\n3 2 -0.9\n";
  problem p = system_of(indefinite, {}, {1, 1, 1});
  EXPECT_EQ(p.right().end, ending::not_positive);
  EXPECT_LT(p.right().curvature, 0);
  EXPECT_EQ(system_of(real + "1 1 1\n1 1 1e300\n", {}).right().end, ending::out_of_range);
  EXPECT_EQ(system_of(real + "1 1 1\n1 1 1e-300\n", {}).right().end, ending::out_of_range);
}

}}  // namespace skua::apps::cg
