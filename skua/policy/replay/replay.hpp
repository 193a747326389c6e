// SPDX-License-Identifier: MIT
// Constrained work stealing for iterative programs: the first iteration is scheduled by random stealing and recorded,
// the next few follow the record and still steal, those after them follow it strictly.
// [lifflander-krishnamoorthy-kale-13, -14; the baseline "constrained WS" of adws-sc19 5.1]
// States, rules, what differs from those papers: replay.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/base/sync.hpp"
#include "skua/policy/hierarchical.hpp"
#include "skua/policy/outside_tasks.hpp"
#include "skua/policy/per_worker.hpp"
#include "skua/policy/policy.hpp"
#include "skua/policy/random.hpp"
#include "skua/policy/replay/record.hpp"
#include "skua/policy/replay/refinement.hpp"
#include "skua/policy/replay/tag_fields.hpp"
#include "skua/policy/search_round.hpp"

namespace skua::inline v0::policies {

struct replay_options {
  std::uint32_t relaxed = 5;  ///< iterations after the first that follow the record and still steal
  std::uint32_t groups = 1;   ///< of the root, that make an iteration; 0: each root is one
  /// The policy sees forks while their tree has at most 2^detail branches, and below that where something was stolen; at
  /// most 20. 0: so that each worker has 32 branches.
  std::uint32_t detail = 0;
  std::uint32_t watch = 64;  ///< every watch-th strict iteration exposes all forks, to see whether the tree is the same
  /// After the relaxed iterations three are measured, and the record becomes coarser and more even (refinement.md). False:
  /// strict iterations follow the record as it is, as in the papers.
  bool refines = true;
  bool near_first = false;  ///< steal as `hierarchical` does, not as `random` does
};

/// Where a region stands. A snapshot; exact between iterations.
struct replay_status {
  std::uint64_t iterations = 0;  ///< begun
  std::uint64_t restarts = 0;    ///< records thrown away because the tree was another one
  std::uint64_t pieces = 0;      ///< in the record: what was stolen, by whom
  bool is_strict = false;
  bool has_gaps = false;  ///< the record is full: later steals are not in it
};

namespace replay {

/// Of the iterations since the record was begun. All but the relaxed ones are strict.
enum class phase : std::uint8_t {
  relaxed,
  measuring,  ///< what the pieces take is noted
  pruning,    ///< the first one of a refined record: tasks that have nothing stolen below them any more are found
  strict,
};

/// What the workers of a region share.
struct common {
  common(std::uint32_t n, replay_options const& chosen);
  std::uint32_t const workers;
  replay_options const options;  ///< with a detail
  record recorded;
  refinement measured;
  // relaxed, all of these, at every use: written at the begin of an iteration by the one who runs the root, or counts
  // and permissions. Who sees an old value steals once more, or once less.
  runtime::real_sync::atomic<std::uint64_t> iterations{0};
  runtime::real_sync::atomic<std::uint64_t> since_restart{0};
  runtime::real_sync::atomic<std::uint64_t> restarts{0};
  runtime::real_sync::atomic<std::uint64_t> pieces{0};  ///< in the record
  runtime::real_sync::atomic<std::uint64_t> placed{0};  ///< of them, in this iteration
  runtime::real_sync::atomic<bool> is_strict{false};
  runtime::real_sync::atomic<phase> now{phase::relaxed};
  runtime::real_sync::atomic<bool> is_watching{false};     ///< strict, but forks are exposed as if it were not
  runtime::real_sync::atomic<bool> has_open_work{false};   ///< in this iteration: something was not as recorded
  runtime::real_sync::atomic<bool> cannot_measure{false};  ///< a group of the root, in this record
  std::uint32_t records_thrown_away = 0;                   ///< not because of the tree; for who runs the root
  outside_tasks<> outside;
};

class alignas(runtime::cache_line_bytes) worker_state final : public worker_policy {
 public:
  worker_state(common& with, layout const& where, worker_id self, std::uint64_t seed);

  task_tag meet(task_tag const& task, double total_work, std::uint64_t n) noexcept override;
  task_tag mark(task_tag& parent, hint const& hint) noexcept override;
  placement place(task_tag& task, cause why) noexcept override;
  void leave(task_tag const& task, task_tag const& group) noexcept override;
  probe next_probe() noexcept override;
  void learn(event const& seen) noexcept override;
  [[nodiscard]] bool sees_forks() const noexcept override { return sees_; }
  [[nodiscard]] bool admits(std::uint64_t first_word) const noexcept override;

 private:
  [[nodiscard]] bool is_strict() const noexcept;
  [[nodiscard]] bool exposes(tag_fields const& running) const noexcept;
  [[nodiscard]] std::uint8_t breadth_of(tag_fields const& task, std::uint64_t group_path,
                                        std::uint64_t n) const noexcept;
  [[nodiscard]] std::uint16_t mine_at_the_end(tag_fields const& group) const noexcept;
  void note_blind_steal(tag_fields const& c) noexcept;
  void begin_iteration() noexcept;
  void begin_record() noexcept;
  void refine(std::uint64_t number) noexcept;
  [[nodiscard]] phase phase_of(std::uint64_t number) const noexcept;
  void measure(tag_fields const& task, tag_fields& group, std::uint64_t n) noexcept;
  struct divided_children {
    bool keeps = false;
    bool divides = false;
  };
  [[nodiscard]] divided_children children_of(tag_fields const& group, std::uint64_t n) const noexcept;
  [[nodiscard]] static bool sends_own(tag_fields const& group, std::uint32_t child) noexcept;
  [[nodiscard]] std::uint16_t ordinal_of(tag_fields const& task) const noexcept;
  tag_fields marked(tag_fields& group) noexcept;
  placement place_root(tag_fields& c, task_tag& task, bool may_be_root) noexcept;
  placement place_resumed(tag_fields& c, task_tag& task) noexcept;
  [[nodiscard]] bool opens_more_groups(tag_fields const& task) const noexcept;
  void note_steal(tag_fields const& c) noexcept;
  void outside_ended(tag_fields const& c) noexcept;
  [[nodiscard]] bool may_steal() const noexcept;
  std::optional<victim> choose_victim(victim_request why) noexcept;

  common& with_;
  worker_id const self_;
  runtime::dice roll_;
  std::variant<uniform_victims, ring_victims> victims_;
  search_round round_;

  bool sees_ = false;  ///< the forks of the running task are to be exposed
  struct {
    std::uint64_t path = 0;
    std::uint16_t next = 0;
  } last_left_;  ///< the task whose group ended last on this worker, and the ordinal of its next one
};

}  // namespace replay

/// The policy `replay`.
class replaying final : public per_worker<replay::worker_state> {
 public:
  replaying(layout const& where, std::uint64_t seed, replay_options const& chosen = {});
  [[nodiscard]] std::string_view name() const noexcept override {
    return shared_.options.refines ? "replay" : "replay:paper";
  }
  [[nodiscard]] policy_needs needs() const noexcept override {
    return {.lanes = {lane::local, lane::migrated}, .times = shared_.options.refines};
  }
  [[nodiscard]] replay_status status() const noexcept;

 private:
  replay::common shared_;
};

}  // namespace skua::inline v0::policies
