// SPDX-License-Identifier: MIT
#include "skua/machine/sim/validator.hpp"

#include <utility>

namespace skua { inline namespace v0 { namespace sim {
namespace {

std::string name_of(worker_id w) { return "worker " + std::to_string(index(w)); }

std::uint64_t most_fruitless(std::uint32_t workers, rules const& by) {
  return by.most_fruitless != 0 ? by.most_fruitless : 1000 + 200 * std::uint64_t{workers};
}

}  // namespace

validator::validator(policy& scheduler, std::uint32_t workers, rules const& by)
    : checked_(scheduler, workers,
               {.aborts = false, .most_refusals = by.slot_refusals_allowed ? most_fruitless(workers, by) : 0}),
      most_(most_fruitless(workers, by)), patience_(workers) {}

std::vector<std::string> validator::take() {
  if (content() && checked_.open_groups() != 0) fault("an exposed group was never left");
  std::vector<std::string> all = checked_.breaches();
  all.insert(all.end(), faults_.begin(), faults_.end());
  return all;
}

void validator::fault_of(worker_id self, patience const& left) {
  if (left.hungry > most_) {
    fault(name_of(self) + " starves: " + std::to_string(left.hungry) + " probes failed while tasks were in reach");
  }
  if (left.restless > most_) {
    fault(name_of(self) + " never rests: " + std::to_string(left.restless) + " probes in a row failed");
  }
}

}}}  // namespace skua::v0::sim
