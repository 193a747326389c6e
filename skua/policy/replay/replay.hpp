// SPDX-License-Identifier: MIT
// Constrained work stealing for iterative programs: the first iteration is scheduled by random stealing and recorded,
// the next few follow the record and still steal, those after them follow it strictly.
// [lifflander-krishnamoorthy-kale-13, -14; the baseline "constrained WS" of adws-sc19 5.1]
// States, rules, what differs from those papers, and which file does what: replay.md.
#pragma once

#include <cstdint>
#include <string_view>

#include "skua/policy/per_worker.hpp"
#include "skua/policy/policy.hpp"
#include "skua/policy/replay/options.hpp"
#include "skua/policy/replay/worker.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// The policy `replay`.
class replaying final : public per_worker<replay::worker_state> {
 public:
  replaying(layout const& where, std::uint64_t seed, replay_options const& chosen = {});
  [[nodiscard]] std::string_view name() const noexcept override {
    return shared_.options.refines ? "replay" : "replay:paper";
  }
  [[nodiscard]] policy_needs needs() const noexcept override {
    return {.lanes = {lane::local, lane::migrated},
            .times = shared_.options.refines ? which_tasks::all : which_tasks::none};
  }
  [[nodiscard]] replay_status status() const noexcept;

 private:
  replay::common shared_;
};

}}}  // namespace skua::v0::policies
