// SPDX-License-Identifier: MIT
#include "apps/cg/problem.hpp"

#include <cstdio>
#include <limits>

namespace skua::apps::cg {

problem::problem(nas_class const& of, std::size_t rows_per_block) : of_(of), rows_per_block_(rows_per_block) {
  on_.a = make_matrix(of);
  for (auto* const v : {&on_.x, &on_.z, &on_.p, &on_.q, &on_.r}) v->resize(of.rows);
  for (auto& of_one_sweep : partial_) of_one_sweep.resize(all().end);
  reset();
}

void problem::reset() {
  found_.reset();
  // Poison, so that a read before the first write shows.
  for (auto* const v : {&on_.x, &on_.p, &on_.q, &on_.r}) {
    std::ranges::fill(*v, std::numeric_limits<double>::quiet_NaN());
  }
  std::ranges::fill(on_.z, 1.0);
}

std::string problem::wrong() const {
  if (!found_) return "cg: no run yet";
  if (std::abs(found_->zeta - of_.zeta) <= tolerance * of_.zeta) return {};
  char said[120];
  std::snprintf(said, sizeof said, "cg: zeta is %.13f; right is %.13f for class %s", found_->zeta, of_.zeta,
                std::string(of_.name).c_str());
  return said;
}

}  // namespace skua::apps::cg
