// SPDX-License-Identifier: MIT
// NUMA-WS (Deters, Wu, Xu, Lee, IISWC 2018): work stealing that prefers near victims. A worker that holds a task with a
// place hint, just stolen or just resumed, sends it to its place. States, rules and their sections in the paper:
// numa_ws.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/policy/biased_victims.hpp"
#include "skua/policy/per_worker.hpp"
#include "skua/policy/policy.hpp"
#include "skua/policy/search_round.hpp"

namespace skua { inline namespace v0 { namespace policies {

struct numa_ws_options {
  std::uint32_t threshold = 4;  ///< a task is pushed at most threshold + 1 times before it runs
  std::uint32_t bias = 4;       ///< biased_victims
  bool as_released = false;     ///< always look into a victim's mailbox first; no coin
  bool local = false;           ///< no steals from other places
};

namespace numa_ws {

/// The fields in the first two words of a task's tag; a tag of zeros says nothing.
struct tag_fields {
  std::optional<place_id> place = {};      ///< where it belongs
  std::uint32_t pushes = 0;                ///< since it last ran
  std::optional<worker_id> receiver = {};  ///< of the last push

  [[nodiscard]] static tag_fields read(task_tag const& t) noexcept;
  void write(task_tag& t) const noexcept;  ///< other words stay as they are
};

class alignas(runtime::cache_line_bytes) worker_state final : public worker_policy {
 public:
  worker_state(layout const& where, worker_id self, std::uint64_t seed, numa_ws_options const& chosen);

  task_tag mark(task_tag& parent, hint const& hint) noexcept override;
  placement place(task_tag& task, cause why) noexcept override;
  probe next_probe() noexcept override;
  void learn(event const& seen) noexcept override;

 private:
  placement push_back(tag_fields c, task_tag& task) noexcept;
  [[nodiscard]] worker_id receiver_for(tag_fields const& c) noexcept;
  std::optional<victim> choose_victim(victim_request why) noexcept;

  layout const& layout_;
  worker_id const self_;
  numa_ws_options const options_;
  runtime::dice roll_;
  biased_victims victims_;
  search_round round_;
};

}  // namespace numa_ws

/// The policy `numa-ws`.
class numa_aware_stealing final : public per_worker<numa_ws::worker_state> {
 public:
  numa_aware_stealing(layout const& where, std::uint64_t seed, numa_ws_options const& chosen = {});
  numa_aware_stealing(numa_aware_stealing const&) = delete;  // its workers' policies refer to its layout
  numa_aware_stealing& operator=(numa_aware_stealing const&) = delete;
  [[nodiscard]] std::string_view name() const noexcept override {
    return as_released_ ? "numa-ws:as-released" : "numa-ws";
  }
  [[nodiscard]] policy_needs needs() const noexcept override { return {.lanes = {lane::mailbox}}; }

 private:
  layout layout_;
  bool as_released_;
};

}}}  // namespace skua::v0::policies
