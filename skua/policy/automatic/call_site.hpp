// SPDX-License-Identifier: MIT
// What is known of one call site, and which scheduler its next group shall have: the best one so far, or another one on trial.
// Rules: automatic.md, "Trials". No thread, no clock: a value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "skua/policy/call_choice.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace automatic {

inline constexpr std::size_t most_schedulers = 4;
inline constexpr std::size_t most_shapes = 16;

/// Of all time, so much may be lost by trials.
inline constexpr double share_for_trials = 0.02;

class call_site {
 public:
  using evidence = policies::evidence;

  /// A group (or a whole call) with this shape took `ns` under the scheduler, one of `schedulers`.
  void took(std::uint64_t shape, std::size_t scheduler, double ns, std::size_t schedulers) noexcept;
  /// A whole call took so long. It stands for those before it that were not timed.
  void lasted(double ns) noexcept {
    std::uint64_t const n = std::exchange(untimed_, 0) + 1;
    calls_ += n;
    call_ns_ += static_cast<double>(n) * ns;
    last_ns_ = ns;
    in_a_row_short_ = ns < tiny_ns ? in_a_row_short_ + 1 : 0;
    in_a_row_long_ = ns > 4 * tiny_ns ? in_a_row_long_ + 1 : 0;
  }
  /// An expert's rule for calls that end before their tasks are sent anywhere: after 16 of them in a row they have the scheduler `plain`,
  /// and `usual` again when 4 in a row take four times as long as that. Measurements overrule it.
  void prefer_by_length(std::size_t plain, std::size_t usual) noexcept {
    if (is_on_trial_) return;
    if (why_ == evidence::first && in_a_row_short_ >= 16) prefer(plain, evidence::tiny);
    if (why_ == evidence::tiny && in_a_row_long_ >= 4) prefer(usual, evidence::first);
  }
  [[nodiscard]] bool is_tiny() const noexcept { return why_ == evidence::tiny; }
  /// True if the call that begins shall be timed: of tiny ones, for which two readings of the clock are much, one in 32.
  [[nodiscard]] bool times_this_call() noexcept {
    if (is_on_trial_ || calls_ < 64 || last_ns_ > tiny_ns || untimed_ == 31) return true;
    ++untimed_;
    return false;
  }
  /// True if its groups are worth a reading of the clock each, and the way through the policy.
  [[nodiscard]] bool is_long() const noexcept {
    return calls_ == 0 || call_ns_ / static_cast<double>(calls_) > long_ns;
  }
  /// For the next group.
  [[nodiscard]] std::size_t next() const noexcept { return is_on_trial_ ? trial_.of : best_; }
  /// An expert's rule: no trial was needed. Ends a trial.
  void prefer(std::size_t scheduler, evidence why) noexcept;

  [[nodiscard]] std::size_t best() const noexcept { return best_; }
  [[nodiscard]] evidence why() const noexcept { return why_; }
  [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }
  [[nodiscard]] double call_ns() const noexcept { return call_ns_; }
  /// Nanoseconds: of all groups; lost in trials.
  [[nodiscard]] double elapsed() const noexcept { return elapsed_; }
  [[nodiscard]] double spent() const noexcept { return spent_; }
  [[nodiscard]] std::uint64_t groups() const noexcept { return groups_; }
  [[nodiscard]] double mean() const noexcept { return groups_ == 0 ? 0 : elapsed_ / static_cast<double>(groups_); }
  [[nodiscard]] std::uint32_t trials() const noexcept;
  /// Of the change that made `best` the best: its time over that of the one before.
  [[nodiscard]] double gain() const noexcept { return gain_; }
  [[nodiscard]] bool is_on_trial() const noexcept { return is_on_trial_; }

  /// All but the code and the call's name. `schedulers`: their names, by their numbers.
  [[nodiscard]] call_choice choice(std::span<std::string_view const> schedulers) const;
  /// Goes on where an earlier run has stopped, whose choice this is. Before anything else; every name in it is one of `schedulers`.
  void remember(call_choice const& earlier, std::span<std::string_view const> schedulers) noexcept;

 private:
  struct mean_time {
    double recent = 0;  ///< ns; the last ones count most
    double usual = 0;   ///< ns; changes slowly
    std::uint32_t n = 0;
    void add(double ns) noexcept;
  };
  struct times {
    std::uint64_t shape = 0;
    std::array<mean_time, most_schedulers> under{};
  };
  struct trial {
    std::size_t of = 0;
    bool is_second_look = false;
    std::uint32_t warm = 0;  ///< groups that do not count yet
    std::uint32_t left = 0;  ///< groups that will count
    double took = 0;
    double usual = 0;  ///< of the same groups under the best
    double lost = 0;   ///< all groups of the trial
    double whole = 0;  ///< all groups of the trial under the best
    double allowed = 0;
  };

  [[nodiscard]] times* times_of(std::uint64_t shape) noexcept;
  void consider(std::size_t schedulers) noexcept;
  void go_on_with_trial(double ns, double usual) noexcept;
  void judge() noexcept;
  void fail_clearly() noexcept;
  void end_trial() noexcept;
  void notice_change(mean_time& of_best) noexcept;

  static constexpr double long_ns = 200'000;
  static constexpr double tiny_ns = 4'000;

  std::uint64_t calls_ = 0;
  std::uint64_t earlier_calls_ = 0;   ///< those of them in earlier runs
  double call_ns_ = 0;                ///< of them all
  double last_ns_ = 0;                ///< of the last one that was timed
  std::uint64_t untimed_ = 0;         ///< calls since then
  std::uint32_t in_a_row_short_ = 0;  ///< of the last calls that were timed
  std::uint32_t in_a_row_long_ = 0;
  std::size_t best_ = 0;
  evidence why_ = evidence::first;
  bool is_on_trial_ = false;
  trial trial_;
  std::uint32_t shapes_ = 0;
  std::uint32_t since_best_ = 0;  ///< groups under the best since the last trial, or the change of the best
  std::uint32_t aftermath_ = 0;   ///< groups under the best whose delay is a trial's
  std::uint32_t off_ = 0;         ///< consecutive groups that were far from usual
  std::uint64_t groups_ = 0;
  double elapsed_ = 0;
  double spent_ = 0;
  double gain_ = 1;
  std::uint32_t changes_ = 0;  ///< of the best one, by measurements
  std::uint64_t since_call_ = 1;
  std::uint64_t since_group_ = 1;
  std::array<std::uint32_t, most_schedulers> tried_{};      ///< trials since the program has last changed
  std::array<std::uint32_t, most_schedulers> all_tried_{};  ///< of all time
  std::array<double, most_schedulers> ratio_{};             ///< of the last trial: its time over that of the best
  std::array<times, most_shapes> known_{};
};

}}}}  // namespace skua::v0::policies::automatic
