// SPDX-License-Identifier: MIT
// Validates a run of the simulator: every answer of the policy is legal, no worker starves, and the result obeys the
// laws.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "skua/machine/sim/simulator.hpp"
#include "skua/policy/protocol_checker.hpp"

namespace skua { inline namespace v0 { namespace sim {

/// Stands between the engine and the policy during one run: checks the protocol, and that no worker starves.
class validator {
 public:
  validator(policy& scheduler, std::uint32_t workers, rules const& by);

  /// Shows the checker which frames are ready.
  void watch(policies::machine_view const& machine) noexcept { checked_.watch(machine); }
  /// The worker's policy, behind a checker of the protocol.
  worker_policy& of_worker(worker_id w) noexcept { return checked_.of_worker(w); }

  /// True if the worker starves after one more unsuccessful answer while there is an entry in reach.
  [[nodiscard]] bool is_out_of_patience_with(worker_id self) const { return patience_[index(self)].hungry >= most_; }

  /// The outcome of a probe or rest. `in_reach`: an entry was in a lane of this worker, in the region's, or, unless the
  /// policy is choosy, in a lane open to thieves.
  void answered(worker_id self, probe const& p, outcome how, bool in_reach) {
    patience& left = patience_[index(self)];
    if (how == outcome::got) {
      left = {};
      return;
    }
    left.hungry = in_reach ? left.hungry + 1 : 0;
    if (p.kind == action::rest) {
      left.restless = 0;
    } else if (how != outcome::lost) {
      ++left.restless;
    }
    if (left.hungry > most_ || left.restless > most_) [[unlikely]]
      fault_of(self, left);
  }

  void fault(std::string what) { faults_.push_back(std::move(what)); }
  [[nodiscard]] bool content() const noexcept { return faults_.empty() && checked_.holds(); }
  /// The run has ended: returns the faults.
  std::vector<std::string> take();

 private:
  struct patience {
    std::uint64_t hungry = 0;    ///< unsuccessful answers since there has been work in reach
    std::uint64_t restless = 0;  ///< consecutive misses without a rest
  };

  // Explains a fault to a human; never on a legal path.
  void fault_of(worker_id self, patience const& left);

  policies::protocol_checker checked_;
  std::uint64_t const most_;
  std::vector<patience> patience_;
  std::vector<std::string> faults_;
};

}}}  // namespace skua::v0::sim
