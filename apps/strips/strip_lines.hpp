// SPDX-License-Identifier: MIT
// Strips as the lines of indices that graphics libraries draw.
//
// A line "a b c d ..." is a strip in the sense of OpenGL and glTF: the triangles (a, b, c), (c, b, d), ...: each three in a row, and of every
// second one the first two are swapped. Three in a row of which two are equal are no triangle: such repetitions turn a strip to the other side.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "apps/strips/mesh.hpp"

namespace skua::apps::strips {

/// The indices of one strip, whose triangles follow each other over edges: decoded, the same triangles in the same order, each with its direction.
/// A triangle that has a vertex twice is a line of its own, and decodes to none. Work O(triangles).
[[nodiscard]] std::vector<vertex> indices_of_strip(std::span<corners const> strip);

/// The triangles of a line, without those that have a vertex twice.
[[nodiscard]] std::vector<corners> triangles_of_line(std::span<vertex const> line);

/// A line for each strip, in the order of their first triangles. `next`: the triangle behind each, or search::last.
[[nodiscard]] std::string text_of_strips(mesh const& m, std::span<std::atomic<triangle> const> next);

}  // namespace skua::apps::strips
