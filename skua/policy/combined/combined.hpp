// SPDX-License-Identifier: MIT
// One scheduler made of three answers: how forks travel, in which order spawned tasks run, and where nodes start. What each
// kind of task is, who searches when, and the invariants: combined.md.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/base/relaxed_array.hpp"
#include "skua/policy/per_worker.hpp"
#include "skua/policy/policy.hpp"
#include "skua/policy/search_round.hpp"
#include "skua/policy/strategies.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// The answers of a combined policy.
struct answers {
  std::unique_ptr<policy> forks;              ///< also of spawned tasks and nodes that say nothing
  std::optional<strategies_options> spawned;  ///< none: strategies are ignored
  std::unique_ptr<policy> nodes;              ///< with a search for nodes only; null: nodes are spawned tasks
  std::string name = {};                      ///< of the whole; empty: made of its parts
};

namespace combined {

/// What the workers of a region share. A flag is set before the first task of its kind is in a lane, and stays.
struct common {
  enum flag : std::size_t { has_ordered, has_nodes };
  [[nodiscard]] bool has(flag f) const noexcept { return seen.get(f) != 0; }
  void note(flag f) noexcept {
    if (!has(f)) seen.set(f, 1);
  }
  runtime::relaxed_array<std::uint8_t> seen{2};
};

/// The search for tasks that declare a strategy.
class ordered_search {
 public:
  ordered_search(worker_id self, layout const& where, std::uint64_t seed);
  [[nodiscard]] probe next_probe() noexcept { return round_.chosen(); }
  void learn(probed const& seen) noexcept;
  void restart() noexcept { round_.restart(); }

 private:
  runtime::dice roll_;
  one_per_ring victims_;
  search_round round_;
};

class alignas(runtime::cache_line_bytes) worker_state final : public worker_policy {
 public:
  /// `nodes`: null if there is no such answer.
  worker_state(common& shared, layout const& where, worker_id self, std::uint64_t seed, worker_policy& forks,
               bool orders, worker_policy* nodes);

  task_tag meet(task_tag& task, double total_work, std::uint64_t n) noexcept override;
  task_tag mark(task_tag& parent, hint const& hint) noexcept override;
  placement place(task_tag& task, cause why) noexcept override;
  void leave(task_tag const& task, task_tag const& group) noexcept override { forks_.leave(task, group); }
  probe next_probe() noexcept override;
  void learn(event const& seen) noexcept override;
  [[nodiscard]] std::span<worker_id const> lines_read() const noexcept override;
  [[nodiscard]] bool sees_forks() const noexcept override { return forks_.sees_forks(); }
  [[nodiscard]] bool calls_instead(std::uint64_t weight, std::uint64_t queued) const noexcept override {
    return orders_ ? converts(weight, queued) : forks_.calls_instead(weight, queued);
  }
  [[nodiscard]] bool preempts() const noexcept override { return forks_.preempts(); }
  [[nodiscard]] bool is_choosy() const noexcept override {
    return forks_.is_choosy() || (searches_nodes() && nodes_->is_choosy());
  }
  [[nodiscard]] bool admits(std::uint64_t first_word) const noexcept override {
    return asked_ == part::spawned || forks_.admits(first_word);
  }
  [[nodiscard]] bool admits_node(std::uint64_t first_word) const noexcept override {
    return nodes_ == nullptr || nodes_->admits(first_word);
  }

 private:
  enum class part : std::uint8_t { spawned, forks, nodes, again };
  /// Own lanes to look into before the search goes on.
  enum class again : std::uint8_t { nothing, inbox, both, nodes };
  static constexpr std::size_t parts = 3;

  [[nodiscard]] bool searches_ordered() const noexcept { return orders_ && common_.has(common::has_ordered); }
  [[nodiscard]] bool searches_nodes() const noexcept { return nodes_ != nullptr && common_.has(common::has_nodes); }
  [[nodiscard]] bool is_combined() const noexcept { return searches_ordered() || searches_nodes(); }
  [[nodiscard]] bool searches(part p) const noexcept;
  probe chosen_by(part p) noexcept;
  void tell(part p, probed const& seen) noexcept;
  probe look_for_ordered() noexcept;
  [[nodiscard]] again next_again(probe const& failed) const noexcept;
  void search_again(part found_by) noexcept;
  placement place_node(task_tag& task, cause why) noexcept;
  placement place_fork(task_tag& task, cause why) noexcept;
  [[nodiscard]] part own_turn(std::size_t i) const noexcept;

  common& common_;
  worker_id const self_;
  worker_policy& forks_;
  worker_policy* const nodes_;
  bool const orders_;
  ordered_search spawned_;

  // The search. Invariant (one search): while `step_` is 0, each part is at the beginning of its round.
  part asked_ = part::forks;            ///< whose probe the machine executes
  std::size_t step_ = 0;                ///< 0 .. 2: own lanes, in the order of the turn; 3 .. 5: those of others
  std::array<bool, parts> rests_ = {};  ///< the part's round has ended, in this search
  again again_ = again::nothing;
  std::uint32_t searches_ = 0;
  std::uint32_t steals_ = 0;  ///< probes of the answer for forks, while tasks with strategies are searched

  bool is_node_ = false;      ///< the last marked task is a node
  bool was_of_node_ = false;  ///< the last placement was of a node
  bool took_node_ = false;    ///< what this worker has taken last is a node
};

}  // namespace combined

/// The policy `forks=..,spawned=..,nodes=..`. While nothing is spawned with a strategy, an address or as a team, every
/// answer is that of `forks`.
class combined_policy final : public per_worker<combined::worker_state> {
 public:
  combined_policy(layout const& where, std::uint64_t seed, answers all);
  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  [[nodiscard]] policy_needs needs() const noexcept override;
  void watch(machine_view const& machine) noexcept override;
  [[nodiscard]] std::vector<known_time> known() const override;
  [[nodiscard]] std::string report() const override { return all_.forks->report(); }
  [[nodiscard]] std::vector<call_choice> choices() const override { return all_.forks->choices(); }

 private:
  answers all_;
  std::string name_;
  combined::common shared_;
};

}}}  // namespace skua::v0::policies
