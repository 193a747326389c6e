// SPDX-License-Identifier: MIT
#include "skua/machine/sim/simulate.hpp"

namespace skua { inline namespace v0 { namespace sim {

void refuse_unlawful(std::vector<std::string> const& faults) {
  if (faults.empty()) return;
  std::string text = "simulation: a law is broken (please report this):";
  for (std::string const& f : faults) text += "\n  " + f;
  throw unlawful(text);
}

simulation simulate(task_tree program, policy& scheduler, layout const& where, rules const& by, costs& prices,
                    observer& watcher) {
  prices.own(program.owned(), where);
  run_result result = run(program, scheduler, where, by, prices, watcher);
  refuse_unlawful(broken_laws(result, program, where));
  return {std::move(result), std::move(program)};
}

}}}  // namespace skua::v0::sim
