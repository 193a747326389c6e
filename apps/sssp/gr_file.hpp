// SPDX-License-Identifier: MIT
// Reads the graphs of the 9th DIMACS implementation challenge (2006), such as road networks: lines `c comment`, once
// `p sp NODES ARCS`, and `a FROM TO LENGTH`, with nodes from 1.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string_view>

#include "apps/sssp/graph.hpp"

namespace skua::apps::sssp {

/// Throws usage_error, which begins with `name:line:`, where the text is not such a graph.
sparse_graph read_gr(std::istream& in, std::string_view name);

/// The same for a file. Throws usage_error also if it cannot be read.
sparse_graph read_gr_file(std::filesystem::path const& file);

}  // namespace skua::apps::sssp
