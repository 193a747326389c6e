// SPDX-License-Identifier: MIT
// One worker of `replay`: reads and writes tags, and acts by the phase of the iteration (iterations.hpp).
// recording.hpp, following.hpp and measuring.hpp hold what the iterations do.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/policy/hierarchical.hpp"
#include "skua/policy/policy.hpp"
#include "skua/policy/random.hpp"
#include "skua/policy/replay/following.hpp"
#include "skua/policy/replay/iterations.hpp"
#include "skua/policy/replay/measuring.hpp"
#include "skua/policy/replay/options.hpp"
#include "skua/policy/replay/outside_tasks.hpp"
#include "skua/policy/replay/recording.hpp"
#include "skua/policy/replay/tag_fields.hpp"
#include "skua/policy/search_round.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay {

/// What the workers of a region share. Each field says which worker writes it, and when.
struct common {
  common(std::uint32_t n, replay_options const& chosen);
  std::uint32_t const workers;
  replay_options const options;  ///< with a detail
  recording records;
  following follows;
  measuring measures;
  outside_tasks outside;
  iterations iteration;
};

class alignas(runtime::cache_line_bytes) worker_state final : public worker_policy {
 public:
  worker_state(common& shared, layout const& where, worker_id self, std::uint64_t seed);

  task_tag meet(task_tag& task, double total_work, std::uint64_t n) noexcept override;
  task_tag mark(task_tag& parent, hint const& hint) noexcept override;
  placement place(task_tag& task, cause why) noexcept override;
  void leave(task_tag const& task, task_tag const& group) noexcept override;
  probe next_probe() noexcept override;
  void learn(event const& seen) noexcept override;
  [[nodiscard]] bool sees_forks() const noexcept override { return sees_; }
  [[nodiscard]] bool admits(std::uint64_t first_word) const noexcept override;

 private:
  [[nodiscard]] bool exposes(tag_fields const& running) const noexcept;
  [[nodiscard]] std::uint16_t ordinal_of(tag_fields const& task) const noexcept;
  placement place_from_outside(task_tag& task, bool may_be_root) noexcept;
  placement place_resumed(tag_fields& c, task_tag& task) noexcept;
  [[nodiscard]] bool opens_more_groups(tag_fields const& task) const noexcept;
  [[nodiscard]] bool may_steal() const noexcept;
  std::optional<victim> choose_victim(victim_request why) noexcept;

  // All of this belongs to this worker, and is the same in all iterations.
  common& common_;
  worker_id const self_;
  runtime::dice roll_;
  std::variant<uniform_victims, ring_victims> victims_;
  search_round round_;

  /// The forks of the running task must be exposed. Written whenever another task runs, or the running one continues.
  bool sees_ = false;
  /// The task whose group ended last on this worker, and the ordinal of its next one. Written by `leave`; forgotten when
  /// a task begins, whose ordinal is on its tag.
  struct {
    std::uint64_t path = 0;
    std::uint16_t next = 0;
  } last_left_;
};

}}}}  // namespace skua::v0::policies::replay
