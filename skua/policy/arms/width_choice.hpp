// SPDX-License-Identifier: MIT
// Which partition shall run a task: those that are not measured first, in increasing width; then the one of least cost.
// [arms-2021 3.3, 3.3.1]
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "skua/parts/base/relaxed_array.hpp"
#include "skua/policy/arms/partitions.hpp"
#include "skua/policy/arms/performance_models.hpp"
#include "skua/policy/arms/trials.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace arms {

/// Which of a task's two times a model means.
enum class measure : std::uint8_t {
  team,    ///< from the choice of its partition until the last member has ended
  leader,  ///< the leader's own part [arms-2021 3.3.1]
};

/// The cost to minimise. T: the time on a partition, of the `measure` in question; W: its width.
enum class cost : std::uint8_t {
  product,  ///< T * W: the time of all members together [arms-2021 3.3.1]
  time,     ///< T: the cost in the authors' code
  idle,     ///< T * (1 + 2 * members that have other work now), T beside idle members: these cost nothing
};

/// What the other members of a partition do now.
struct partners {
  std::uint32_t busy = 0;  ///< that many have work
  bool away = false;       ///< some of it is in another region: nobody knows for how long
};

/// Shared by the workers of a region; a worker sees later what another one has learned.
template <time_model Model>
class width_choice {
 public:
  /// Under cost::idle the partition that a kind had last gets this discount: a change of width moves the data, which
  /// slows down the tasks before and after it.
  static constexpr double constancy = 0.85;

  /// What a team takes beside its members' parts, at most a few microseconds.
  static constexpr std::uint64_t forming_ns = trials::short_task;

  /// `all` outlives this.
  width_choice(partitions const& all, std::uint32_t key_bits, cost minimised, measure taken = measure::team)
      : all_(all), shape_(key_bits, all), cost_(minimised), measure_(taken), model_(shape_, all), members_(shape_, all),
        measured_at_(shape_.cells()), measurements_(shape_.rows()), trials_(shape_.rows()), last_(shape_.rows()),
        least_(shape_.rows()), runner_up_(shape_.rows()) {}

  [[nodiscard]] Model const& model() const noexcept { return model_; }
  [[nodiscard]] std::uint64_t time_ns(task_kind kind, partition_id p) const noexcept {
    return model_.time_ns(shape_.row_of(kind), p);
  }

  /// Chooses one of `from`, which ascend by width. `busy(partition)`: what the other members do (partners); called for
  /// `cost::idle`.
  template <class Busy>
  [[nodiscard]] partition_id choose(task_kind kind, std::span<partition_id const> from, Busy&& busy) noexcept {
    if (from.size() == 1) return from.front();
    std::size_t const row = shape_.row_of(kind);
    if (std::optional<partition_id> const p = present_trial(row, from, busy)) return *p;
    choice_made const made = cheapest(row, from, busy);
    if (!made.is_known) return tried(row, made.partition, from);
    // The paper never measures a losing partition again, so it would not find one that has become better.
    if (trials_.may_begin(row, measurements_.get(row))) {
      if (partition_id const p = oldest(row, from, busy); p != made.partition) return tried(row, p, from);
    }
    if (last_.get(row) != index(made.partition) + 1) last_.set(row, index(made.partition) + 1);
    return made.partition;
  }

  /// True if the worker is in the partition of least cost among all known ones. False if none is known: the task then
  /// starts where its address says. `home`: the inclusive partitions of the worker at that address. Partners are
  /// assumed to be idle.
  [[nodiscard]] bool is_in_least(task_kind kind, worker_id w, std::span<partition_id const> home) const noexcept {
    std::size_t const row = shape_.row_of(kind);
    if constexpr (Model::knows_leaders) {
      std::uint64_t const l = least_.get(row);
      return l != 0 && all_[holder_of(l)].has(w);
    } else {
      choice_made const made = cheapest(row, home, nobody);
      return made.is_known && all_[made.partition].has(w);
    }
  }

  /// The partition of least cost among all known ones, if one is known and its width is that of one of `home`, as in is_in_least.
  [[nodiscard]] std::optional<partition_id> least(task_kind kind, std::span<partition_id const> home) const noexcept {
    std::size_t const row = shape_.row_of(kind);
    if constexpr (Model::knows_leaders) {
      std::uint64_t const l = least_.get(row);
      if (l == 0 || all_[holder_of(l)].width > all_[home.back()].width) return {};
      return holder_of(l);
    } else {
      choice_made const made = cheapest(row, home, nobody);
      return made.is_known ? std::optional(made.partition) : std::nullopt;
    }
  }

  /// Calls f(type, key, partition, ns) for every measurement. Other workers may learn meanwhile.
  template <class F>
  void for_each_known(F&& f) const {
    for (std::size_t row = 0; row < shape_.rows(); ++row) {
      if (measurements_.get(row) == 0) continue;
      task_kind const kind = shape_.kind_of(row);
      for (std::uint32_t p = 0; p < all_.all().size(); ++p) {
        if (std::uint64_t const ns = model_.measured_ns(row, partition_id{p})) f(kind, partition_id{p}, ns);
      }
    }
  }

  /// A task took so long on a partition. Whoever ends it reports the time of measure::team. Under cost::idle only that
  /// of a task whose partners were idle counts.
  void learn(task_kind kind, partition_id p, std::uint64_t ns) noexcept {
    std::size_t const row = shape_.row_of(kind);
    std::size_t const cell = shape_.cell_of(row, p);
    // Two leaders may count the same number: a trial then comes one task later.
    std::uint32_t const now = measurements_.get(row) + 1;
    std::uint32_t const last = measured_at_.get(cell);
    bool const is_forgiven = count_cost(row, p, ns);
    measurements_.set(row, now);
    measured_at_.set(cell, now);
    bool const is_of_trial = trials_.counts(row, p);
    if (is_forgiven) return;
    model_.update(row, p, ns, is_of_trial || (last != 0 && now - last >= trials::period));
    if constexpr (Model::knows_leaders) keep_least(row, p);
  }
  /// A team member's own part of it took so long. Under cost::product and cost::time only the leader reports its part.
  void learn_of_member(task_kind kind, partition_id p, std::uint64_t ns) noexcept {
    members_.update(shape_.row_of(kind), p, ns, false);
  }

 private:
  static constexpr auto nobody = [](partition const&) { return partners{}; };

  partition_id tried(std::size_t row, partition_id p, std::span<partition_id const> from) noexcept {
    std::uint64_t const alone = model_.time_ns(row, from.front());
    trials_.begin(row, p, all_[p].width > 1, alone, measurements_.get(row));
    return p;
  }
  /// The partition of the present trial, if this worker may run tasks there. Busy partners end the trial.
  template <class Busy>
  [[nodiscard]] std::optional<partition_id> present_trial(std::size_t row, std::span<partition_id const> from,
                                                          Busy&& busy) noexcept {
    std::optional<partition_id> const p = trials_.present(row);
    if (!p || std::ranges::find(from, *p) == from.end()) return {};
    if (!is_delayed(*p, busy)) return p;
    trials_.abandon(row);
    return {};
  }
  /// Under cost::idle no trial runs on a partition with busy members: it would delay them, and they would not be chosen
  /// anyway.
  template <class Busy>
  [[nodiscard]] bool is_delayed(partition_id p, Busy&& busy) const noexcept {
    return cost_ == cost::idle && busy(all_[p]).busy != 0;
  }
  /// Compares with the partition that was chosen last for its cost; before the first choice, with the leader alone.
  /// True if the time is not the partition's fault.
  bool count_cost(std::size_t row, partition_id p, std::uint64_t ns) noexcept {
    std::uint32_t const last = last_.get(row);
    partition_id const best{last == 0 ? index(all_[p].leader) : last - 1};
    std::uint64_t const usual = model_.time_ns(row, best);
    if (usual == 0 || p == best) {
      trials_.pay(row, ns, 0);
    } else {
      trials_.pay(row, ns, cost_of(ns, p, {}) - cost_of(usual, best, {}));
    }
    return usual != 0 && p == best && all_[p].width > 1 && trials_.note_team(row, ns, usual) == trials::team_was::late;
  }

  /// The cost of a partition on which such a task takes t.
  [[nodiscard]] double cost_of(std::uint64_t t, partition_id p, partners const& others) const noexcept {
    auto const ns = static_cast<double>(t);
    switch (cost_) {
      case cost::product: return ns * all_[p].width;
      case cost::time: break;
      // 2: beside work in their caches members take longer than they did when they were idle.
      case cost::idle: return ns * (1 + 2.0 * others.busy);
    }
    return ns;
  }
  /// The time that counts; 0: unknown. Of a team that never found its members idle only the members' own parts are
  /// known, because how long the whole took depended on their other work; forming the team is not in them.
  [[nodiscard]] std::uint64_t time_beside(std::size_t row, partition_id p, partners const& others) const noexcept {
    std::uint64_t const t = model_.time_ns(row, p);
    if (all_[p].width == 1) return t;
    if (measure_ == measure::leader) return members_.time_ns(row, p);
    if (t != 0 || others.busy == 0) return t;
    std::uint64_t const part = members_.time_ns(row, p);
    return part == 0 ? 0 : part + forming_ns;
  }

  struct choice_made {
    partition_id partition;
    bool is_known;  ///< false: it has to be measured
  };
  /// The first unknown partition, else the first one of least cost. One with members in another region is neither.
  template <class Busy>
  [[nodiscard]] choice_made cheapest(std::size_t row, std::span<partition_id const> from, Busy&& busy) const noexcept {
    partition_id best = from.front();
    bool knows_one = false;
    double least = std::numeric_limits<double>::infinity();
    std::uint32_t const last = cost_ == cost::idle ? last_.get(row) : 0;
    for (partition_id const p : from) {
      double const discount = index(p) + 1 == last ? constancy : 1;
      // One that is too dear even beside idle members need not ask what they do: their lines are in other caches.
      std::uint64_t const idly = knows_one ? time_beside(row, p, {}) : 0;
      if (idly != 0 && cost_of(idly, p, {}) * discount >= least) continue;
      partners const others = cost_ == cost::idle ? busy(all_[p]) : partners{};
      if (knows_one && others.away) continue;
      std::uint64_t const t = time_beside(row, p, others);
      if (t == 0) return {p, false};
      knows_one = true;
      double const c = cost_of(t, p, others) * discount;
      if (c < least) {
        least = c;
        best = p;
      }
    }
    return {best, true};
  }

  template <class Busy>
  [[nodiscard]] partition_id oldest(std::size_t row, std::span<partition_id const> from, Busy&& busy) const noexcept {
    std::uint32_t const now = measurements_.get(row);
    partition_id found = from.front();
    std::uint32_t most = 0;
    for (partition_id const p : from) {
      std::uint32_t const age = now - measured_at_.get(shape_.cell_of(row, p));
      if (age > most && age <= now && !is_delayed(p, busy)) {
        most = age;
        found = p;
      }
    }
    return found;
  }

  // The partition of least cost of each row: its number plus 1, and its cost as a float.
  static std::uint64_t packed(partition_id p, float c) noexcept {
    return std::uint64_t{std::bit_cast<std::uint32_t>(c)} << 32 | (std::uint64_t{index(p)} + 1);
  }
  static partition_id holder_of(std::uint64_t l) noexcept { return partition_id{static_cast<std::uint32_t>(l) - 1}; }
  static float cost_in(std::uint64_t l) noexcept { return std::bit_cast<float>(static_cast<std::uint32_t>(l >> 32)); }
  [[nodiscard]] float kept_cost(std::size_t row, partition_id p) const noexcept {
    return static_cast<float>(cost_of(time_beside(row, p, {}), p, {}));
  }

  /// Invariant (runner-up): every partition but the least costs at least `runner_up_`. So all are compared only once
  /// the least has become dearer than that. Two leaders may overwrite each other's words; later measurements repair
  /// that.
  void keep_least(std::size_t row, partition_id p) noexcept {
    float const c = kept_cost(row, p);
    std::uint64_t const l = least_.get(row);
    if (l == 0) {
      least_.set(row, packed(p, c));
      return runner_up_.set(row, std::numeric_limits<float>::infinity());
    }
    float const second = runner_up_.get(row);
    if (holder_of(l) == p) return c <= second ? least_.set(row, packed(p, c)) : search_least(row);
    if (c < cost_in(l)) {
      least_.set(row, packed(p, c));
      runner_up_.set(row, cost_in(l));
    } else if (c < second) {
      runner_up_.set(row, c);
    }
  }

  void search_least(std::size_t row) noexcept {
    constexpr float nothing = std::numeric_limits<float>::infinity();
    partition_id best{};
    float least = nothing;
    float second = nothing;
    for (std::uint32_t i = 0; i < all_.all().size(); ++i) {
      float const c = kept_cost(row, partition_id{i});
      if (c == 0) continue;
      second = std::min(second, std::max(c, least));
      if (c < least) {
        least = c;
        best = partition_id{i};
      }
    }
    least_.set(row, packed(best, least));
    runner_up_.set(row, second);
  }

  partitions const& all_;
  table_shape shape_;
  cost const cost_;
  measure const measure_;
  Model model_;                                         ///< of measure::team
  Model members_;                                       ///< of members of teams: of all, or of the leaders alone
  runtime::relaxed_array<std::uint32_t> measured_at_;   ///< per cell: the row's measurements then
  runtime::relaxed_array<std::uint32_t> measurements_;  ///< per row
  trials trials_;
  runtime::relaxed_array<std::uint32_t> last_;   ///< per row: the last one chosen for its cost, plus 1; 0: none
  runtime::relaxed_array<std::uint64_t> least_;  ///< per row; 0: nothing is measured
  runtime::relaxed_array<float> runner_up_;      ///< per row: a bound for the cost of all others
};

}}}}  // namespace skua::v0::policies::arms
