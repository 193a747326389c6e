// SPDX-License-Identifier: MIT
// Which partition shall run a task: those that are not measured first, in increasing width; then the one of least cost.
// [arms-2021 3.3, 3.3.1]
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "skua/parts/base/relaxed_array.hpp"
#include "skua/policy/arms/partitions.hpp"
#include "skua/policy/arms/performance_models.hpp"

namespace skua::inline v0::policies::arms {

/// What shall be small. T: the leader's time, W: the width.
enum class cost : std::uint8_t {
  product,  ///< T * W: the time of all members together [arms-2021 3.3.1]
  time,     ///< T: what the authors' code runs with
  idle,     ///< T * (1 + members that have other work now): idle members cost nothing
};

/// Shared by the workers of a region; what one of them learns the others see some time later.
template <time_model Model>
class width_choice {
 public:
  /// Of the tasks of a kind, every so many-th is given to the partition that was measured the longest ago. The paper never
  /// measures again what lost once; so a partition that has become better would never be found.
  static constexpr std::uint32_t trial_period = 64;

  /// `all` outlives this.
  width_choice(partitions const& all, std::uint32_t key_bits, cost what)
      : all_(all), shape_(key_bits, all), what_(what), model_(shape_, all), measured_at_(shape_.cells()),
        measurements_(shape_.rows()), least_(shape_.rows()) {}

  [[nodiscard]] Model const& model() const noexcept { return model_; }
  [[nodiscard]] std::uint64_t time_ns(task_kind kind, partition_id p) const noexcept {
    return model_.time_ns(shape_.row_of(kind), p);
  }

  /// One of these, which ascend by width. `busy(partition)`: how many other members have work now; asked for `cost::idle`.
  template <class Busy>
  [[nodiscard]] partition_id choose(task_kind kind, std::span<partition_id const> from, Busy&& busy) const noexcept {
    std::size_t const row = shape_.row_of(kind);
    for (partition_id const p : from) {
      if (model_.time_ns(row, p) == 0) return p;
    }
    if (measurements_.get(row) % trial_period == trial_period - 1) return oldest(row, from);
    partition_id best = from.front();
    double least = cost_of(row, best, busy);
    for (partition_id const p : from.subspan(1)) {
      double const c = cost_of(row, p, busy);
      if (c < least) {
        least = c;
        best = p;
      }
    }
    return best;
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
      for (partition_id const p : home) {
        if (model_.time_ns(row, p) == 0) return false;
      }
      return all_[cheapest(row, home)].has(w);
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

  template <class Busy>
  [[nodiscard]] double cost_of(std::size_t row, partition_id p, Busy&& busy) const noexcept {
    auto const t = static_cast<double>(model_.time_ns(row, p));
    switch (what_) {
      case cost::product: return t * all_[p].width;
      case cost::time: return t;
      case cost::idle: return t * (1 + busy(all_[p]));
    }
    return t;
  }

  [[nodiscard]] partition_id oldest(std::size_t row, std::span<partition_id const> from) const noexcept {
    std::uint32_t const now = measurements_.get(row);
    partition_id found = from.front();
    std::uint32_t most = 0;
    for (partition_id const p : from) {
      std::uint32_t const age = now - measured_at_.get(shape_.cell_of(row, p));
      if (age > most && age <= now) {
        most = age;
        found = p;
      }
    }
    return found;
  }

  template <class Partitions>
  [[nodiscard]] partition_id cheapest(std::size_t row, Partitions const& from) const noexcept {
    partition_id best = from.front();
    for (partition_id const p : from) {
      if (cost_of(row, p, nobody) < cost_of(row, best, nobody)) best = p;
    }
    return best;
  }

  // The partition of least cost of each row: its cost as a float, and its number plus 1. Writers may overwrite each other; the
  // next measurement of either repairs that.
  static std::uint64_t packed(partition_id p, double c) noexcept {
    return std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(c))} << 32 | (std::uint64_t{index(p)} + 1);
  }
  static partition_id holder_of(std::uint64_t l) noexcept { return partition_id{static_cast<std::uint32_t>(l) - 1}; }
  static float cost_in(std::uint64_t l) noexcept { return std::bit_cast<float>(static_cast<std::uint32_t>(l >> 32)); }

  void keep_least(std::size_t row, partition_id p) noexcept {
    double const c = cost_of(row, p, nobody);
    std::uint64_t const l = least_.get(row);
    bool const leads = l != 0 && holder_of(l) == p;
    auto const as_kept = static_cast<float>(c);
    if (l == 0 || as_kept < cost_in(l) || (leads && as_kept == cost_in(l))) return least_.set(row, packed(p, c));
    if (!leads) return;
    partition_id best = p;
    double lowest = c;
    for (std::uint32_t i = 0; i < all_.all().size(); ++i) {
      partition_id const other{i};
      double const candidate = cost_of(row, other, nobody);
      if (candidate > 0 && candidate < lowest) {
        lowest = candidate;
        best = other;
      }
    }
    least_.set(row, packed(best, lowest));
  }

  partitions const& all_;
  table_shape shape_;
  cost const what_;
  Model model_;
  runtime::relaxed_array<std::uint32_t> measured_at_;   ///< per cell: the row's measurements then
  runtime::relaxed_array<std::uint32_t> measurements_;  ///< per row
  runtime::relaxed_array<std::uint64_t> least_;         ///< per row; 0: nothing is measured
};

}  // namespace skua::inline v0::policies::arms
