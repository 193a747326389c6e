// SPDX-License-Identifier: MIT
// Reads PLY files (Turk, The PLY polygon file format, 1994): ASCII and binary, polygons and triangle strips. assimp, which reads
// other meshes, returns one triangle of an element `tristrips`, and never returns from a header that does not end.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "apps/strips/mesh.hpp"

namespace skua::apps::strips {

struct surface {
  std::vector<std::array<float, 3>> positions;  ///< of each vertex
  std::vector<corners> triangles;
};

/// Polygons become fans; of strips, -1 ends one and begins the next. Elements with other names are skipped. All that the header
/// promises must be there, and nothing else. Throws usage_error, which begins with the name, and in a text with the line. Work
/// and memory O(bytes).
[[nodiscard]] surface read_ply(std::string_view bytes, std::string const& name);

}  // namespace skua::apps::strips
