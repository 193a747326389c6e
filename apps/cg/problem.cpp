// SPDX-License-Identifier: MIT
#include "apps/cg/problem.hpp"

#include <cstdio>
#include <limits>

namespace skua::apps::cg {

problem::problem(nas_class const& of, std::size_t rows_per_block) : of_(of), rows_per_block_(rows_per_block) {
  on_.a = make_matrix(of);
  for (auto* const v : {&on_.x, &on_.z, &on_.p, &on_.q, &on_.r}) *v = placed_array<double>(of.rows);
  for (auto& of_one_sweep : partial_) of_one_sweep.resize(all().end);
  reset();
}

std::vector<owned_array> problem::owned(place_range const& places) {
  auto const by_row = [this, places](auto const& first_element) {
    return [=, this] {
      return shares_of(places, all().end, [&](std::size_t b) { return first_element(rows_of({0, b}).end); });
    };
  };
  auto const row = by_row([](std::size_t r) { return r; });
  auto const element = by_row([this](std::size_t r) { return on_.a.starts[r]; });
  // The last element of starts, the end of the last row, belongs to the last place.
  auto const start = by_row([this](std::size_t r) { return r == rows_of_all() ? r + 1 : r; });
  std::vector<owned_array> arrays{{.memory = &on_.a.values, .shares = element},
                                  {.memory = &on_.a.columns, .shares = element},
                                  {.memory = &on_.a.starts, .shares = start}};
  for (auto* const v : {&on_.x, &on_.z, &on_.p, &on_.q, &on_.r}) arrays.push_back({.memory = v, .shares = row});
  return arrays;
}

void problem::reset() {
  found_.reset();
  // Poison, so that a read before the first write shows.
  for (auto* const v : {&on_.x, &on_.p, &on_.q, &on_.r}) {
    std::ranges::fill(v->elements(), std::numeric_limits<double>::quiet_NaN());
  }
  std::ranges::fill(on_.z.elements(), 1.0);
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
