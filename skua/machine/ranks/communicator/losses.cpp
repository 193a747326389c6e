// SPDX-License-Identifier: MIT
// What a communicator does when a rank dies. protocol/recovery.md has the states.
#include <string>
#include <utility>
#include <vector>

#include "skua/machine/ranks/communicator/communicator_core.hpp"
#include "skua/machine/ranks/communicator/elementwise.hpp"
#include "skua/machine/ranks/communicator/sent_values.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

/// The body of kind::dead.
struct told_loss {
  std::vector<rank_number> dead;  ///< all that have died
  std::string why;                ///< the last one has
  std::vector<known_loss> losses;
  std::optional<known_result> result;

  template <class Archive>
  void serialize(Archive& a) {
    a(dead, why, losses, result);
  }
};

constexpr std::uint64_t stuck_for_ns = 2'000'000'000;

std::vector<rank_number> list_of(std::span<rank_number const> dead) { return {dead.begin(), dead.end()}; }

}  // namespace

void communicator_core::look() {
  if (broken_) throw_broken();
  std::uint64_t const now_ns = network_->now_ns();
  for (liveness::death const& d : watch_->look(now_ns, live_)) lose(d);
  bool const recovers = processing_ != nullptr && processing_->is_recovering();
  if (!recovers) {
    recovers_since_ns_ = 0;
  } else if (recovers_since_ns_ == 0) {
    recovers_since_ns_ = now_ns;
  } else if (leads() && now_ns - recovers_since_ns_ > 4 * deadline_ns_) {
    give_up("a rank died, and not all others answered in time to mend that");
  }
  if (broken_) throw_broken();
}

void communicator_core::lose(liveness::death const& d) {
  std::string const what = "rank " + std::to_string(d.rank) + " died: " + d.reason;
  watch_->suspect(d.rank);
  if (!leads() && !agreement_.is_under_way()) return lose_leader(d.rank, what);
  std::erase_if(losses_, [&](loss const& l) { return call_order::is_before(l.step, order_.step()); });
  if (agreement_.is_under_way() || !losses_.empty()) {  // some ranks may be in other steps than this one
    asks_for_ = {d.rank, what};
    drop_from(d.rank);
    return ask_all();
  }
  live_.remove(d.rank);
  network_->abandon(d.rank);
  lose_windows();
  if (goes_on_) all_.send_last_result();
  bool const mends = processing_ != nullptr && processing_->lose(d.rank);
  if (!mends && !tell_loss(d.rank, what)) give_up(d.rank, what);
}

/// Its successor asks what the others know; every other rank watches the successor from now on.
void communicator_core::lose_leader(rank_number dead, std::string const& why) {
  bool const succeeds = watch_->leader_among(live_) == network_->rank();
  if (goes_on_ && order_.what() != operation::end) {
    if (!succeeds) return;
    asks_for_ = {dead, why};
    live_.each([&](rank_number r) {
      if (r < network_->rank()) drop_from(r);
    });
    return ask_all();
  }
  std::string const ends = why + "; without rank " + std::to_string(dead) + " the job cannot go on";
  if (succeeds) {
    give_up(dead, ends);
  } else if (!broken_) {
    broken_.emplace(dead, ends);
  }
}

/// What it sent does not count any more: so what this rank knows of its step is what it says.
void communicator_core::drop_from(rank_number dead) {
  if (watch_) watch_->suspect(dead);
  if (!heard_.remove(dead)) return;
  all_.drop_from(dead);
  office_.drop_from(dead);
}

known_result communicator_core::result_of(process_engine const& engine) const {
  known_result left;
  left.step = engine.epoch();
  left.of_process = true;
  if (engine.failed()) {
    left.failed = std::uint64_t{engine.failed()->rank} + 1;
    left.body = bytes_of(std::as_bytes(std::span(engine.failed()->message)));
  }
  return left;
}

known_of_rank communicator_core::known_here() const {
  bool const has_left = processing_ != nullptr && processing_->end().left();
  known_of_rank k;
  k.step = order_.step() + (has_left ? 1 : 0);
  k.is_in_part = order_.is_part();
  k.losses = known_;
  k.result = has_left ? result_of(*processing_) : all_.last_result();
  k.dead = list_of(live_.dead());
  if (order_.is_part()) {
    k.hinders_here = "it was in a call that others had left";
  } else if (order_.what() == operation::end) {
    k.hinders_here = "the session was at its end";
  } else if (!has_left && processing_ != nullptr && !processing_->recovers()) {
    k.hinders_here = "within process() of a collection that cannot recover";
  }
  if (windows_->is_used()) k.hinders = "its part of the distributed matrices is lost";
  if (!goes_on_) k.hinders = "not every rank has a collection that recovers";
  return k;
}

/// Asks anew if a rank dies meanwhile, or had died: the others answer again without what it had sent.
void communicator_core::ask_all() {
  for (rank_number const d : live_.dead()) drop_from(d);
  message_header h;
  h.kind = kind::ask;
  h.a = agreement_.ask(heard_, network_->rank(), known_here());
  h.b = order_.step();
  bytes const body = written(list_of(heard_.dead()));
  heard_.each([&](rank_number r) {
    if (r != network_->rank()) network_->send(r, h, body);
  });
  conclude();
}

/// Results of steps before the leader's are of no use to it.
void communicator_core::hear_question(message const& m) {
  for (rank_number const d : read_value<std::vector<rank_number>>(m.body)) drop_from(d);
  if (broken_) return send_broken(m.head.sender);
  known_of_rank k = known_here();
  if (k.result && call_order::is_before(k.result->step, static_cast<std::uint32_t>(m.head.b))) k.result.reset();
  message_header h;
  h.kind = kind::known;
  h.a = m.head.a;
  network_->send(m.head.sender, h, written(k));
}

void communicator_core::hear_answer(message const& m) {
  agreement_.hear(m.head.sender, static_cast<std::uint32_t>(m.head.a), read_value<known_of_rank>(m.body));
  conclude();
}

/// Every rank that lives has answered: none leaves its step with anything that is not known now.
void communicator_core::conclude() {
  if (!agreement_.is_under_way() || !agreement_.is_complete()) return;
  if (auto const news = agreement_.news(); !news.empty()) {
    for (rank_number const d : news) drop_from(d);
    return ask_all();
  }
  loss_agreement::verdict v = agreement_.decide();
  agreement_.end();
  auto const& [dead, why] = asks_for_;
  told_loss told{list_of(heard_.dead()), why, std::move(v.losses), std::move(v.result)};
  bury(told.dead);
  if (!v.hindrance.empty()) return give_up(dead, why + "; " + v.hindrance);
  message_header h;
  h.kind = kind::dead;
  h.sender = network_->rank();
  h.a = v.step;
  h.b = dead;
  bytes const body = written(told);
  heard_.each([&](rank_number r) {
    if (r != network_->rank()) network_->send(r, h, body);
  });
  hear_dead({h, body});
}

/// The leader is in a step, and every live rank has left the one before, or leaves it with the result that the leader has: all throw in this step, which
/// none can leave without the leader. False: the ranks could throw in different calls, or something is lost that no copy has.
bool communicator_core::tell_loss(rank_number dead, std::string const& why) {
  bool const is_late = processing_ != nullptr && processing_->end().left();
  bool const recovers = processing_ == nullptr || processing_->recovers();
  if (!goes_on_ || !recovers || windows_->is_used() || order_.is_part() || order_.what() == operation::end)
    return false;
  std::uint32_t const step = order_.step() + (is_late ? 1 : 0);
  note_loss({step, dead, list_of(live_.dead()), why});
  told_loss told{list_of(live_.dead()), why, {}, {}};
  if (auto const& last = all_.last_result(); last && last->of_process) told.result = last;
  bytes const body = written(told);
  message_header h;
  h.kind = kind::dead;
  h.a = step;
  h.b = dead;
  live_.each([&](rank_number r) {
    if (r != network_->rank()) network_->send(r, h, body);
  });
  return true;
}

void communicator_core::hear_dead(message const& m) {
  auto told = read_value<told_loss>(m.body);
  bury(told.dead);
  for (known_loss const& l : told.losses) note_loss(l);
  note_loss({static_cast<std::uint32_t>(m.head.a), static_cast<rank_number>(m.head.b), std::move(told.dead), told.why});
  if (!told.result) return;
  known_result const& r = *told.result;
  if (!r.of_process) return all_.hear_result(r);
  if (processing_ == nullptr || processing_->epoch() != r.step) return;
  processing_->leave_as(r.failed == 0
                            ? std::nullopt
                            : std::optional(process_failure{static_cast<rank_number>(r.failed - 1), text_of(r.body)}));
}

void communicator_core::bury(std::vector<rank_number> const& dead) {
  for (rank_number const d : dead) {
    if (live_.remove(d)) network_->abandon(d);
  }
  lose_windows();
}

/// Once for each step, unless more ranks have died in it since.
void communicator_core::note_loss(known_loss const& l) {
  auto const at = std::ranges::find(known_, l.step, &known_loss::step);
  if (at != known_.end() && at->dead.size() >= l.dead.size()) return;
  if (at != known_.end()) {
    *at = l;
  } else {
    known_.push_back(l);
  }
  losses_.push_back({l.step, rank_lost(l.last, l.why, true)});
}

void communicator_core::throw_loss_of_this_step(std::uint64_t now_ns) {
  std::erase_if(losses_, [&](loss const& l) { return call_order::is_before(l.step, order_.step()); });
  if (losses_.empty()) return;
  auto const at = std::ranges::find(losses_, order_.step(), &loss::step);
  if (at != losses_.end()) {
    loss const found = *at;
    std::erase_if(losses_, [&](loss const& l) { return l.step == order_.step(); });
    order_.note_failure({.reporter = all_.first(), .text = found.what.what(), .is_death = true});
    throw rank_lost(found.what);
  }
  // The others have left this part of a call: what is still missing is the dead rank's.
  stuck_since_ns_ = !order_.is_part() ? 0 : stuck_since_ns_ == 0 ? now_ns : stuck_since_ns_;
  if (stuck_since_ns_ == 0 || now_ns - stuck_since_ns_ < stuck_for_ns) return;
  give_up(losses_.front().what.rank(),
          std::string(losses_.front().what.what()) + "; it was in a call that others had left");
  throw_broken();
}

void communicator_core::expect_no_loss_in_next_step(collective_call const& call) {
  if (std::ranges::find(losses_, order_.step() + 1, &loss::step) == losses_.end()) return;
  order_.begin(call);
  expect_no_loss();
}

void communicator_core::mended(live_ranks const& live) { bury(list_of(live.dead())); }

void communicator_core::give_up(std::string const& why) {
  give_up(live_.dead().empty() ? 0 : live_.dead().back(), why);
}

void communicator_core::cannot_mend(std::string const& why) {
  if (!tell_loss(live_.dead().back(), why)) give_up(why);
}

void communicator_core::end_by_loss(rank_number dead, std::string const& why) {
  if (!broken_) broken_.emplace(dead, why);
  throw_broken();
}

void communicator_core::give_up(rank_number dead, std::string const& why) {
  if (broken_) return;
  broken_.emplace(dead, why);
  live_.each([&](rank_number r) { send_broken(r); });
}

/// Tells a rank that was given up, and sends messages all the same, that the job is broken. Sends nothing to this rank
/// itself.
void communicator_core::send_broken(rank_number to) {
  if (to == network_->rank()) return;
  message_header h;
  h.kind = kind::broken;
  h.a = broken_ ? broken_->rank() : to;
  std::string const why =
      broken_ ? broken_->what() : "this rank was silent for too long, and the others go on without it";
  network_->send(to, h, std::as_bytes(std::span(why)));
}

}}}  // namespace skua::v0::ranks
