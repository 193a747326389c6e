// SPDX-License-Identifier: MIT
#include "bench/runners.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "skua/parts/base/error.hpp"

namespace skua::bench {

void print_figures(std::vector<runner> const& all, std::string const& only) {
  std::string allowed;
  for (auto const& r : all) {
    allowed += (allowed.empty() ? "" : ", ") + r.name;
    if (r.name != only) continue;
    figures seen;
    r.measure(seen);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      std::printf("%s\"%s\": %.6g", i == 0 ? "{" : ", ", seen[i].first.c_str(), seen[i].second);
    }
    std::printf("}\n");
    return;
  }
  throw usage_error("--only is '" + only + "'; allowed: " + allowed);
}

results::results(std::vector<process> const& all, std::int64_t rounds) {
  in_turn(rounds, all.size(), [&](std::int64_t, std::size_t i) {
    auto const& [program, name, options] = all[i];
    std::vector<std::string> words = {program, "--only", name};
    words.insert(words.end(), options.begin(), options.end());
    lines_[name].push_back(output_of(words));
  });
}

column results::of(std::string const& name, std::string const& key) const {
  column seen;
  for (auto const& line : lines_.at(name)) seen.push_back(number_in(line, key));
  return seen;
}

column results::best_of(std::vector<std::string> const& names, std::string const& key) const {
  column best = of(names.front(), key);
  for (auto const& name : names) {
    std::ranges::transform(best, of(name, key), best.begin(), [](double a, double b) { return std::min(a, b); });
  }
  return best;
}

std::string where_built(report& say, std::string const& rayon) {
  if (access(rayon.c_str(), X_OK) == 0) return rayon;
  say.note("rayon is left out: there is no " + rayon + "; `make peers` builds it where cargo is");
  return {};
}

}  // namespace skua::bench
