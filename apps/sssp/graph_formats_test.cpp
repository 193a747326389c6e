// SPDX-License-Identifier: MIT
// The three formats are told apart and read; a wrong line is named; no text does harm.
#include "apps/sssp/graph_formats.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"
#include "tests/programs/effort.hpp"

namespace skua::apps::sssp { namespace {

using arcs_of = std::vector<std::tuple<std::uint64_t, std::uint64_t, length>>;

named_graph read_as(graph_format format, text_reader& in) {
  if (format == graph_format::dimacs) return read_dimacs(in);
  return format == graph_format::metis ? read_metis(in) : read_edges(in, false);
}

arcs_of arcs(named_graph const& g) {
  arcs_of all;
  for (named_arc const& a : g.arcs) all.emplace_back(a.from, a.to, a.cost);
  return all;
}
arcs_of arcs(graph_format format, std::string const& text) {
  text_reader in(text, "x");
  return arcs(read_as(format, in));
}

/// What is said of a text; "accepted" if nothing is wrong with it.
std::string refusal(graph_format format, std::string const& text) {
  text_reader in(text, "x");
  try {
    read_as(format, in);
  } catch (usage_error const& refused) {
    return refused.what();
  }
  return "accepted";
}

using sayings = std::initializer_list<std::pair<char const*, char const*>>;

TEST(dimacs, arcs_are_read_with_nodes_from_one) {
  std::string const text = "c a road\np sp 3 4\n\na 1 2 5\na 2 3 0\r\nc between\na\t3  1 2147483647 \na 3 1 7";
  EXPECT_EQ(arcs(graph_format::dimacs, text), (arcs_of{{1, 2, 5}, {2, 3, 0}, {3, 1, 2147483647}, {3, 1, 7}}));
  text_reader in("p sp 5 0\n", "x");
  EXPECT_EQ(read_dimacs(in).declared, 5U);
}

TEST(dimacs, wrong_lines_are_named_by_their_number) {
  for (auto const& [text, said] : sayings{
           {"", "x: there is no line 'p sp NODES ARCS'"},
           {"c only\n", "x:1: there is no line 'p sp NODES ARCS'"},
           {"a 1 2 3\n", "x:1: an arc before the line 'p sp NODES ARCS'"},
           {"p sp 2 0\np sp 2 0\n", "x:2: a second line p; allowed: one"},
           {"p max 2 0\n", "x:1: the problem is 'max'; allowed: sp"},
           {"p sp 0 0\n", "x:1: the number of nodes is '0'; allowed: 1 to 2147483647"},
           {"p sp 2\n", "x:1: the number of arcs is ''; allowed: 0 to 4294967295"},
           {"p sp 2 1 1\n", "x:1: '1' is too much in its line"},
           {"p sp 2 1\nq 1 2 3\n", "x:2: a line begins with 'q'; allowed: c, p, a"},
           {"p sp 2 1\nc\na 1 3 3\n", "x:3: a node is '3'; allowed: 1 to 2"},
           {"p sp 2 1\na 0 1 3\n", "x:2: a node is '0'; allowed: 1 to 2"},
           {"p sp 2 1\na 1 2 -3\n", "x:2: an arc's length is '-3'; allowed: 0 to 2147483647"},
           {"p sp 2 1\na 1 2 3.5\n", "x:2: an arc's length is '3.5'; allowed: 0 to 2147483647"},
           {"p sp 2 1\na 1 2 99999999999999999999\n",
            "x:2: an arc's length is '99999999999999999999'; allowed: 0 to 2147483647"},
           {"p sp 2 1\na 1 2 3 4\n", "x:2: '4' is too much in its line"},
           {"p sp 2 1\na 1 2 3\na 2 1 3\n", "x:3: more arcs than the 1 of the line p"},
           {"p sp 2 3\na 1 2 3\n", "x:2: the file ends after 1 arcs; its line p says 3"},
       }) {
    EXPECT_EQ(refusal(graph_format::dimacs, text), said);
  }
}

TEST(metis, neighbours_are_read_with_and_without_weights) {
  EXPECT_EQ(arcs(graph_format::metis, "% a path\n3 2\n2\n1 3\n2\n"),
            (arcs_of{{1, 2, 1}, {2, 1, 1}, {2, 3, 1}, {3, 2, 1}}));
  EXPECT_EQ(arcs(graph_format::metis, "2 1 001\n2 9\n1 9"), (arcs_of{{1, 2, 9}, {2, 1, 9}}));
  EXPECT_EQ(arcs(graph_format::metis, "3 1 111 2\n5 1 1 2 9\n5 1 1 1 9\n5 1 1\n\n"), (arcs_of{{1, 2, 9}, {2, 1, 9}}));
  EXPECT_EQ(arcs(graph_format::metis, "3 1 10\n7 3\n7\n7 1"), (arcs_of{{1, 3, 1}, {3, 1, 1}}));
  EXPECT_EQ(arcs(graph_format::metis, "3 1\n3\n\n1"), (arcs_of{{1, 3, 1}, {3, 1, 1}}));  // a node without edges
}

TEST(metis, wrong_lines_are_named_by_their_number) {
  for (auto const& [text, said] : sayings{
           {"", "x: there is no line NODES EDGES; allowed: a graph in the format of METIS"},
           {"3 1 2\n", "x:1: the format is '2'; allowed: up to three digits, each 0 or 1, such as 001"},
           {"2 1 1 1\n", "x:1: '1' is too much in its line"},
           {"2 1\n2\n", "x:2: the file ends after 1 of 2 nodes"},
           {"2 1\n2\n3\n", "x:3: a node is '3'; allowed: 1 to 2"},
           {"2 1\n2 2\n1\n", "x:3: more neighbours than the 2 of 1 edges"},
           {"2 2\n2\n1\n", "x:3: the file ends after 2 neighbours; 2 edges have 4"},
           {"2 1\n2\n1\n1\n", "x:4: '1' is too much in its line"},
           {"2 1 1\n2\n1\n", "x:2: an edge's weight is ''; allowed: 0 to 2147483647"},
       }) {
    EXPECT_EQ(refusal(graph_format::metis, text), said);
  }
}

TEST(edges, nodes_have_any_numbers_and_a_length_if_there_is_a_third_word) {
  EXPECT_EQ(arcs(graph_format::edges, "# Directed graph: x\n0\t7\n18446744073709551615,0,5\r\n\n"),
            (arcs_of{{0, 7, 1}, {18446744073709551615U, 0, 5}}));
}

TEST(edges, undirected_lists_lead_both_ways) {
  EXPECT_EQ(arcs(graph_format::edges, "# Undirected graph: x\n1 2 3\n"), (arcs_of{{1, 2, 3}, {2, 1, 3}}));
  text_reader in("1 2 3\n", "x");
  EXPECT_EQ(arcs(read_edges(in, true)), (arcs_of{{1, 2, 3}, {2, 1, 3}}));
}

TEST(edges, wrong_lines_are_named_by_their_number) {
  for (auto const& [text, said] : sayings{
           {"", "x: there is no edge in it; allowed: lines FROM TO [LENGTH]"},
           {"# 1 2\n", "x:1: there is no edge in it; allowed: lines FROM TO [LENGTH]"},
           {"1\n", "x:1: a node is ''; allowed: 0 to 18446744073709551615"},
           {"1 -2\n", "x:1: a node is '-2'; allowed: 0 to 18446744073709551615"},
           {"1 18446744073709551616\n", "x:1: a node is '18446744073709551616'; allowed: 0 to 18446744073709551615"},
           {"1 2 0.5\n", "x:1: an edge's length is '0.5'; allowed: 0 to 2147483647"},
           {"1 2 3 4\n", "x:1: '4' is too much in its line"},
       }) {
    EXPECT_EQ(refusal(graph_format::edges, text), said);
  }
}

TEST(graph_formats, the_content_says_which_format_it_is) {
  auto const format = [](char const* text, char const* name) {
    text_reader in(text, name);
    return format_of(in);
  };
  EXPECT_EQ(format("\nc x\np sp 1 0\n", "x.graph"), graph_format::dimacs);
  EXPECT_EQ(format("p sp 1 0\n", "x.txt"), graph_format::dimacs);
  EXPECT_EQ(format("# x\n1 2\n", "x.gr"), graph_format::edges);
  EXPECT_EQ(format("% x\n2 1\n2\n1\n", "x.txt"), graph_format::metis);
  EXPECT_EQ(format("\n3 2\n2\n1 3\n2\n", "x.txt"), graph_format::metis);
  EXPECT_EQ(format("3 1 1\n2 5\n1 5\n\n", "x.txt"), graph_format::metis);
  EXPECT_EQ(format("3 2\n2 1\n1 3\n2 2\n", "x.txt"), graph_format::edges);
  EXPECT_EQ(format("3 2\n", "x.graph.gz"), graph_format::metis);
  EXPECT_EQ(format("0 5\n", "x"), graph_format::edges);
  for (auto const& [text, said] : sayings{
           {"", "x: it is empty; allowed: DIMACS (.gr), METIS (.graph) or lines FROM TO [LENGTH], each also as gzip"},
           {"v 0 0\n",
            "x:1: a line begins with 'v'; allowed: DIMACS (.gr), METIS (.graph) or lines FROM TO [LENGTH], each also "
            "as gzip"},
       }) {
    try {
      format(text, "x");
      ADD_FAILURE() << text;
    } catch (usage_error const& refused) {
      EXPECT_EQ(refused.what(), std::string(said));
    }
  }
}

TEST(graph_formats, damaged_texts_are_read_or_refused_in_one_line) {
  std::vector<std::string> const whole{"c a\np sp 3 3\na 1 2 5\na 2 3 0\na 3 1 7\n", "% a\n3 2 1\n2 4\n1 4 3 5\n2 5\n",
                                       "# Undirected graph\n0 7 3\n18446744073709551615\t0\n"};
  for (std::uint64_t seed = 0; seed < testing::full_or(std::uint64_t{200'000}, std::uint64_t{3000}); ++seed) {
    runtime::dice rolled{seed};
    std::string text = whole[rolled.below(3)];
    for (std::uint32_t left = 1 + rolled.below(4); left > 0 && !text.empty(); --left) {
      auto const at = rolled.below(static_cast<std::uint32_t>(text.size()));
      constexpr std::string_view bytes = "0123456789 \n\r\t%#cpa-.\0\xff";
      if (rolled.below(3) == 0)
        text.erase(at, 1 + rolled.below(5));
      else if (rolled.below(2) == 0)
        text[at] = bytes[rolled.below(static_cast<std::uint32_t>(bytes.size()))];
      else
        text.insert(at, 1, bytes[rolled.below(static_cast<std::uint32_t>(bytes.size()))]);
    }
    text_reader in(text, "x");
    try {
      read_as(format_of(in), in);
    } catch (usage_error const& refused) {
      std::string const said = refused.what();
      ASSERT_TRUE(said.starts_with("x:") && said.find('\n') == std::string::npos) << "seed " << seed << ": " << said;
    }
  }
}

}}  // namespace skua::apps::sssp
