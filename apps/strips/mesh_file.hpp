// SPDX-License-Identifier: MIT
// Reads meshes through the Open Asset Import Library (assimp).
#pragma once

#include <filesystem>

#include "apps/strips/mesh.hpp"

namespace skua::apps::strips {

/// All triangles of a file in any format that assimp knows, such as PLY, OBJ and STL. Other polygons become fans; points and
/// lines are left out; vertices at the same position are one. Throws usage_error, which begins with the file's name.
mesh read_mesh_file(std::filesystem::path const& file);

}  // namespace skua::apps::strips
