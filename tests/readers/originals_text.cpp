// SPDX-License-Identifier: MIT
// What people and scripts write as text.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/readers/originals.hpp"

namespace skua { inline namespace v0 { namespace testing {
namespace {

using runtime::dice;

struct edges {
  std::uint32_t nodes;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all;  ///< nodes from 1
};

edges random_edges(dice& d) {
  edges e{.nodes = 2 + d.below(60), .all = {}};
  for (std::uint32_t i = d.below(200) + 1; i > 0; --i) e.all.emplace_back(1 + d.below(e.nodes), 1 + d.below(e.nodes));
  return e;
}

double number(dice& d, double most) { return (2 * d.unit() - 1) * most; }

/// Exponents of a contraction, largest first, and a coefficient for each.
std::vector<std::pair<double, double>> primitives(dice& d) {
  std::vector<std::pair<double, double>> all;
  double exponent = 1'000 * (0.1 + d.unit());
  for (std::uint32_t i = 1 + d.below(6); i > 0; --i, exponent /= 3) all.emplace_back(exponent, 0.1 + d.unit());
  return all;
}

constexpr char const* symbols[] = {"H", "C", "N", "O"};
constexpr unsigned charges[] = {1, 6, 7, 8};

}  // namespace

std::string original_dimacs(dice& d) {
  edges const e = random_edges(d);
  std::string text = fmt::format("c a road network\np sp {} {}\n", e.nodes, e.all.size());
  for (auto const& [from, to] : e.all) text += fmt::format("a {} {} {}\n", from, to, d.below(10'000));
  return text;
}

std::string original_metis(dice& d) {
  std::uint32_t const nodes = 2 + d.below(40);
  std::vector<std::vector<std::uint32_t>> weights(nodes, std::vector<std::uint32_t>(nodes, 0));
  std::size_t edges = 0;
  for (std::uint32_t i = d.below(100) + 1; i > 0; --i) {
    std::uint32_t const a = d.below(nodes), b = d.below(nodes);
    if (a == b || weights[a][b] != 0) continue;
    weights[a][b] = weights[b][a] = 1 + d.below(99);
    ++edges;
  }
  bool const weighted = d.below(2) == 0;
  std::string text = fmt::format("% {} nodes\n{} {}{}\n", nodes, nodes, edges, weighted ? " 001" : "");
  for (auto const& row : weights) {
    for (std::uint32_t b = 0; b < nodes; ++b) {
      if (row[b] != 0) text += weighted ? fmt::format("{} {} ", b + 1, row[b]) : fmt::format("{} ", b + 1);
    }
    text += '\n';
  }
  return text;
}

std::string original_edges(dice& d) {
  edges const e = random_edges(d);
  bool const undirected = d.below(2) == 0;
  std::string text = fmt::format("# {} graph: a.txt\n# Nodes: {} Edges: {}\n# FromNodeId\tToNodeId\n",
                                 undirected ? "Undirected" : "Directed", e.nodes, e.all.size());
  std::uint64_t const stride = d.below(2) == 0 ? 1 : 1'000'000'007;
  for (auto const& [from, to] : e.all) text += fmt::format("{}\t{}\n", from * stride, to * stride);
  return text;
}

std::string original_xyz(dice& d) {
  std::uint32_t const atoms = 1 + d.below(20);
  std::string text = fmt::format("{}\na molecule\n", atoms);
  for (std::uint32_t i = 0; i < atoms; ++i)
    text +=
        fmt::format("{:2} {:12.6f} {:12.6f} {:12.6f}\n", symbols[d.below(4)], number(d, 9), number(d, 9), number(d, 9));
  return text;
}

std::string original_json_basis(dice& d) {
  std::string elements;
  for (unsigned const z : charges) {
    std::string shells;
    for (std::uint32_t s = 1 + d.below(3); s > 0; --s) {
      std::string exponents, coefficients;
      for (auto const& [exponent, coefficient] : primitives(d)) {
        exponents += fmt::format("{}\"{:.8E}\"", exponents.empty() ? "" : ", ", exponent);
        coefficients += fmt::format("{}\"{:.8E}\"", coefficients.empty() ? "" : ", ", coefficient);
      }
      std::uint32_t const l = d.below(3);
      shells += fmt::format(
          R"({}{{"function_type": "{}", "region": "", "angular_momentum": [{}], "exponents": [{}], "coefficients": [[{}]]}})",
          shells.empty() ? "" : ",\n", l == 2 ? "gto_spherical" : "gto", l, exponents, coefficients);
    }
    elements += fmt::format(R"({}"{}": {{"electron_shells": [{}]}})", elements.empty() ? "" : ",\n", z, shells);
  }
  return fmt::format(
      R"({{"molssi_bse_schema": {{"schema_type": "complete", "schema_version": "0.1"}}, "name": "x", "elements": {{{}}}}})",
      elements);
}

std::string original_nwchem_basis(dice& d) {
  std::string text = "# a basis\nBASIS \"ao basis\" SPHERICAL PRINT\n";
  for (char const* const symbol : symbols) {
    for (std::uint32_t s = 1 + d.below(3); s > 0; --s) {
      char const* const kinds[] = {"S", "P", "D", "SP"};
      std::uint32_t const kind = d.below(4);
      text += fmt::format("{}    {}\n", symbol, kinds[kind]);
      for (auto const& [exponent, coefficient] : primitives(d))
        text += fmt::format("  {:.7E}  {:.7E}{}\n", exponent, coefficient, kind == 3 ? "  0.5D+00" : "");
    }
  }
  return text + "END\n";
}

std::string original_loads(dice& d) {
  bool const phases = d.below(2) == 0;
  std::string text = phases ? "rank,load,phase\n" : d.below(2) == 0 ? "rank,load\n" : "";
  std::uint32_t const ranks = 1 + d.below(12);
  for (std::uint32_t i = d.below(60) + 1; i > 0; --i) {
    text += fmt::format("{},{}", d.below(ranks), d.below(1'000'000));
    if (phases) text += fmt::format(",{}", d.below(3));
    text += '\n';
  }
  return text;
}

std::string original_vt_loads(dice& d) {
  std::string phases;
  for (std::uint32_t p = 0, all = 1 + d.below(3); p < all; ++p) {
    std::string tasks;
    for (std::uint32_t t = d.below(9); t > 0; --t) {
      tasks += fmt::format(
          R"({}{{"entity":{{"home":0,"id":{},"migratable":true,"type":"object"}},"node":0,"resource":"cpu","time":{:.6f}}})",
          tasks.empty() ? "" : ",", t, d.unit());
    }
    phases += fmt::format(R"({}{{"id":{},"tasks":[{}]}})", phases.empty() ? "" : ",\n", p, tasks);
  }
  return fmt::format(R"({{"type":"LBDatafile","metadata":{{"rank":0}},"phases":[{}]}})", phases);
}

std::string original_system(dice& d) {
  std::uint32_t const rows = 1 + d.below(30), kind = d.below(3);
  std::string entries;
  std::uint32_t count = 0;
  for (std::uint32_t r = 1; r <= rows; ++r) {
    for (std::uint32_t c = 1; c <= r; ++c) {
      if (r != c && d.below(4) != 0) continue;
      ++count;
      if (kind == 2)
        entries += fmt::format("{} {}\n", r, c);
      else if (kind == 1)
        entries += fmt::format("{} {} {}\n", r, c, r == c ? 100 : -1);
      else
        entries += fmt::format("{} {} {:.6e}\n", r, c, r == c ? 100 + d.unit() : d.unit());
    }
  }
  char const* const fields[] = {"real", "integer", "pattern"};
  return fmt::format("%%MatrixMarket matrix coordinate {} symmetric\n% a system\n{} {} {}\n", fields[kind], rows, rows,
                     count) +
         entries;
}

}}}  // namespace skua::v0::testing
