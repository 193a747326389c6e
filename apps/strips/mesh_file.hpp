// SPDX-License-Identifier: MIT
// Reads meshes: PLY here (ply_file.hpp), OBJ and STL through the Open Asset Import Library (assimp).
#pragma once

#include <filesystem>

#include "apps/strips/mesh.hpp"

namespace skua::apps::strips {

/// All triangles of a PLY, OBJ or STL file; an error if fewer come out than the file promises. Other polygons become fans; points and
/// lines are left out; vertices at the same position are one. Throws usage_error, which begins with the file's name.
mesh read_mesh_file(std::filesystem::path const& file);

/// Whether the vertices of the mesh are numbered as in the file, from 0: in PLY each is the first one at its position. assimp numbers those
/// of OBJ and STL files anew. Throws usage_error if the file cannot be read.
[[nodiscard]] bool keeps_numbers_of(std::filesystem::path const& file);

}  // namespace skua::apps::strips
