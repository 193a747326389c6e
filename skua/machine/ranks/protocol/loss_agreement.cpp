// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/protocol/loss_agreement.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

/// Numbers of steps wrap around.
bool is_before(std::uint32_t a, std::uint32_t b) noexcept { return static_cast<std::int32_t>(a - b) < 0; }

}  // namespace

std::uint32_t loss_agreement::ask(live_ranks const& live, rank_number me, known_of_rank own) {
  is_under_way_ = true;
  missing_.clear();
  live.each([&](rank_number r) { missing_.push_back(r); });
  asked_ = missing_;
  known_.clear();
  losses_.clear();
  dead_.clear();
  result_.reset();
  hear(me, ++question_, std::move(own));
  return question_;
}

void loss_agreement::hear(rank_number from, std::uint32_t question, known_of_rank known) {
  if (!is_under_way_ || question != question_ || std::erase(missing_, from) == 0) return;
  merge(known);
  known_.push_back(std::move(known));
}

/// What two ranks know of one step is the same; only of the dead one may know more.
void loss_agreement::merge(known_of_rank& known) {
  for (known_loss& l : std::exchange(known.losses, {})) {
    auto const at = std::ranges::find(losses_, l.step, &known_loss::step);
    if (at == losses_.end()) {
      losses_.push_back(std::move(l));
    } else if (at->dead.size() < l.dead.size()) {
      *at = std::move(l);
    }
  }
  if (known.result && (!result_ || is_before(result_->step, known.result->step))) result_ = std::move(known.result);
  known.result.reset();
  dead_.insert(dead_.end(), known.dead.begin(), known.dead.end());
}

std::vector<rank_number> loss_agreement::news() const {
  std::vector<rank_number> found;
  auto const note = [&](rank_number r) {
    if (std::ranges::find(asked_, r) != asked_.end() && std::ranges::find(found, r) == found.end()) found.push_back(r);
  };
  for (rank_number const r : dead_) note(r);
  for (known_loss const& l : losses_) {
    for (rank_number const r : l.dead) note(r);
  }
  return found;
}

/// The step to which a rank in this one comes with all that is known.
std::uint32_t loss_agreement::end_of(std::uint32_t step) const {
  while ((result_ && result_->step == step) || std::ranges::find(losses_, step, &known_loss::step) != losses_.end())
    ++step;
  return step;
}

loss_agreement::verdict loss_agreement::decide() const {
  verdict v;
  v.step = end_of(known_.front().step);
  v.losses = losses_;
  v.result = result_;
  for (known_of_rank const& k : known_) {
    if (std::uint32_t const comes_to = end_of(k.step); is_before(v.step, comes_to)) v.step = comes_to;
  }
  for (known_of_rank const& k : known_) {
    if (!k.hinders.empty()) v.hindrance = k.hinders;
    if (k.step == v.step && !k.hinders_here.empty()) v.hindrance = k.hinders_here;
    // A rank in a part may have all that it needs; else it will say so.
    if (end_of(k.step) != v.step && !k.is_in_part) v.hindrance = "what a call has returned on other ranks is lost";
  }
  return v;
}

}}}  // namespace skua::v0::ranks
