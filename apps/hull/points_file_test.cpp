// SPDX-License-Identifier: MIT
// Points of text and of .npy files are read; wrong ones are named; no bytes do harm; the grid is exact where it can be.
#include "apps/hull/points_file.hpp"
#include "apps/sayings_for_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"
#include "tests/programs/effort.hpp"

namespace skua::apps::hull { namespace {

std::vector<place> of_text(std::string const& text) {
  text_reader in(text, "x");
  return read_points_text(in);
}
std::vector<place> of_npy(std::string const& bytes) {
  std::istringstream in(bytes);
  return read_npy(in, bytes.size(), "x");
}

std::string npy(std::string const& dictionary, std::string const& data, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += {version, '\0', static_cast<char>(dictionary.size()), '\0'};
  if (version > 1) bytes += {'\0', '\0'};
  return bytes + dictionary + data;
}
std::string header(std::string const& type, bool fortran, std::string const& shape) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': (" + shape +
         "), }   \n";
}
/// The numbers as bytes, the first one's most significant byte first if `big`.
template <class Number>
std::string bytes_of(std::vector<Number> const& numbers, bool big) {
  std::string bytes;
  for (Number const x : numbers) {
    auto its = std::bit_cast<std::array<char, sizeof x>>(x);
    if (big == (std::endian::native == std::endian::little)) std::ranges::reverse(its);
    bytes.append(its.data(), its.size());
  }
  return bytes;
}

TEST(points_text, a_line_is_a_point) {
  std::vector<place> const right{{1, 2}, {-0.5, 300}, {4, 5}};
  EXPECT_EQ(of_text("# points\n1 2\n\n  # more\n-0.5,3e2\r\n\t4 , +5  # the last\n"), right);
  EXPECT_EQ(of_text("\xef\xbb\xbf"
                    "1 2\n-.5 300\n4 5"),
            right);
}

TEST(points_text, wrong_lines_are_named_by_their_number) {
  for (auto const& [text, said] : sayings{
           {"", "x: there is no point in it; allowed: lines X Y, or a .npy of shape (n, 2)"},
           {"# 1 2\n", "x:1: there is no point in it; allowed: lines X Y, or a .npy of shape (n, 2)"},
           {"1 2\n3\n", "x:2: y is ''; allowed: a finite number"},
           {"1 nan\n", "x:1: y is 'nan'; allowed: a finite number"},
           {"1 1e999\n", "x:1: y is '1e999'; allowed: a finite number"},
           {"\x1b[2J 1\n", "x:1: x is '\\x1b[2J'; allowed: a finite number"},
           {"1 2 3\n", "x:1: '3' is too much in its line; allowed: X Y"},
           {"x y\n", "x:1: x is 'x'; allowed: a finite number"},
           {"\x93NUMPY\x01\n", "x: it is a compressed .npy; allowed: a decompressed one, or text"},
       }) {
    EXPECT_EQ(said_by([&] { return of_text(text); }), said);
  }
}

TEST(npy, versions_types_and_orders_of_bytes_and_axes_are_read) {
  std::vector<place> const right{{1, -2}, {0.5, 4}, {8, 1e10}};
  for (char const version : {'\1', '\2', '\3'}) {
    for (bool const big : {false, true}) {
      std::string const end = big ? ">" : "<";
      EXPECT_EQ(
          of_npy(npy(header(end + "f8", false, "3, 2"), bytes_of<double>({1, -2, 0.5, 4, 8, 1e10}, big), version)),
          right);
      EXPECT_EQ(of_npy(npy(header(end + "f8", true, "3, 2"), bytes_of<double>({1, 0.5, 8, -2, 4, 1e10}, big), version)),
                right);
      EXPECT_EQ(
          of_npy(npy(header(end + "f4", false, "3, 2"), bytes_of<float>({1, -2, 0.5F, 4, 8, 1e10F}, big), version)),
          right);
      EXPECT_EQ(
          of_npy(npy(header(end + "f4", true, "3, 2"), bytes_of<float>({1, 0.5F, 8, -2, 4, 1e10F}, big), version)),
          right);
    }
  }
  EXPECT_EQ(of_npy(npy("{\"shape\":(1,2),\"descr\":\"<f8\",\"fortran_order\":False}", bytes_of<double>({3, 4}, false))),
            (std::vector<place>{{3, 4}}));
}

TEST(npy, what_is_no_such_array_is_named) {
  std::string const two = bytes_of<double>({3, 4}, false);
  for (auto const& [bytes, said] : sayings{
           {npy(header("<i8", false, "1, 2"), two), "x: its type is '<i8'; allowed: <f4, >f4, <f8, >f8"},
           {npy(header("\x1b[2J", false, "1, 2"), two), "x: its type is '\\x1b[2J'; allowed: <f4, >f4, <f8, >f8"},
           {npy(header("<f8", false, "2"), two), "x: its shape is (2); allowed: (n, 2) with n from 1 to 268435456"},
           {npy(header("<f8", false, "2, 1"), two),
            "x: its shape is (2, 1); allowed: (n, 2) with n from 1 to 268435456"},
           {npy(header("<f8", false, "0, 2"), ""),
            "x: its shape is (0, 2); allowed: (n, 2) with n from 1 to 268435456"},
           {npy(header("<f8", false, "1000000000000000000, 2"), two),
            "x: its shape is (1000000000000000000, 2); allowed: (n, 2) with n from 1 to 268435456"},
           {npy(header("<f8", false, "99999999999999999999, 2"), two),
            "x: its shape has '99999999999999999999'; allowed: numbers below 2^64"},
           {npy(header("<f8", false, "200000000, 2"), two),
            "x: it has 16 bytes after its header, which promises 3200000000"},
           {npy(header("<f8", false, "1, 2"), two + "x"), "x: it has 17 bytes after its header, which promises 16"},
           {npy(header("<f8", false, "1, 2"), bytes_of<double>({1, std::nan("")}, false)), "x: point 0 is not finite"},
           {npy("{'descr': '<f8', 'shape': (1, 2)}", two), "x: its header lacks one of descr, fortran_order and shape"},
           {npy("{'descr': [('x', '<f8')]}", two), "x: its header has '[('x', '<f8')]}' where ' belongs"},
           {npy("{'descr': '<f8', 'descr': '<f8'}", two),
            "x: its header has the key 'descr'; allowed: descr, fortran_order and shape, each once"},
           {npy(header("<f8", false, "1, 2"), two, 4), "x: it is of version 4.0 of .npy; allowed: 1 to 3"},
           {std::string("\x93NUMPY\x01\0\xff\xff{", 11),
            "x: its header promises 65535 bytes; allowed: as many as are there, at most 1 MiB"},
           {std::string("\x93NUMPY", 6), "x: it ends too early"},
       }) {
    std::string const found = said_by([&] { return of_npy(bytes); });
    EXPECT_TRUE(found.starts_with(said)) << found << "\n" << said;
  }
}

TEST(points_file, damaged_bytes_are_read_or_refused_in_one_line) {
  std::vector<std::string> const whole{"# a\n1 2\n-0.5,3e2\r\n4 5\n",
                                       npy(header("<f4", false, "2, 2"), bytes_of<float>({1, 2, 3, 4}, false)),
                                       npy(header(">f8", true, "1, 2"), bytes_of<double>({1, 2}, true), 2)};
  for (std::uint64_t seed = 0; seed < testing::full_or(std::uint64_t{200'000}, std::uint64_t{3000}); ++seed) {
    runtime::dice rolled{seed};
    std::uint32_t const which = rolled.below(3);
    std::string bytes = whole[which];
    for (std::uint32_t left = 1 + rolled.below(3); left > 0 && !bytes.empty(); --left) {
      auto const at = rolled.below(static_cast<std::uint32_t>(bytes.size()));
      if (rolled.below(3) == 0)
        bytes.erase(at, 1 + rolled.below(5));
      else
        bytes[at] = static_cast<char>(rolled.below(256));
    }
    std::string const said = said_by([&] { return which == 0 ? of_text(bytes) : of_npy(bytes); });
    ASSERT_TRUE(said == "accepted" || (said.starts_with("x:") && said.find_first_of("\n\x1b") == std::string::npos))
        << "seed " << seed << ": " << said;
  }
}

TEST(points_file, the_first_bytes_say_what_it_is) {
  auto const file = std::filesystem::path(::testing::TempDir()) / "points_file_test";
  std::ofstream(file, std::ios::binary) << npy(header("<f8", false, "1, 2"), bytes_of<double>({3, 4}, false));
  EXPECT_EQ(read_points_file(file).format, "npy");
  std::ofstream(file, std::ios::binary) << "3 4\n";
  EXPECT_EQ(read_points_file(file).format, "text");
  EXPECT_EQ(read_points_file(file).points, (std::vector<place>{{3, 4}}));
  std::filesystem::remove(file);
  EXPECT_THROW(static_cast<void>(read_points_file(file)), usage_error);
  EXPECT_THROW(static_cast<void>(read_points_file("/dev/zero")), usage_error);
  EXPECT_THROW(static_cast<void>(read_points_file(::testing::TempDir())), usage_error);
}

TEST(grid, it_is_exact_where_a_power_of_two_divides_all_coordinates) {
  points_on_grid const whole = on_grid(std::vector<place>{{1, -3}, {1024, 0}});
  EXPECT_TRUE(whole.exact);
  EXPECT_EQ(whole.unit, 0x1p-41);
  EXPECT_EQ(whole.points[1].x, std::int64_t{1} << 51);
  EXPECT_EQ(whole.points[0].y, -3 * (std::int64_t{1} << 41));
  EXPECT_FALSE(on_grid(std::vector<place>{{0.1, 0.8}}).exact);
  EXPECT_FALSE(on_grid(std::vector<place>{{1e-300, 1}}).exact);
  EXPECT_TRUE(on_grid(std::vector<place>{{0, 0}}).exact);
  for (double const largest : {1.7976931348623157e308, 1.0, 5e-324}) {
    for (point const& p : on_grid(std::vector<place>{{largest, -largest}}).points) {
      EXPECT_LE(p.x, radius);
      EXPECT_GE(p.y, -radius);
      EXPECT_GE(p.x, radius / 2);
    }
  }
}

TEST(grid, vertices_are_written_with_the_index_of_their_first_point) {
  std::vector<place> const points{{1, 1}, {0, 0}, {2, 0.5}, {1, 0.5}, {0, 0}, {0.1, 2}};
  points_on_grid const grid = on_grid(points);
  std::vector<point> ascending = grid.points;
  std::ranges::sort(ascending);
  EXPECT_EQ(text_of_hull(monotone_chain(ascending), grid.points, points), "1 0 0\n2 2 0.5\n5 0.1 2\n");
}

}}  // namespace skua::apps::hull
