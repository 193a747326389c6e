// SPDX-License-Identifier: MIT
// ARMS, the Adaptive Resource-Moldable Scheduler (Abduljabbar, Eljammaly, Pericas, 2021): a task starts where its address
// says, and runs on as many workers as a model of its times, learnt meanwhile, finds best. States, rules and their sections
// in the paper: README.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/base/relaxed_array.hpp"
#include "skua/policy/address_map.hpp"
#include "skua/policy/arms/partitions.hpp"
#include "skua/policy/arms/tag_fields.hpp"
#include "skua/policy/arms/width_choice.hpp"
#include "skua/policy/known_time.hpp"
#include "skua/policy/per_worker.hpp"
#include "skua/policy/policy.hpp"
#include "skua/policy/search_round.hpp"

namespace skua { inline namespace v0 { namespace policies {

enum class arms_model : std::uint8_t { history, power_law };

struct arms_options {
  std::uint16_t width = 0xffff;  ///< no team is wider; 1: ARMS-1 of the paper
  arms::cost cost = arms::cost::idle;
  arms_model model = arms_model::history;
  arms::measure measure = arms::measure::team;  ///< of cost::product and cost::time
  std::uint32_t idle_tries = 10;                ///< failed tries at neighbours before a steal from any other worker
  std::uint32_t threshold = 4;                  ///< rejected steals before one takes what it finds
  bool critical = false;    ///< nodes on a flow's critical path are sent to the globally best partition
  bool nodes_only = false;  ///< it searches for nodes only, as a part of a combined scheduler
  bool derives = true;      ///< regular flows without addresses get some by depth and breadth
};

namespace arms {

/// What the workers of a region share.
struct common {
  common(layout const& map, partitions const& all, arms_options const& chosen);

  /// `f` gets the choice among partitions, whichever model it has.
  decltype(auto) with_choice(auto&& f) noexcept { return std::visit(f, choice); }
  decltype(auto) with_choice(auto&& f) const noexcept { return std::visit(f, choice); }
  [[nodiscard]] std::size_t count_of(worker_id w, std::uint32_t type, std::uint32_t width_class) const noexcept {
    return (std::size_t{index(w)} * most_types + std::min(type, most_types - 1)) * all.widths().size() + width_class;
  }

  /// A cache line per flag: its worker writes it twice per task.
  [[nodiscard]] static std::size_t busy_flag_of(std::uint32_t w) noexcept {
    return std::size_t{w} * runtime::cache_line_bytes;
  }

  /// True if w runs a task of this region, or has more of them. Between two tasks its flag is down for a moment.
  [[nodiscard]] bool is_busy(worker_id w) const noexcept {
    return busy.get(busy_flag_of(index(w))) != 0 || (machine != nullptr && machine->has_tasks(w));
  }
  [[nodiscard]] bool is_away(worker_id w) const noexcept { return machine != nullptr && machine->works_elsewhere(w); }

  machine_view const* machine = nullptr;  ///< set before any worker runs
  layout const worker_layout;
  partitions const all;
  arms_options const options;
  address_map const addresses;
  std::variant<width_choice<history_model>, width_choice<power_law_model>> choice;
  runtime::relaxed_array<std::uint64_t> counts;  ///< tasks that ended, per leader, type and width
  runtime::relaxed_array<std::uint8_t> busy;     ///< [busy_flag_of(w)]: w runs a task
};

class alignas(runtime::cache_line_bytes) worker_state final : public worker_policy {
 public:
  worker_state(common& shared, worker_id self, std::uint64_t seed);

  task_tag mark(task_tag& parent, hint const& hint) noexcept override;
  placement place(task_tag& task, cause why) noexcept override;
  probe next_probe() noexcept override;
  void learn(event const& seen) noexcept override;
  [[nodiscard]] bool is_choosy() const noexcept override { return is_choosy_; }
  [[nodiscard]] bool admits(std::uint64_t first_word) const noexcept override;

 private:
  placement release(task_tag& task) noexcept;
  placement release_next(task_tag& task) noexcept;
  std::optional<placement> send_critical(task_tag& task) noexcept;
  placement send_behind_others(task_tag& task) const noexcept;
  placement start(task_tag& task, placement const& otherwise) noexcept;
  placement decide(task_tag& task) noexcept;
  [[nodiscard]] std::optional<runtime::address> address_of_child(std::optional<runtime::address> parent,
                                                                 hint const& hint) const noexcept;
  [[nodiscard]] std::span<partition_id const> allowed(runtime::task_type type) const noexcept {
    return allowed(type, self_);
  }
  [[nodiscard]] std::span<partition_id const> allowed(runtime::task_type type, worker_id around) const noexcept;
  [[nodiscard]] std::uint32_t key_of(std::optional<runtime::address> at) const noexcept;
  std::optional<victim> choose_victim(victim_request why) noexcept;
  [[nodiscard]] worker_id outsider() noexcept;
  void ended_here(task_tag const& task, std::uint64_t duration_ns, bool failed) noexcept;
  void team_ended_here(policies::team_ended const& t) noexcept;
  [[nodiscard]] partners partners_in(partition const& p) const noexcept;
  [[nodiscard]] bool is_beside(partition const& p) const noexcept;
  void be_busy(bool now) noexcept;

  common& common_;
  worker_id const self_;
  std::uint32_t const own_key_;         ///< of data near this worker
  partitions::range const neighbours_;  ///< the workers that share a partition with this one
  bool const is_choosy_;
  runtime::dice roll_;
  search_round round_;
  std::uint32_t visited_ = 0;    ///< neighbours in this round
  std::uint32_t fruitless_ = 0;  ///< neighbours tried since this worker last found a task
  std::uint32_t rejected_ = 0;   ///< attempts on outsiders since then
  bool is_outside_ = false;      ///< the victim shares no partition with this worker
  bool judges_ = false;          ///< the first word of the task that the probe is for says where it belongs
  bool is_busy_ = false;
  std::uint32_t critical_ = 0;  ///< critical tasks that this worker has released
  bool has_next_ = false;       ///< `local` holds what this worker runs next
};

}  // namespace arms

/// The policy `arms`.
class adaptive_moldable final : public per_worker<arms::worker_state> {
 public:
  /// Uses the partitions of the topology, or those of a layout file with as many workers as `where`.
  adaptive_moldable(layout const& where, std::uint64_t seed, arms_options const& chosen = {});
  adaptive_moldable(layout const& where, arms::partitions const& all, std::uint64_t seed,
                    arms_options const& chosen = {});
  [[nodiscard]] std::string_view name() const noexcept override {
    return shared_.options.width == 1 ? "arms:width=1" : "arms";
  }
  void watch(machine_view const& machine) noexcept override { shared_.machine = &machine; }
  [[nodiscard]] std::vector<known_time> known() const override;
  /// Adds times of an earlier run on the same partitions; they count as measured. Call before the first task. Throws
  /// usage_error.
  void remember(known_times const& earlier);
  [[nodiscard]] policy_needs needs() const noexcept override {
    return {.lanes = shared_.options.critical && !shared_.options.nodes_only
                         ? lane_set{lane::mailbox, lane::local, lane::migrated}
                         : lane_set{lane::local, lane::migrated},
            .times = which_tasks::all,
            .chosen = which_tasks::all,
            .released = which_tasks::all,
            .addresses = shared_.options.derives,
            .critical = shared_.options.critical};
  }

  [[nodiscard]] arms::partitions const& partitions() const noexcept { return shared_.all; }
  /// Tasks of this type that ended on partitions of this width, so far; types from arms::most_types - 1 on are counted
  /// together. Any thread. Cost: linear in workers.
  [[nodiscard]] std::uint64_t ended(std::uint32_t type, std::uint16_t width) const noexcept;
  /// The same for the partition with this leader; 0 if there is none. Cost: O(1).
  [[nodiscard]] std::uint64_t ended(std::uint32_t type, arms::partition const& on) const noexcept;
  /// The expected time of such a task there; 0: unknown. Any thread.
  [[nodiscard]] std::uint64_t time_ns(std::uint32_t type, runtime::address data, arms::partition_id p) const noexcept;

 private:
  arms::common shared_;
};

}}}  // namespace skua::v0::policies
