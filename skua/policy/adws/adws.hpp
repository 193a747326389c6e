// SPDX-License-Identifier: MIT
// Almost Deterministic Work Stealing (Shiina, Taura, SC 2019): tasks are first spread by their work hints, always in
// the same way; then workers steal, but only inside the group that their own tasks belong to. States, rules and their
// sections in the paper: README.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/policy/adws/range.hpp"
#include "skua/policy/adws/range_search.hpp"
#include "skua/policy/adws/root.hpp"
#include "skua/policy/adws/tag_fields.hpp"
#include "skua/policy/adws/tree.hpp"
#include "skua/policy/adws/worker_line.hpp"
#include "skua/policy/per_worker.hpp"
#include "skua/policy/policy.hpp"
#include "skua/policy/search_round.hpp"
#include "skua/policy/shared_word.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// When a worker whose steal range is empty also steals in the enclosing groups. Hints may be wrong.
enum class widening : std::uint8_t {
  never,      ///< the paper's rule
  carefully,  ///< while no worker touches memory for the first time: pages stay where they are touched first
  always,
};

struct adws_options {
  bool steal = true;  ///< false: deterministic allocation only, "ADWS (no steal)" of the paper's figures
  widening widen = widening::carefully;
  /// A worker whose last waits ended with tasks allocated to it waits a moment before it steals again.
  bool delays_steals = true;
  /// Ranges are divided by the speeds of their workers; false: by their number, as in the paper.
  bool by_speed = true;
};

namespace adws {

/// What the workers of a region share.
struct common {
  common(layout const& where, adws_options const& chosen);
  std::uint32_t const workers;
  adws_options const options;
  worker_line const line;
  /// True if workers differ in their local memory: it then matters which worker touches a page first.
  bool const watches_first_touches;
  tree<> ranges;
  root_of_region<> root;

  /// True once a task may have been in a lane `local` or `migrated`: a program that only spawns tasks has none there. Who sees such
  /// an entry, or is woken for it, sees this.
  [[nodiscard]] bool has_placed() const noexcept { return has_placed_.get(); }
  void will_place() noexcept {
    if (!has_placed()) has_placed_.set(true);
  }

 private:
  shared_word<bool> has_placed_{false};
};

class alignas(runtime::cache_line_bytes) worker_state final : public worker_policy {
 public:
  worker_state(common& shared, worker_id self, std::uint64_t seed);

  task_tag meet(task_tag& task, double total_work, std::uint64_t n) noexcept override;
  task_tag mark(task_tag& parent, hint const& hint) noexcept override;
  placement place(task_tag& task, cause why) noexcept override;
  void leave(task_tag const& task, task_tag const& group) noexcept override;
  probe next_probe() noexcept override;
  void learn(event const& seen) noexcept override;
  [[nodiscard]] std::span<worker_id const> lines_read() const noexcept override { return ranges_around_.lines_read(); }
  /// True from the begin of a search-root until the search ends, at the first end of a task or wait. [adws-sc19 4.2.2]
  [[nodiscard]] bool sees_forks() const noexcept override { return may_divide_; }
  /// A search-root starts at once, or at the next end or wait. [adws-sc19 4.3.2]
  [[nodiscard]] bool preempts() const noexcept override { return true; }
  [[nodiscard]] bool is_choosy() const noexcept override { return true; }
  [[nodiscard]] bool admits(std::uint64_t first_word) const noexcept override;

 private:
  std::optional<victim> choose_victim(victim_request why) noexcept;
  void activate(group_id group) noexcept;
  void end_search() noexcept;
  placement place_root(tag_fields& c, task_tag& task, bool may_be_root) noexcept;
  void set_free(tag_fields& c, task_tag& task) noexcept;
  placement place_stolen(tag_fields& c, task_tag& task) noexcept;
  [[nodiscard]] bool root_waits_long() noexcept;
  void waits_one_more_round() noexcept;
  [[nodiscard]] bool is_greedy() const noexcept;
  void found(probe const& where) noexcept;
  placement place_resumed(tag_fields& c, task_tag& task) noexcept;
  [[nodiscard]] bool may_be_stolen_from_outside(tag_fields const& c) const noexcept;
  void child_ended(tag_fields const& c) noexcept;
  void outside_ended(tag_fields const& c) noexcept;
  [[nodiscard]] double share_of(hint const& hint) noexcept;
  placement place_released(task_tag& task) noexcept;

  common& common_;
  worker_id const self_;
  runtime::dice roll_;

  // The search. Invariant (search): is_searching_ implies may_divide_.
  bool may_divide_ =
      false;  ///< a search is on: the running task is a search-root on its owner, or a child that one kept
  bool is_searching_ = false;  ///< the search has met a group: each mark cuts a child's range
  group_id innermost_ = {};    ///< the innermost group of the running task: the paper's current steal range
  double remaining_ = 0;       ///< work of the unmarked children of the group that was met last
  bool equal_shares_ = false;  ///< that work is unknown: every child counts as one

  /// The arguments of the last mark. Only place(released) and place(unblocked) tell that the marked task belongs to no group.
  struct marked {
    task_tag parent{};
    decltype(hint::address) address{};
    double remaining = 0;
  };
  marked last_mark_;

  // The search for tasks.
  search_round round_;
  std::uint32_t tries_ = 0;        ///< victims in this round
  std::uint32_t idle_rounds_ = 0;  ///< consecutive rounds in which own lanes had nothing; at most steal_delay
  std::uint32_t allocated_waits_ =
      0;  ///< consecutive waits that ended with a task allocated here; at most regular_waits
  range_search<> ranges_around_;
  std::optional<tree<>::found> steal_range_;  ///< found before this victim
  std::uint32_t wider_ = 0;                   ///< how many groups around the topmost active one are searched as well
  std::uint32_t empty_rounds_ = 0;            ///< since the last allocated task, with an open group around this worker
  std::uint32_t touching_rounds_ = 0;         ///< since then, while memory was touched for the first time
  bool may_widen_;                            ///< no first touch, according to the last `rested` event
  bool anywhere_ = false;                     ///< the victim was chosen for its free tasks
  bool fetches_root_ = false;                 ///< the victim is worker 0, whose mailbox holds the root
  std::uint32_t root_waits_ = 0;              ///< rounds that have seen the root there
};

}  // namespace adws

/// The policy `adws`.
class almost_deterministic final : public per_worker<adws::worker_state> {
 public:
  almost_deterministic(layout const& where, std::uint64_t seed, adws_options const& chosen = {});
  [[nodiscard]] std::string_view name() const noexcept override {
    if (!shared_.options.steal) return "adws:no-steal";
    switch (shared_.options.widen) {
      case widening::never: return "adws:paper";
      case widening::always: return "adws:widen";
      case widening::carefully: break;
    }
    return shared_.options.by_speed ? "adws" : "adws:equal";
  }
  [[nodiscard]] policy_needs needs() const noexcept override {
    return {.lanes = {lane::mailbox, lane::local, lane::migrated},
            .released = which_tasks::all,
            .rests = shared_.watches_first_touches};
  }

 private:
  adws::common shared_;
};

}}}  // namespace skua::v0::policies
