// SPDX-License-Identifier: MIT
#include "skua/policy/automatic/call_site.hpp"

#include <algorithm>
#include <numeric>

namespace skua { inline namespace v0 { namespace policies { namespace automatic {
namespace {

constexpr double recent_weight = 0.25;
constexpr double usual_weight = 0.03;
constexpr double far = 1.5;            ///< times usual, or below usual by this factor
constexpr std::uint32_t in_a_row = 8;  ///< groups that are far from usual: the program has changed
constexpr std::uint32_t few = 4;       ///< groups per shape under the best before a trial
constexpr double looks_good = 1.03;    ///< of the time under the best: deserves a second look
constexpr double far_worse = 1.2;      ///< of the time under the best
constexpr double is_better = 0.97;     ///< after the second look
constexpr std::uint32_t longer = 3;    ///< the second look is so much longer than the first one

}  // namespace

void call_site::mean_time::add(double ns) noexcept {
  recent = n == 0 ? ns : recent + recent_weight * (ns - recent);
  usual = n < 8 ? (usual * n + ns) / (n + 1) : usual + usual_weight * (ns - usual);
  ++n;
}

call_site::times* call_site::times_of(std::uint64_t shape) noexcept {
  for (std::uint32_t i = 0; i < shapes_; ++i) {
    if (known_[i].shape == shape) return &known_[i];
  }
  if (shapes_ == most_shapes) return nullptr;
  known_[shapes_].shape = shape;
  return &known_[shapes_++];
}

std::uint32_t call_site::trials() const noexcept {
  return std::accumulate(all_tried_.begin(), all_tried_.end(), std::uint32_t{0});
}

void call_site::prefer(std::size_t scheduler, evidence why) noexcept {
  is_on_trial_ = false;
  if (best_ == scheduler) return;
  best_ = scheduler;
  why_ = why;
  since_best_ = 0;
  since_call_ = calls_ + 1;
  since_group_ = groups_ + 1;
}

void call_site::took(std::uint64_t shape, std::size_t scheduler, double ns, std::size_t schedulers) noexcept {
  ++groups_;
  elapsed_ += ns;
  times* const t = times_of(shape);
  if (t == nullptr) return;
  mean_time const& under_best = t->under[best_];
  double const usual = under_best.n == 0 ? ns : under_best.recent;
  double const before_trial = under_best.n == 0 ? ns : under_best.usual;
  t->under[scheduler].add(ns);
  if (is_on_trial_ && scheduler == trial_.of) return go_on_with_trial(ns, usual);
  if (scheduler != best_) return;
  if (aftermath_ > 0) {
    --aftermath_;
    spent_ += std::max(0.0, ns - before_trial);
  }
  notice_change(t->under[best_]);
  ++since_best_;
  if (!is_on_trial_) consider(schedulers);
}

/// The program has changed: what was learnt from trials may be wrong.
void call_site::notice_change(mean_time& of_best) noexcept {
  bool const is_off = of_best.recent > far * of_best.usual || of_best.recent * far < of_best.usual;
  off_ = is_off ? off_ + 1 : 0;
  if (off_ < in_a_row) return;
  off_ = 0;
  of_best.usual = of_best.recent;
  tried_ = {};
}

/// Begins a trial of the scheduler with the fewest ones, if what it may lose is within the budget: its groups may take twice as long, and
/// those after it likewise, whose data it has moved.
/// Each further trial of the same one must be worth four times as much.
void call_site::consider(std::size_t schedulers) noexcept {
  if (since_best_ < few * shapes_) return;
  double const budget = share_for_trials * elapsed_ - spent_;
  std::size_t chosen = schedulers;
  for (std::size_t i = 0; i < schedulers; ++i) {
    if (i != best_ && (chosen == schedulers || tried_[i] < tried_[chosen])) chosen = i;
  }
  if (chosen == schedulers) return;
  std::uint32_t const warm = shapes_;
  std::uint32_t const counted = std::max<std::uint32_t>(shapes_, 2);
  double const price = 2 * (warm + counted) * mean();
  if (budget < price * static_cast<double>(std::uint64_t{1} << std::min<std::uint32_t>(2 * tried_[chosen], 40))) return;
  ++tried_[chosen];
  ++all_tried_[chosen];
  is_on_trial_ = true;
  trial_ = {.of = chosen, .warm = warm, .left = counted, .allowed = budget};
}

void call_site::go_on_with_trial(double ns, double usual) noexcept {
  trial_.lost += ns - usual;
  trial_.whole += usual;
  if (trial_.lost > trial_.allowed) {
    ratio_[trial_.of] = (trial_.whole + trial_.lost) / trial_.whole;
    fail_clearly();
    return end_trial();
  }
  if (trial_.warm > 0) {
    --trial_.warm;
    return;
  }
  trial_.took += ns;
  trial_.usual += usual;
  if (--trial_.left == 0) judge();
}

void call_site::judge() noexcept {
  double const ratio = ratio_[trial_.of] = trial_.took / trial_.usual;
  if (!trial_.is_second_look && ratio < looks_good) {
    trial_.is_second_look = true;
    trial_.left = longer * std::max<std::uint32_t>(shapes_, 2);
    trial_.took = trial_.usual = 0;
    return;
  }
  if (ratio > far_worse) fail_clearly();
  if (!(ratio < is_better)) return end_trial();
  std::size_t const winner = trial_.of;
  end_trial();
  prefer(winner, evidence::measured);
  gain_ = ratio;
  ++changes_;
}

/// The best is the best by far: all others must be worth more before they are tried.
void call_site::fail_clearly() noexcept {
  for (std::uint32_t& n : tried_) ++n;
}

void call_site::end_trial() noexcept {
  spent_ += std::max(0.0, trial_.lost);
  is_on_trial_ = false;
  since_best_ = 0;
  aftermath_ = 2 * shapes_;
}

call_choice call_site::choice(std::span<std::string_view const> schedulers) const {
  call_choice c{.scheduler = std::string(schedulers[best_]),
                .why = why_,
                .since_call = since_call_,
                .since_group = since_group_,
                .calls = calls_,
                .earlier_calls = earlier_calls_,
                .calls_ns = call_ns_,
                .groups = groups_,
                .groups_ns = elapsed_,
                .lost_ns = spent_,
                .gain = gain_,
                .changes = changes_};
  for (std::size_t i = 0; i < schedulers.size(); ++i) {
    if (all_tried_[i] > 0 || tried_[i] > 0)
      c.others.push_back({std::string(schedulers[i]), all_tried_[i], tried_[i], ratio_[i]});
  }
  for (std::uint32_t i = 0; i < shapes_; ++i) {
    if (known_[i].under[best_].n > 0) c.shapes.push_back({known_[i].shape, known_[i].under[best_].usual});
  }
  return c;
}

void call_site::remember(call_choice const& earlier, std::span<std::string_view const> schedulers) noexcept {
  auto const number_of = [&](std::string const& name) {
    return static_cast<std::size_t>(std::ranges::find(schedulers, name) - schedulers.begin());
  };
  best_ = number_of(earlier.scheduler);
  why_ = earlier.why;
  since_call_ = earlier.since_call;
  since_group_ = earlier.since_group;
  calls_ = earlier_calls_ = earlier.calls;
  call_ns_ = earlier.calls_ns;
  groups_ = earlier.groups;
  elapsed_ = earlier.groups_ns;
  spent_ = earlier.lost_ns;
  gain_ = earlier.gain;
  changes_ = earlier.changes;
  for (call_choice::trials_of const& t : earlier.others) {
    std::size_t const i = number_of(t.scheduler);
    all_tried_[i] = t.trials;
    tried_[i] = t.since_change;
    ratio_[i] = t.ratio;
  }
  for (call_choice::shape const& s : earlier.shapes) {
    if (shapes_ == most_shapes) break;
    // As after `in_a_row` groups, so that a program that has changed is noticed.
    known_[shapes_].shape = s.number;
    known_[shapes_].under[best_] = {.recent = s.usual_ns, .usual = s.usual_ns, .n = in_a_row};
    ++shapes_;
  }
}

}}}}  // namespace skua::v0::policies::automatic
