// SPDX-License-Identifier: MIT
// Polygons and strips of PLY files, as text and as bytes; what the header promises must be there.
#include "apps/strips/ply_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"
#include "tests/programs/effort.hpp"

namespace skua::apps::strips { namespace {

std::string said_of(std::string const& bytes) {
  try {
    static_cast<void>(read_ply(bytes, "x"));
  } catch (usage_error const& refused) {
    return refused.what();
  }
  return "accepted";
}

/// Six vertices, and an element with its properties.
std::string header(std::string const& format, std::string const& element) {
  return "ply\nformat " + format +
         " 1.0\ncomment of a test\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\nelement " +
         element + "\nend_header\n";
}
std::string const vertices = "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n1 2 0\n";
std::string strips(std::string const& list) {
  return header("ascii", "tristrips 1\nproperty list int int vertex_indices") + vertices + list;
}
std::string faces(std::string const& lists) {
  return header("ascii", "face 2\nproperty uchar red\nproperty list uchar int vertex_index") + vertices + lists;
}

/// The bytes of numbers in this order.
template <class... Numbers>
std::string bytes_of(bool big, Numbers... numbers) {
  std::string all;
  auto const add = [&](auto number) {
    std::string one(sizeof number, '\0');
    std::memcpy(one.data(), &number, sizeof number);
    if (big != (std::endian::native == std::endian::big)) std::ranges::reverse(one);
    all += one;
  };
  (add(numbers), ...);
  return all;
}

TEST(ply_file, strips_are_all_their_triangles) {
  surface const found = read_ply(strips("6 0 1 2 3 4 5\n"), "x");
  EXPECT_EQ(found.positions.size(), 6U);
  EXPECT_EQ(found.triangles, (std::vector<corners>{{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {4, 3, 5}}));
}

TEST(ply_file, minus_one_begins_the_next_strip) {
  EXPECT_EQ(read_ply(strips("9 0 1 2 -1 -1 3 4 5 -1\n"), "x").triangles, (std::vector<corners>{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_TRUE(read_ply(strips("4 0 1 -1 2\n"), "x").triangles.empty());
}

TEST(ply_file, polygons_are_fans_and_other_properties_are_skipped) {
  EXPECT_EQ(read_ply(faces("9 4 0 1 3 2\n9 3 2 3 4\n"), "x").triangles,
            (std::vector<corners>{{0, 1, 3}, {0, 3, 2}, {2, 3, 4}}));
}

TEST(ply_file, binary_files_of_either_order_are_read) {
  for (bool const big : {false, true}) {
    std::string text =
        "ply\r\nformat binary_" + std::string(big ? "big" : "little") +
        "_endian 1.0\r\nelement vertex 3\r\nproperty double x\r\nproperty float y\r\nelement other 1\r\nproperty "
        "short s\r\nelement tristrips 1\r\nproperty list uint int vertex_indices\r\nend_header\r\n";
    for (int i = 0; i < 3; ++i) text += bytes_of(big, 0.5 * i, 1.5F);
    text += bytes_of(big, std::int16_t{-7}) + bytes_of(big, std::uint32_t{5}, 0, 1, 2, -1, 0);
    surface const found = read_ply(text, "x");
    EXPECT_EQ(found.triangles, (std::vector<corners>{{0, 1, 2}}));
    EXPECT_EQ(found.positions[2], (std::array<float, 3>{1, 1.5F, 0}));
    for (std::size_t cut = 1; cut < 30; ++cut) {
      EXPECT_EQ(said_of(text.substr(0, text.size() - cut)),
                "x: the file ends before all elements that its header promises");
    }
    EXPECT_EQ(said_of(text + "more"), "x: there is more than its header promises");
  }
}

TEST(ply_file, lines_may_end_with_a_carriage_return_alone) {
  std::string text = faces("9 4 0 1 3 2\n9 3 2 3 4\n");
  std::ranges::replace(text, '\n', '\r');
  EXPECT_EQ(read_ply(text, "x").triangles, (std::vector<corners>{{0, 1, 3}, {0, 3, 2}, {2, 3, 4}}));
  EXPECT_EQ(said_of(text + "7\r"), "x:19: there is more than its header promises");
  std::string binary =
      "ply\rformat binary_little_endian 1.0\relement vertex 3\rproperty uchar x\relement face 1\r"
      "property list uchar uchar vertex_index\rend_header\r";
  binary += "\n\r\n";  // of the vertices
  EXPECT_EQ(read_ply(binary + bytes_of(false, '\3', '\0', '\1', '\2'), "x").triangles,
            (std::vector<corners>{{0, 1, 2}}));
}

TEST(ply_file, wrong_files_are_refused_with_their_line) {
  for (auto const& [bytes, said] : std::initializer_list<std::pair<std::string, char const*>>{
           {"PLY\nformat ascii 1.0\n", "x:1: the file begins with 'PLY'; allowed: ply"},
           {"ply\nformat ascii 1.0\nend_headerx\n",
            "x:3: a line begins with 'end_headerx'; allowed: format, element, property, comment, obj_info, end_header"},
           {"ply\nformat ascii 1.0\nelement vertex 3\n", "x:4: the header of this PLY file has no line end_header"},
           {"ply\nformat ascii 1.0\nelement vertex -3\n",
            "x:3: the number of elements is '-3'; allowed: a whole number"},
           {"ply\nformat text 1.0\n",
            "x:2: the format is 'text'; allowed: ascii, binary_little_endian, binary_big_endian"},
           {"ply\nproperty float x\n", "x:2: a property before the first element"},
           {"ply\nelement vertex 1\nproperty real x\n",
            "x:3: the type is 'real'; allowed: char, uchar, short, ushort, int, uint, float, double, or int8 to "
            "float64"},
           {"ply\nend_header\n", "x:2: the header has no line format"},
           {faces("9 3 0 1 2\n"), "x:19: the file ends before all elements that its header promises"},
           {faces("9 3 0 1 2\n9 3 0 1 2\n7\n"), "x:19: there is more than its header promises"},
           {faces("9 3 0 1 2\n9 3 0 1 6\n"), "x:19: a polygon has the vertex 6; there are 6"},
           {faces("9 3 0 1 2\n9 3 0 1 -1\n"), "x:19: a corner of a polygon is no vertex"},
           {faces("9 3 0 1 2\n9 3 0 one 2\n"), "x:19: 'one' is no number"},
           {faces("9 -3 0 1 2\n"), "x:18: the length of a list is no whole number"},
           {faces("9 4000000000 0 1 2\n"), "x:18: the file ends before all elements that its header promises"},
           {"ply\nformat ascii 1.0\nelement vertex 18446744073709551615\nproperty float x\nend_header\n0\n",
            "x:6: the file ends before all elements that its header promises"},
       }) {
    EXPECT_EQ(said_of(bytes), said) << bytes;
  }
}

TEST(ply_file, damaged_files_are_read_or_refused_in_one_line) {
  std::vector<std::string> const whole{strips("9 0 1 2 -1 -1 3 4 5 -1\n"), faces("9 4 0 1 3 2\n9 3 2 3 4\n")};
  for (std::uint64_t seed = 0; seed < testing::full_or(std::uint64_t{200'000}, std::uint64_t{3000}); ++seed) {
    runtime::dice rolled{seed};
    std::string bytes = whole[rolled.below(2)];
    if (rolled.below(3) == 0) bytes.replace(bytes.find("ascii"), 5, "binary_big_endian");
    for (std::uint32_t left = 1 + rolled.below(4); left > 0; --left) {
      auto const at = rolled.below(static_cast<std::uint32_t>(bytes.size()));
      if (rolled.below(3) == 0)
        bytes.erase(at, 1 + rolled.below(5));
      else
        bytes[at] = static_cast<char>(rolled.below(2) == 0 ? rolled.below(256) : '0' + rolled.below(10));
    }
    std::string const said = said_of(bytes);
    ASSERT_TRUE(said == "accepted" || (said.starts_with("x:") && said.find('\n') == std::string::npos))
        << "seed " << seed << ": " << said;
  }
}

}}  // namespace skua::apps::strips
