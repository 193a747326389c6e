// SPDX-License-Identifier: MIT
#include "skua/policy/replay/rehearsal.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace skua { inline namespace v0 { namespace policies { namespace replay {

rehearsal::rehearsal(std::uint32_t workers, std::size_t pieces) {
  workers_.resize(workers);
  ends_.reserve(workers);
  for (auto* each : {&pending_, &next_, &opened_, &inside_}) each->resize(pieces + 1);
  waits_.resize(pieces + 1);
}

std::uint64_t rehearsal::time_of(std::span<piece const> all, std::span<piece_group const> groups,
                                 std::uint32_t root_groups) noexcept {
  all_ = all;
  groups_ = groups;
  root_groups_ = root_groups;
  now_ = 0;
  std::ranges::fill(workers_, worker{});
  std::ranges::fill(opened_, 0);
  std::ranges::fill(inside_, no_group);
  std::ranges::fill(waits_, 0);
  ready(0, static_cast<std::uint32_t>(all_.size()), &worker::resumed);
  while (!ends_.empty()) {
    std::ranges::pop_heap(ends_, std::greater{}, &end::time);
    end const e = ends_.back();
    ends_.pop_back();
    now_ = e.time;
    segment_ends(e.worker, workers_[e.worker].runs);
  }
  return now_;
}

void rehearsal::ready(std::uint32_t w, std::uint32_t p, queue worker::* lane) noexcept {
  queue& q = workers_[w].*lane;
  next_[p] = no_piece;
  (q.first == no_piece ? q.first : next_[q.last]) = p;
  q.last = p;
  run_next(w);
}

/// Does nothing if the worker is busy.
void rehearsal::run_next(std::uint32_t w) noexcept {
  worker& me = workers_[w];
  if (me.runs != no_piece) return;
  queue& from = me.resumed.first != no_piece ? me.resumed : me.sent;
  if (from.first == no_piece) return;
  std::uint32_t const p = me.runs = std::exchange(from.first, next_[from.first]);
  // A piece with groups comes back, or opens the first one at once.
  run_for(w, price + (groups_of(p) > 0 || p == all_.size() ? 0 : all_[p].weight));
}

void rehearsal::run_for(std::uint32_t w, std::uint64_t ns) noexcept {
  ends_.push_back({now_ + ns, w});
  std::ranges::push_heap(ends_, std::greater{}, &end::time);
}

std::uint32_t rehearsal::first_group_of(std::uint32_t p) const noexcept {
  return p == all_.size() ? 0 : all_[p].first_group;
}

std::uint32_t rehearsal::groups_of(std::uint32_t p) const noexcept {
  if (p == all_.size()) return root_groups_;
  return all_[p].status == piece::state::whole ? 0 : all_[p].groups;
}

/// The piece opens its next group, must wait before that, or has ended. Its own time is spread evenly over its groups,
/// and comes after each of them has been sent: children that it calls take most of it.
void rehearsal::segment_ends(std::uint32_t w, std::uint32_t p) noexcept {
  bool const waits = !goes_on(p);
  if (!waits && opened_[p] < groups_of(p)) {
    std::uint32_t const opened = inside_[p] = first_group_of(p) + opened_[p]++;
    piece_group const& g = groups_[opened];
    pending_[opened] = g.pieces;
    for (std::uint32_t const c : g.members()) ready(all_[c].worker(), c, &worker::sent);
    return run_for(w, p == all_.size() ? 0 : all_[p].ns / all_[p].groups);
  }
  waits_[p] = waits;
  if (!waits) has_ended(p);
  workers_[w].runs = no_piece;
  run_next(w);
}

/// Leaves groups that have ended, until the next group is inside the group that is open. Returns false if it must wait.
bool rehearsal::goes_on(std::uint32_t p) noexcept {
  std::uint32_t const next = first_group_of(p) + opened_[p];
  bool const has_next = opened_[p] < groups_of(p);
  while (inside_[p] != no_group && !(has_next && groups_[next].inside == inside_[p])) {
    if (pending_[inside_[p]] > 0) return false;
    inside_[p] = groups_[inside_[p]].inside;
  }
  return true;
}

void rehearsal::has_ended(std::uint32_t p) noexcept {
  auto const root = static_cast<std::uint32_t>(all_.size());
  if (p == root) return;
  --pending_[all_[p].group];
  std::uint32_t const parent = std::min(groups_[all_[p].group].parent, root);
  if (waits_[parent] == 0 || !goes_on(parent)) return;
  waits_[parent] = 0;
  ready(parent == root ? 0 : all_[parent].worker(), parent, &worker::resumed);
}

}}}}  // namespace skua::v0::policies::replay
