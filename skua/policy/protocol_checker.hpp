// SPDX-License-Identifier: MIT
// A policy around a policy: passes every call on, and checks that the machine and the policy both keep the protocol
// (protocol.md). `checked:NAME` in the registry makes one that aborts; the simulator uses one that collects.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "skua/policy/policy.hpp"
#include "skua/policy/protocol_tables.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// What a checker checks, and how it reacts to a breach.
struct protocol_checks {
  bool of_machine = true;  ///< the machine's calls as well; false: the policy's answers only, for scripted policies
  bool aborts = true;      ///< prints the breach and aborts; false: collects it, and gives a harmless answer instead
  std::uint64_t most_refusals = 1'000'000;  ///< in a row; 0: a mailbox that a policy names is never occupied
};

class checked_worker;

/// Each worker's calls are checked on that worker, against its own earlier calls. Two tables are shared, because tags
/// and groups move between workers (protocol_tables.hpp); they hold counts and bits, and no worker waits for them.
class protocol_checker final : public policy {
 public:
  /// `inner` outlives this.
  protocol_checker(policy& inner, std::uint32_t workers, protocol_checks const& checks = {});
  protocol_checker(std::unique_ptr<policy> inner, std::uint32_t workers, protocol_checks const& checks = {});
  /// Checks that no exposed group is open, if the checker aborts. No worker runs any more.
  ~protocol_checker() override;
  protocol_checker(protocol_checker const&) = delete;
  protocol_checker& operator=(protocol_checker const&) = delete;

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  worker_policy& of_worker(worker_id w) noexcept override;
  [[nodiscard]] policy_needs needs() const noexcept override { return needs_; }
  [[nodiscard]] std::vector<known_time> known() const override { return inner_.known(); }
  [[nodiscard]] std::string report() const override { return inner_.report(); }
  [[nodiscard]] std::vector<call_choice> choices() const override { return inner_.choices(); }
  void watch(machine_view const& machine) noexcept override;

  /// No breach so far. Any thread.
  [[nodiscard]] bool holds() const noexcept {
    return !tables_->is_broken.load(std::memory_order_relaxed);  // relaxed: a flag
  }
  /// All breaches, worker by worker. Call while no worker runs.
  [[nodiscard]] std::vector<std::string> breaches() const;
  /// Exposed groups that were not left yet. Call while no worker runs.
  [[nodiscard]] std::int64_t open_groups() const noexcept;

 private:
  policy& inner_;
  std::unique_ptr<policy> owned_;
  bool const aborts_;
  std::string const name_;
  policy_needs const needs_;
  std::unique_ptr<protocol_tables> const tables_;
  std::vector<std::unique_ptr<checked_worker>> workers_;
};

}}}  // namespace skua::v0::policies
