// SPDX-License-Identifier: MIT
// Neighbours are those that brute force finds; files of three formats are read, and others refused in one line.
#include "apps/strips/mesh.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apps/strips/mesh_file.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps::strips { namespace {

/// The neighbours of t in the order of their edges' names; nobody left out.
std::multiset<triangle> neighbours_of(mesh const& m, triangle t) {
  std::multiset<triangle> all;
  for (triangle const n : m.neighbours(t)) {
    if (n != nobody) all.insert(n);
  }
  return all;
}

/// A file that ends with its test.
class temporary_file {
 public:
  temporary_file(std::string const& suffix, std::string const& text)
      : path_(std::filesystem::temp_directory_path() / ("mesh_test_" + std::to_string(::getpid()) + suffix)) {
    std::ofstream(path_) << text;
  }
  ~temporary_file() { std::filesystem::remove(path_); }
  temporary_file(temporary_file const&) = delete;
  temporary_file& operator=(temporary_file const&) = delete;
  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

std::string refusal(std::filesystem::path const& file) {
  try {
    static_cast<void>(read_mesh_file(file));
  } catch (usage_error const& refused) {
    return refused.what();
  }
  return "accepted";
}

// A square and a triangle at its side: three triangles in a row.
constexpr char const* square_and_more = R"(ply
format ascii 1.0
element vertex 5
property float x
property float y
property float z
element face 2
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
1 1 0
0 1 0
2 0 1
4 0 1 2 3
3 1 4 2
)";

std::string header_of(std::string const& ply) { return ply.substr(0, ply.find("end_header") + 11); }

TEST(mesh, neighbours_are_those_that_share_an_edge) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    mesh const m = generated_surface(300 + static_cast<triangle>(seed), seed);
    for (triangle t = 0; t < m.triangles(); ++t) {
      std::multiset<triangle> right;
      for (triangle other = 0; other < m.triangles(); ++other) {
        if (other != t && share_edge(m.corners_of(t), m.corners_of(other))) right.insert(other);
      }
      ASSERT_EQ(neighbours_of(m, t), right) << "seed " << seed << ", triangle " << t;
    }
    EXPECT_EQ(m.crowded_edges(), 0U) << "seed " << seed;
  }
}

TEST(mesh, to_be_neighbours_is_mutual_also_where_many_triangles_meet) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    runtime::dice rolled{seed};
    std::vector<corners> some(1 + rolled.below(60));
    for (corners& c : some) c = {rolled.below(7), rolled.below(7), rolled.below(7)};  // crowded, with degenerate ones
    mesh const m(some);
    for (triangle t = 0; t < m.triangles(); ++t) {
      auto const& c = m.corners_of(t);
      bool const degenerate = c[0] == c[1] || c[1] == c[2] || c[2] == c[0];
      if (degenerate) {
        EXPECT_TRUE(neighbours_of(m, t).empty()) << "seed " << seed;
      }
      for (triangle const n : neighbours_of(m, t)) {
        EXPECT_NE(n, t) << "seed " << seed;
        EXPECT_EQ(neighbours_of(m, t).count(n), neighbours_of(m, n).count(t)) << "seed " << seed;
        EXPECT_TRUE(share_edge(c, m.corners_of(n))) << "seed " << seed;
      }
    }
  }
}

TEST(mesh, edge_of_five_triangles_joins_two_pairs) {
  std::vector<corners> fan;
  for (vertex v = 2; v < 7; ++v) fan.push_back({0, 1, v});
  mesh const m(fan);
  EXPECT_EQ(m.crowded_edges(), 1U);
  EXPECT_EQ(neighbours_of(m, 0), (std::multiset<triangle>{1}));
  EXPECT_EQ(neighbours_of(m, 3), (std::multiset<triangle>{2}));
  EXPECT_TRUE(neighbours_of(m, 4).empty());
}

TEST(mesh, generated_surface_is_what_its_seed_says) {
  for (triangle const n : {1U, 2U, 17U, 1000U, 54321U}) EXPECT_EQ(generated_surface(n, 1).triangles(), n);
  mesh const a = generated_surface(5000, 1);
  mesh const b = generated_surface(5000, 1);
  mesh const c = generated_surface(5000, 2);
  bool differs = false;
  for (triangle t = 0; t < 5000; ++t) {
    EXPECT_EQ(a.corners_of(t), b.corners_of(t));
    differs = differs || a.corners_of(t) != c.corners_of(t);
  }
  EXPECT_TRUE(differs);
  EXPECT_THROW(generated_surface(0, 1), usage_error);
  EXPECT_THROW(mesh({}), usage_error);
}

TEST(mesh_file, polygons_of_a_ply_file_become_triangles) {
  temporary_file const file(".ply", square_and_more);
  mesh const m = read_mesh_file(file.path());
  ASSERT_EQ(m.triangles(), 3U);
  EXPECT_EQ(neighbours_of(m, 0).size() + neighbours_of(m, 1).size() + neighbours_of(m, 2).size(), 4U);
}

TEST(mesh_file, vertices_at_one_position_are_one) {
  temporary_file const stl(".stl", R"(solid two
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
facet normal 0 0 1
outer loop
vertex 1 0 0
vertex 1 1 0
vertex 0 1 0
endloop
endfacet
endsolid two
)");
  mesh const m = read_mesh_file(stl.path());
  ASSERT_EQ(m.triangles(), 2U);
  EXPECT_EQ(neighbours_of(m, 0), (std::multiset<triangle>{1}));
}

TEST(mesh_file, zeros_of_either_sign_are_one_position_and_nan_does_no_harm) {
  temporary_file const obj(".obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv -0 1 0\nv 1 0 -0\nv nan 1 0\nf 1 2 3\nf 5 6 4\n");
  EXPECT_EQ(neighbours_of(read_mesh_file(obj.path()), 1), (std::multiset<triangle>{0}));
}

TEST(mesh_file, obj_files_are_read) {
  temporary_file const obj(".obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n");
  EXPECT_EQ(neighbours_of(read_mesh_file(obj.path()), 1), (std::multiset<triangle>{0}));
}

TEST(mesh_file, stl_may_be_in_capitals_and_lines_may_end_with_a_carriage_return) {
  std::string const stl =
      "SOLID Two\n FACET NORMAL 0 0 1\nOUTER LOOP\nVERTEX 0 0 0.0E+00\nVERTEX 1 0 0\nVERTEX 0 1 0\nENDLOOP\nENDFACET\n"
      "ENDSOLID Two\n";
  std::string const obj = "v 0 0 0\nmtllib /dev/zero\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  for (auto const& [ending, text] : {std::pair(".stl", stl), std::pair(".obj", obj)}) {
    std::string returns = text;
    std::ranges::replace(returns, '\n', '\r');
    for (std::string const& bytes : {text, returns}) {
      temporary_file const file(ending, bytes);
      EXPECT_EQ(read_mesh_file(file.path()).triangles(), 1U) << bytes;
    }
  }
}

TEST(mesh_file, other_formats_are_not_tried_and_files_of_materials_are_not_opened) {
  temporary_file const other(".3mf", "PK\x03\x04");
  EXPECT_EQ(refusal(other.path()),
            other.path().string() + ": it is no mesh of a known format; allowed: PLY, STL, or OBJ by its name .obj");
  temporary_file const obj(".obj",
                           "mtllib /dev/zero\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nusemtl a\nf 2 4 3\n");
  EXPECT_EQ(read_mesh_file(obj.path()).triangles(), 2U);
}

TEST(mesh_file, wrong_files_are_refused_in_one_line_that_names_them) {
  temporary_file const broken(".ply", "ply\nformat ascii 1.0\nelement vertex 3\n");
  temporary_file const text(".txt", "no mesh\n");
  temporary_file const points(".obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
  temporary_file const without_data("_2.ply", header_of(square_and_more));
  for (auto const& file : {broken.path(), without_data.path(), text.path(), points.path(),
                           std::filesystem::path("/no/such/file.ply"), std::filesystem::temp_directory_path()}) {
    std::string const said = refusal(file);
    EXPECT_EQ(said.find(file.string()), 0U) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

}}  // namespace skua::apps::strips
