// SPDX-License-Identifier: MIT
#include "apps/sssp/gr_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <tuple>

#include "skua/parts/base/error.hpp"

namespace skua::apps::sssp {
namespace {

sparse_graph read(std::string const& text) {
  std::istringstream in(text);
  return read_gr(in, "x.gr");
}

/// What the reader says of a wrong text; "accepted" if it finds nothing wrong.
std::string refusal(std::string const& text) {
  try {
    read(text);
  } catch (usage_error const& refused) {
    return refused.what();
  }
  return "accepted";
}

using arcs_of = std::vector<std::tuple<node, node, length>>;

arcs_of sorted_arcs(sparse_graph const& g) {
  arcs_of all;
  for (node v = 0; v < g.nodes(); ++v) {
    g.for_each_arc(v, [&](node to, length cost) { all.emplace_back(v, to, cost); });
  }
  std::ranges::sort(all);
  return all;
}

TEST(gr_file, arcs_are_read_with_nodes_from_one) {
  auto const g = read("c a road\np sp 3 4\n\na 1 2 5\na 2 3 0\r\nc between\na\t3  1 2147483647 \na 3 1 7");
  EXPECT_EQ(g.nodes(), 3U);
  EXPECT_EQ(sorted_arcs(g), (arcs_of{{0, 1, 5}, {1, 2, 0}, {2, 0, 7}, {2, 0, 2147483647}}));
}

TEST(gr_file, graph_without_arcs_is_allowed) { EXPECT_EQ(read("p sp 5 0\n").nodes(), 5U); }

TEST(gr_file, wrong_lines_are_named_by_their_number) {
  for (auto const& [text, said] : std::initializer_list<std::pair<char const*, char const*>>{
           {"", "x.gr:0: there is no line 'p sp NODES ARCS'"},
           {"c only\n", "x.gr:1: there is no line 'p sp NODES ARCS'"},
           {"a 1 2 3\n", "x.gr:1: an arc before the line 'p sp NODES ARCS'"},
           {"p sp 2 0\np sp 2 0\n", "x.gr:2: a second line p; allowed: one"},
           {"p max 2 0\n", "x.gr:1: the problem is 'max'; allowed: sp"},
           {"p sp 0 0\n", "x.gr:1: the number of nodes is '0'; allowed: 1 to 2147483647"},
           {"p sp 2\n", "x.gr:1: the number of arcs is ''; allowed: 0 to 4294967295"},
           {"p sp 2 1 1\n", "x.gr:1: '1' is too much in its line"},
           {"p sp 2 1\nq 1 2 3\n", "x.gr:2: a line begins with 'q'; allowed: c, p, a"},
           {"p sp 2 1\nc\na 1 3 3\n", "x.gr:3: a node is '3'; allowed: 1 to 2"},
           {"p sp 2 1\na 0 1 3\n", "x.gr:2: a node is '0'; allowed: 1 to 2"},
           {"p sp 2 1\na 1 2 -3\n", "x.gr:2: an arc's length is '-3'; allowed: 0 to 2147483647"},
           {"p sp 2 1\na 1 2 3.5\n", "x.gr:2: an arc's length is '3.5'; allowed: 0 to 2147483647"},
           {"p sp 2 1\na 1 2\n", "x.gr:2: an arc's length is ''; allowed: 0 to 2147483647"},
           {"p sp 2 1\na 1 2 99999999999999999999\n",
            "x.gr:2: an arc's length is '99999999999999999999'; allowed: 0 to 2147483647"},
           {"p sp 2 1\na 1 2 3 4\n", "x.gr:2: '4' is too much in its line"},
           {"p sp 2 1\na 1 2 3\na 2 1 3\n", "x.gr:3: more arcs than the 1 of the line p"},
           {"p sp 2 3\na 1 2 3\n", "x.gr:2: the file ends after 1 arcs; its line p says 3"},
       }) {
    EXPECT_EQ(refusal(text), said);
  }
}

TEST(gr_file, file_is_read_and_named_in_refusals) {
  auto const file = std::filesystem::temp_directory_path() / ("gr_file_test_" + std::to_string(::getpid()) + ".gr");
  std::ofstream(file) << "p sp 2 1\na 1 2 3\n";
  EXPECT_EQ(sorted_arcs(read_gr_file(file)), (arcs_of{{0, 1, 3}}));
  std::filesystem::remove(file);
  try {
    read_gr_file(file);
    ADD_FAILURE() << "a missing file was accepted";
  } catch (usage_error const& refused) {
    EXPECT_EQ(refused.what(),
              file.string() + ": cannot be opened; allowed: a readable file in the format of DIMACS (.gr)");
  }
  EXPECT_THROW(read_gr_file(std::filesystem::temp_directory_path()), usage_error);
}

}  // namespace
}  // namespace skua::apps::sssp
