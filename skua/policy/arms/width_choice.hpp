// SPDX-License-Identifier: MIT
// Which partition shall run a task: those that are not measured first, in increasing width; then the one of least cost.
// [arms-2021 3.3, 3.3.1]
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "skua/parts/base/relaxed_array.hpp"
#include "skua/policy/arms/partitions.hpp"
#include "skua/policy/arms/performance_models.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace arms {

/// What shall be small. T: the leader's time, W: the width.
enum class cost : std::uint8_t {
  product,  ///< T * W: the time of all members together [arms-2021 3.3.1]
  time,     ///< T: what the authors' code runs with
  idle,     ///< T * (1 + 3/2 * members that have other work now): idle members cost nothing
};

/// Shared by the workers of a region; what one of them learns the others see some time later.
template <time_model Model>
class width_choice {
 public:
  /// Of the tasks of a kind, every so many-th is given to the partition that was measured the longest ago. The paper never
  /// measures again what lost once; so a partition that has become better would never be found.
  static constexpr std::uint32_t trial_period = 64;
  /// Under cost::idle the partition that a kind had last is taken for so much cheaper: a change of width moves the data, which
  /// slows down the tasks on both sides of it.
  static constexpr double constancy = 0.85;

  /// `all` outlives this.
  width_choice(partitions const& all, std::uint32_t key_bits, cost what)
      : all_(all), shape_(key_bits, all), what_(what), model_(shape_, all), measured_at_(shape_.cells()),
        measurements_(shape_.rows()), last_(shape_.rows()), least_(shape_.rows()), runner_up_(shape_.rows()) {}

  [[nodiscard]] Model const& model() const noexcept { return model_; }
  [[nodiscard]] std::uint64_t time_ns(task_kind kind, partition_id p) const noexcept {
    return model_.time_ns(shape_.row_of(kind), p);
  }

  /// One of these, which ascend by width. `busy(partition)`: how many other members have work now; asked for `cost::idle`.
  template <class Busy>
  [[nodiscard]] partition_id choose(task_kind kind, std::span<partition_id const> from, Busy&& busy) noexcept {
    std::size_t const row = shape_.row_of(kind);
    choice_made const made = cheapest(row, from, busy);
    if (made.is_known && measurements_.get(row) % trial_period == trial_period - 1) return oldest(row, from, busy);
    if (what_ == cost::idle && made.is_known && last_.get(row) != index(made.which) + 1)
      last_.set(row, index(made.which) + 1);
    return made.which;
  }

  /// Is the worker in the partition of the least cost among all that are known? No, if nothing is known: the task then
  /// starts where its address says. `home`: the inclusive partitions of the worker at that address. Idle partners are
  /// taken for granted.
  [[nodiscard]] bool is_in_least(task_kind kind, worker_id w, std::span<partition_id const> home) const noexcept {
    std::size_t const row = shape_.row_of(kind);
    if constexpr (Model::knows_leaders) {
      std::uint64_t const l = least_.get(row);
      return l != 0 && all_[holder_of(l)].has(w);
    } else {
      choice_made const made = cheapest(row, home, nobody);
      return made.is_known && all_[made.which].has(w);
    }
  }

  /// f(type, key, partition, ns) for everything that was measured. Other workers may learn meanwhile.
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

  /// The leader of a partition has measured a task.
  void learn(task_kind kind, partition_id p, std::uint64_t ns) noexcept {
    std::size_t const row = shape_.row_of(kind);
    std::size_t const cell = shape_.cell_of(row, p);
    // Two leaders may count the same number: a trial then comes one task later.
    std::uint32_t const now = measurements_.get(row) + 1;
    std::uint32_t const last = measured_at_.get(cell);
    measurements_.set(row, now);
    measured_at_.set(cell, now);
    model_.update(row, p, ns, last != 0 && now - last >= trial_period);
    if constexpr (Model::knows_leaders) keep_least(row, p);
  }

 private:
  static constexpr auto nobody = [](partition const&) { return 0U; };

  /// Of a partition on which such a task takes t.
  template <class Busy>
  [[nodiscard]] double cost_of(std::uint64_t t, partition_id p, Busy&& busy) const noexcept {
    auto const ns = static_cast<double>(t);
    switch (what_) {
      case cost::product: return ns * all_[p].width;
      case cost::time: break;
      // 3/2: where a team just pays off its members' time, measurements differ by chance and a team is of no use.
      case cost::idle: return ns * (1 + 1.5 * busy(all_[p]));
    }
    return ns;
  }

  struct choice_made {
    partition_id which;
    bool is_known;  ///< else it is to be measured
  };
  /// The first one that is not known, else the first one of least cost.
  template <class Busy>
  [[nodiscard]] choice_made cheapest(std::size_t row, std::span<partition_id const> from, Busy&& busy) const noexcept {
    partition_id best = from.front();
    double least = std::numeric_limits<double>::infinity();
    std::uint32_t const last = what_ == cost::idle ? last_.get(row) : 0;
    for (partition_id const p : from) {
      std::uint64_t const t = model_.time_ns(row, p);
      if (t == 0) return {p, false};
      double const c = cost_of(t, p, busy) * (index(p) + 1 == last ? constancy : 1);
      if (c < least) {
        least = c;
        best = p;
      }
    }
    return {best, true};
  }

  /// Under cost::idle busy partners are left in peace: a trial would hold them up, and they would not be taken anyway.
  template <class Busy>
  [[nodiscard]] partition_id oldest(std::size_t row, std::span<partition_id const> from, Busy&& busy) const noexcept {
    std::uint32_t const now = measurements_.get(row);
    partition_id found = from.front();
    std::uint32_t most = 0;
    for (partition_id const p : from) {
      std::uint32_t const age = now - measured_at_.get(shape_.cell_of(row, p));
      if (age > most && age <= now && (what_ != cost::idle || busy(all_[p]) == 0)) {
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
    return static_cast<float>(cost_of(model_.time_ns(row, p), p, nobody));
  }

  /// Invariant (runner-up): no partition but the least costs less than `runner_up_` says. So only if the least has become
  /// dearer than that, all are looked at. Two leaders may overwrite each other's words; later measurements repair that.
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
  cost const what_;
  Model model_;
  runtime::relaxed_array<std::uint32_t> measured_at_;   ///< per cell: the row's measurements then
  runtime::relaxed_array<std::uint32_t> measurements_;  ///< per row
  runtime::relaxed_array<std::uint32_t> last_;          ///< per row: the last one chosen for its cost, plus 1; 0: none
  runtime::relaxed_array<std::uint64_t> least_;         ///< per row; 0: nothing is measured
  runtime::relaxed_array<float> runner_up_;             ///< per row: a bound for the cost of all others
};

}}}}  // namespace skua::v0::policies::arms
