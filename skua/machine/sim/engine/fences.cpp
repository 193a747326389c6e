// SPDX-License-Identifier: MIT
// The costs of steals beyond their own steps: fences, and the interrupts of all other workers. Rules: heavy_fences.md.
#include <algorithm>

#include "skua/machine/sim/engine/engine.hpp"

namespace skua { inline namespace v0 { namespace sim {
namespace {

/// Lanes that are lock-free deques on threads; the others have locks.
bool is_deque(lane l) { return l == lane::forks || l == lane::spawned; }

}  // namespace

/// Without a price for heavy fences nothing below happens.
void engine::price_fences() {
  std::uint32_t const workers = layout_.workers();
  if (rules_.deques == deque_kind::owner_fences) {
    owner_fences_ = true;
    return;
  }
  if (prices_.price(0, operation::heavy_fence, worker_id{0}, worker_id{0}) == 0) return;
  delayed_.resize(workers);
  if (rules_.deques == deque_kind::biased) biases_.resize(workers);
}

// ---- heavy fences --------------------------------------------------------------------------------------------------

/// It reaches the processors of all workers that do not sleep.
tick engine::heavy_fence_length(worker_id w) {
  std::uint64_t const others = std::max<std::uint64_t>(2, layout_.workers() - idle_.asleep()) - 2;
  return prices_.price(now_, operation::heavy_fence, w, w) +
         others * prices_.price(now_, operation::heavy_fence_each, w, w);
}

/// Returns when the fence ends.
tick engine::fence_heavily(worker_id w) {
  ++result_.workers[index(w)].heavy_fences;
  return heavy_fences_.call(w, now_ + spent_, heavy_fence_length(w));
}

/// Other workers' fences have delayed the move of `w` that is due now. Returns false if that takes no time.
bool engine::interrupted(worker_id w, std::uint64_t times) {
  worker_counters& t = result_.workers[index(w)];
  t.interrupts += times;
  tick const lost = times * prices_.price(now_, operation::interrupt, w, w);
  if (lost == 0) return false;
  if (fiber_id const f = of(w).stack; f != no_fiber) {
    of(w).busy += lost;
    of(w).scheduling += lost;
    fibers_[f].ran += lost;
  }
  schedule(w, now_ + lost);
  return true;
}

// ---- steals --------------------------------------------------------------------------------------------------------

/// A steal from a deque whose owner takes entries without a fence has to wait before it may look.
bool engine::delays(worker_id w, worker_policy const& m, probe const& p) {
  using stage = delayed_steal::stage;
  if (delayed_.empty() || p.kind != action::steal || !is_deque(p.lane) || lanes_.empty(p.victim, p.lane)) return false;
  if (!m.admits(published_by(p.victim))) return false;
  if (!has_biases()) {
    delayed_[index(w)] = {.now = stage::fences, .probe = p, .since = now_};
    spent_ += fence_heavily(w) - now_;
    return true;
  }
  deque_bias& from = bias_of(p.victim, p.lane);
  if (from.now() != deque_bias::state::owner) return false;
  from.revoke(w);
  ++result_.workers[index(w)].revocations;
  delayed_[index(w)] = {.now = stage::asks, .probe = p, .since = now_};
  spent_ += heavy_fence_length(w);  // for as long as it waits for the answer: sync.hpp, await_briefly
  return true;
}

void engine::continue_steal(worker_id w) {
  using stage = delayed_steal::stage;
  delayed_steal& mine = delayed_[index(w)];
  probe const p = mine.probe;
  if (mine.now == stage::asks && is_being_revoked(p)) {
    mine.now = stage::fences;
    spent_ += fence_heavily(w) - now_;
    return;
  }
  mine.now = stage::none;
  if (has_biases()) bias_of(p.victim, p.lane).end_revocation();
  finish_probe(w, of_worker(w), p, now_ - mine.since);
}

/// The program has ended meanwhile.
void engine::give_up_steal(worker_id w) {
  if (delayed_.empty() || delayed_[index(w)].now == delayed_steal::stage::none) return;
  of_worker(w).learn(probed{delayed_[index(w)].probe, outcome::lost});
}

bool engine::is_being_revoked(probe const& p) {
  return has_biases() && is_deque(p.lane) && bias_of(p.victim, p.lane).now() == deque_bias::state::revoking;
}

void engine::taken_from_top(worker_id of, lane where) {
  if (has_biases()) bias_of(of, where).taken_from_top();
}

// ---- owners --------------------------------------------------------------------------------------------------------

/// The owner uses its deque, and notices a waiting thief.
void engine::touches_own(worker_id w, lane where) {
  if (!has_biases()) return;
  deque_bias& mine = bias_of(w, where);
  if (mine.now() != deque_bias::state::revoking) return;
  mine.answer();
  if (delayed_[index(mine.thief())].now == delayed_steal::stage::asks) schedule(mine.thief(), now_ + spent_);
}

/// The owner pops its newest entry; `got` is false if a thief took it.
void engine::pops_own(worker_id w, lane where, bool got) {
  touches_own(w, where);
  if (owner_fences_ && got) return pay(w, operation::fence);
  if (!has_biases() || !got || !bias_of(w, where).is_open()) return;
  pay(w, operation::fence);
  bias_of(w, where).popped();
}

}}}  // namespace skua::v0::sim
