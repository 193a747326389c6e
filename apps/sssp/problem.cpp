// SPDX-License-Identifier: MIT
#include "apps/sssp/problem.hpp"

#include "apps/checks.hpp"

namespace skua::apps::sssp {
namespace {

std::string text(distance d) { return d == unreachable ? "unreachable" : std::to_string(d); }

}  // namespace

void require_source(node source, node nodes) {
  require_between("sssp: the source", std::int64_t{source}, 0, std::int64_t{nodes} - 1);
}

std::string wrong(std::span<distance const> got, std::span<distance const> right) {
  if (got.size() != right.size()) {
    return "sssp: " + std::to_string(got.size()) + " distances; right are " + std::to_string(right.size());
  }
  auto const [mine, its] = std::ranges::mismatch(got, right);
  if (mine == got.end()) return {};
  return "sssp: node " + std::to_string(mine - got.begin()) + " is " + text(*mine) + "; right is " + text(*its);
}

}  // namespace skua::apps::sssp
