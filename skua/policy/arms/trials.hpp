// SPDX-License-Identifier: MIT
// When a kind of tasks may try a partition that is not the best one it knows, and what that may cost: a share of the
// kind's time, so that a width that does not pay is tried seldom. States and rules: README.md, "Trials".
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "skua/parts/base/relaxed_array.hpp"
#include "skua/policy/arms/partitions.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace arms {

/// Shared by the workers of a region, per row of the tables. All times are nanoseconds. Two leaders may overwrite each
/// other's words: a trial then comes earlier or later.
class trials {
 public:
  /// Between two trials of a kind run at least so many of its tasks.
  static constexpr std::uint32_t period = 64;
  /// Trials may lose one part in so many of the kind's time.
  static constexpr std::uint64_t share = 100;
  /// The tasks of a trial of a team; the last one counts. The first one wakes its members, which were idle; where teams
  /// follow each other they are awake.
  static constexpr std::uint32_t tasks_of_team = 3;
  /// Forming a team takes longer than such a task: one trial shows enough.
  static constexpr std::uint64_t short_task = 5'000;
  /// After a team with a late member; doubled each time, up to the longest, and halved after each calm period.
  static constexpr std::uint64_t shortest_pause = 10'000'000;
  static constexpr std::uint64_t longest_pause = 80'000'000;
  static constexpr std::uint64_t calm_period = 20'000'000;
  /// A member was late if the team took so many times as long as usual. That is forgiven while teams lose less than one part in
  /// `late_share` of their time so, but for the delay of one preemption.
  static constexpr std::uint64_t late_factor = 4;
  static constexpr std::uint64_t late_share = 4;
  static constexpr std::uint64_t one_preemption = 3'000'000;

  explicit trials(std::size_t rows)
      : debt_(rows), pause_(rows), calm_(rows), delayed_(rows), last_(rows), present_(rows) {}

  /// True if the row has paid for its last trial. `measured`: the row's measurements so far.
  [[nodiscard]] bool may_begin(std::size_t row, std::uint32_t measured) const noexcept {
    return debt_.get(row) == 0 && measured - last_.get(row) >= period;
  }
  /// `usual`: the time of such a task on the best known partition; 0: none is known.
  void begin(std::size_t row, partition_id p, bool is_team, std::uint64_t usual, std::uint32_t measured) noexcept {
    last_.set(row, measured);
    if (is_team) present_.set(row, index(p) << 8 | (usual < short_task ? 1 : tasks_of_team));
  }
  /// The team whose trial has not ended.
  [[nodiscard]] std::optional<partition_id> present(std::size_t row) const noexcept {
    std::uint32_t const now = present_.get(row);
    return now == 0 ? std::nullopt : std::optional(partition_id{now >> 8});
  }
  void abandon(std::size_t row) noexcept { present_.set(row, 0); }
  /// Counts a task of p. True if it was one of the present trial.
  bool counts(std::size_t row, partition_id p) noexcept {
    std::uint32_t const now = present_.get(row);
    if (now == 0 || now >> 8 != index(p)) return false;
    std::uint32_t const left = (now & 0xff) - 1;
    present_.set(row, left == 0 ? 0 : index(p) << 8 | left);
    return true;
  }

  /// A task of the row has ended, which cost `loss` more than the best known partition would have.
  void pay(std::size_t row, std::uint64_t ns, double loss) noexcept {
    std::uint64_t const before = debt_.get(row);
    if (before == 0 && loss <= 0) return;
    std::uint64_t debt = before - std::min(before, ns);
    if (loss > 0) {
      constexpr double most = static_cast<double>(longest_pause) / share;
      debt = std::min(debt + static_cast<std::uint64_t>(share * std::min(loss, most)), longest_pause);
    }
    if (debt != before) debt_.set(row, debt);
  }
  enum class team_was : std::uint8_t { punctual, late, too_late };
  /// A team that is the best known partition has ended; it usually takes `usual`. If members are late too often, trials
  /// pause.
  team_was note_team(std::size_t row, std::uint64_t ns, std::uint64_t usual) noexcept {
    std::uint64_t const before = delayed_.get(row);
    if (ns / late_factor <= usual) {
      if (before != 0) delayed_.set(row, before - std::min(before, ns / late_share));
      calm_down(row, ns);
      return team_was::punctual;
    }
    std::uint64_t const delayed = before + ns - usual;
    delayed_.set(row, delayed > one_preemption ? 0 : delayed);
    if (delayed <= one_preemption) return team_was::late;
    std::uint64_t const now = std::clamp(pause_.get(row), shortest_pause, longest_pause);
    debt_.set(row, std::max(debt_.get(row), now));
    pause_.set(row, 2 * now);
    calm_.set(row, 0);
    return team_was::too_late;
  }

 private:
  /// After each calm period the next pause is half as long.
  void calm_down(std::size_t row, std::uint64_t ns) noexcept {
    std::uint64_t const pause = pause_.get(row);
    if (pause <= shortest_pause) return;
    std::uint64_t const calm = calm_.get(row) + ns;
    calm_.set(row, calm < calm_period ? calm : 0);
    if (calm >= calm_period) pause_.set(row, pause / 2);
  }

  runtime::relaxed_array<std::uint64_t> debt_;     ///< the time that must pass before the next trial
  runtime::relaxed_array<std::uint64_t> pause_;    ///< after the next team with a late member
  runtime::relaxed_array<std::uint64_t> calm_;     ///< the time of teams without one
  runtime::relaxed_array<std::uint64_t> delayed_;  ///< by late members, less a share of the time of punctual teams
  runtime::relaxed_array<std::uint32_t> last_;     ///< the row's measurements when its last trial began
  runtime::relaxed_array<std::uint32_t> present_;  ///< partition << 8 | tasks left; 0: none
};

}}}}  // namespace skua::v0::policies::arms
