// SPDX-License-Identifier: MIT
#include "skua/machine/sim/simulate.hpp"

namespace skua::sim {

void refuse_unlawful(std::vector<std::string> const& faults) {
  if (faults.empty()) return;
  std::string text = "simulation: a law is broken (please report this):";
  for (std::string const& f : faults) text += "\n  " + f;
  throw unlawful(text);
}

simulation simulate(task_tree program, policy& players, layout const& where, rules const& by, costs& prices,
                    onlooker& watched_by) {
  result game = play(program, players, where, by, prices, watched_by);
  refuse_unlawful(broken_laws(game, program, where));
  return {std::move(game), std::move(program)};
}

}  // namespace skua::sim
