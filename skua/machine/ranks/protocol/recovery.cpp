// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/protocol/recovery.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace skua { inline namespace v0 { namespace ranks {

namespace {

struct taken_entry {
  std::uint64_t number;
  std::uint64_t hop;
};

void append(task_bytes& to, void const* from, std::size_t n) {
  auto const* const first = static_cast<std::byte const*>(from);
  to.insert(to.end(), first, first + n);
}

void append_taken(task_bytes& to, taken_tasks const& all) {
  for (auto const& [number, hop] : all) {
    taken_entry const e{number, hop};
    append(to, &e, sizeof e);
  }
}

void merge(taken_tasks& into, std::span<std::byte const> entries) {
  for (std::size_t at = 0; at + sizeof(taken_entry) <= entries.size(); at += sizeof(taken_entry)) {
    taken_entry e;
    std::memcpy(&e, entries.data() + at, sizeof e);
    std::uint64_t& hop = into[e.number];
    hop = std::max(hop, e.hop);
  }
}

std::vector<rank_number> ranks_in(std::span<std::byte const> body) {
  std::vector<rank_number> all(body.size() / sizeof(rank_number));
  std::memcpy(all.data(), body.data(), all.size() * sizeof(rank_number));
  return all;
}

}  // namespace

void recovery::begin() { send_seeds(); }

void recovery::send_seeds() {
  rank_number const keeper = live_.after(rank_);
  if (keeper != rank_) site_.send_recovery(keeper, kind::seeds, generation_, log_.seeds());
}

/// A copy of an older generation lacks the tasks that its owner has taken over since.
std::vector<rank_number> recovery::kept_here(std::uint16_t generation) const {
  std::vector<rank_number> kept;
  for (rank_number const d : live_.dead()) {
    if (log_.keeps(d, generation)) kept.push_back(d);
  }
  return kept;
}

void recovery::suspend() {
  ++generation_;
  site_.suspend(live_);
}

void recovery::lose(rank_number rank) {
  if (!live_.remove(rank)) return;
  suspend();
  lost_.insert(rank);
  missing_.clear();
  kept_.clear();
  auto const dead = std::as_bytes(live_.dead());
  live_.each([&](rank_number r) {
    if (r == rank_) return;
    missing_.insert(r);
    site_.send_recovery(r, kind::lost, generation_, dead, resumed_);
  });
  taken_ = log_.taken_from_dead(live_);
  for (rank_number const d : kept_here(resumed_)) kept_.insert(d);
  finish_if_complete();
}

void recovery::on_message(message const& m) {
  switch (m.head.kind) {
    case kind::seeds: return log_.keep(m.head.sender, m.head.flags, m.body);
    case kind::lost: return hear_lost(m);
    case kind::taken: return hear_taken(m);
    case kind::again:
      if (m.head.flags == generation_ && is_suspended()) resume(m.body);
      return;
    default: return;
  }
}

/// An "again" of an older generation may arrive after this message, which is newer.
void recovery::hear_lost(message const& m) {
  if (m.head.flags <= generation_) return;
  for (rank_number const d : ranks_in(m.body)) live_.remove(d);
  generation_ = static_cast<std::uint16_t>(m.head.flags - 1);
  suspend();
  task_bytes reply;
  std::vector<rank_number> const kept = kept_here(static_cast<std::uint16_t>(m.head.a));
  std::uint64_t const n = kept.size();
  append(reply, &n, sizeof n);
  append(reply, kept.data(), kept.size() * sizeof(rank_number));
  append_taken(reply, log_.taken_from_dead(live_));
  site_.send_recovery(m.head.sender, kind::taken, generation_, reply);
}

void recovery::hear_taken(message const& m) {
  if (m.head.flags != generation_ || missing_.erase(m.head.sender) == 0) return;
  std::uint64_t n = 0;
  std::memcpy(&n, m.body.data(), sizeof n);
  auto const ranks = m.body.subspan(sizeof n, n * sizeof(rank_number));
  for (rank_number const d : ranks_in(ranks)) kept_.insert(d);
  merge(taken_, m.body.subspan(sizeof n + ranks.size()));
  finish_if_complete();
}

bool recovery::every_loss_has_a_copy() {
  auto const bare = std::ranges::find_if(lost_, [&](rank_number d) { return !kept_.contains(d); });
  if (bare == lost_.end()) return true;
  site_.broken("rank " + std::to_string(*bare) + " died, and no rank that lives has a copy of its tasks");
  return false;
}

void recovery::finish_if_complete() {
  if (!missing_.empty() || !every_loss_has_a_copy()) return;
  lost_.clear();
  task_bytes all;
  append_taken(all, taken_);
  live_.each([&](rank_number r) {
    if (r != rank_) site_.send_recovery(r, kind::again, generation_, all);
  });
  resume(all);
}

void recovery::resume(std::span<std::byte const> body) {
  resumed_ = generation_;
  taken_tasks elsewhere;
  merge(elsewhere, body);
  task_bytes const run = log_.run_again(live_, std::move(elsewhere));
  site_.resume(generation_, run);
  send_seeds();
}

}}}  // namespace skua::v0::ranks
