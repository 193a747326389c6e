// SPDX-License-Identifier: MIT
#include "skua/policy/replay/replay.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "skua/parts/base/assert.hpp"
#include "skua/policy/greedy.hpp"

namespace skua::inline v0::policies {
namespace replay {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;  // why it is enough: `common`

constexpr std::uint64_t root_path = 0x5cb7'1e1d'0a3f'9241ULL;
constexpr std::uint64_t most_children = record::largest_value - 1;

/// Below the detail, where something was stolen, forks are exposed down to 2^deeper_bits times as many branches.
constexpr std::uint32_t deeper_bits = 3;

/// So many records may be thrown away because they stay uneven or cannot be measured.
constexpr std::uint32_t most_thrown_away = 2;

constexpr search_step own[] = {{lane::local}, {lane::spawned}, {lane::migrated}, {lane::inbox}};
constexpr search_step theirs[] = {{lane::local, after_lost::next_victim},
                                  {lane::forks, after_lost::next_victim},
                                  {lane::spawned, after_lost::next_victim},
                                  {lane::migrated, after_lost::next_victim}};
constexpr search_order order{.own = own, .theirs = theirs, .injected_first_after_rest = true};

replay_options with_detail(replay_options chosen, std::uint32_t workers) noexcept {
  if (chosen.detail == 0) chosen.detail = std::min<std::uint32_t>(20, 5U + std::bit_width(workers - 1));
  return chosen;
}

/// 64 entries per branch, because trees are not regular, and at most what a record can hold.
std::uint32_t bits_of(replay_options const& chosen) noexcept { return std::min<std::uint32_t>(24, chosen.detail + 6); }

/// Twice the branches of which steals are recorded, in each measured iteration; at most some megabytes.
std::size_t measured_entries(replay_options const& chosen, std::uint32_t workers) noexcept {
  if (!chosen.refines || workers == 1) return 0;
  return std::size_t{refinement::iterations} << std::min<std::uint32_t>(14, chosen.detail + 1);
}

}  // namespace

common::common(std::uint32_t n, replay_options const& chosen)
    : workers(n), options(with_detail(chosen, n)), recorded(bits_of(options)),
      measured(n, measured_entries(options, n)) {}

worker_state::worker_state(common& with, layout const& where, worker_id self, std::uint64_t seed)
    : with_(with), self_(self), roll_(dice_of(seed, self)), victims_(uniform_victims(self, where.workers())),
      round_(self, order) {
  if (with.options.near_first) victims_ = ring_victims(self, where, 1);
}

bool worker_state::is_strict() const noexcept { return with_.is_strict.load(relaxed); }

/// While steals are noted: down to where there are enough branches. In strict iterations: where the record has steals.
bool worker_state::exposes(tag_fields const& running) const noexcept {
  if (with_.workers == 1 || !running.is_tracked()) return false;
  if (running.what == kind::group || running.is_root) return true;
  if (is_strict() && !with_.is_watching.load(relaxed)) {
    auto const known = with_.recorded.find(key(fact::exposed, running.path));
    return known == stolen_below || (known == stolen_before_pruning && with_.now.load(relaxed) == phase::pruning);
  }
  return running.breadth <= with_.options.detail;
}

// ---- the tree of an iteration ----------------------------------------------------------------------------------------

std::uint16_t worker_state::ordinal_of(tag_fields const& task) const noexcept {
  return last_left_.path == task.path ? last_left_.next : task.ordinal;
}

task_tag worker_state::meet(task_tag const& task, double, std::uint64_t n) noexcept {
  tag_fields c = tag_fields::read(task);
  if (c.what == kind::group) c.what = kind::untracked;  // its parent's group was not exposed
  if (c.what != kind::task || c.is_open || n == 0) return c.written();
  std::uint16_t const ordinal = ordinal_of(c);
  if (c.is_root && ordinal == 0) begin_iteration();
  tag_fields g{.what = kind::group,
               .ordinal = ordinal,
               .owner = static_cast<std::uint16_t>(index(self_)),
               .path = mixed(mixed(c.path, ordinal), n) | 1,  // it is a first word as well: not 0
               .around = n};
  g.breadth = breadth_of(c, g.path, n);
  if (is_strict()) {
    bool const is_new = !with_.recorded.has_gaps() && !with_.recorded.find(key(fact::met, g.path));
    g.is_open = is_new || n > most_children;
    if (g.is_open) with_.has_open_work.store(true, relaxed);
  } else {
    g.is_open = n > most_children;
    with_.recorded.note(key(fact::met, g.path), 1);
    if (ordinal > 0 && !c.is_root) with_.recorded.note(key(fact::groups, c.path), ordinal + 1U, true);
  }
  g.last = with_.recorded.find(key(fact::last, g.path)).value_or(0);
  g.mine_again = mine_at_the_end(g);
  if (with_.now.load(relaxed) == phase::measuring) measure(c, g, n);
  return g.written();
}

/// In a measured iteration. A root never ends, so what it calls itself would not be measured: it sends all. Not if nobody else has
/// a child of the group: there is nothing to divide, and the order in which the root's worker runs them all would be another one.
void worker_state::measure(tag_fields const& task, tag_fields& group, std::uint64_t n) noexcept {
  if (!group.is_tracked()) return;
  with_.measured.groups.note({.path = group.path,
                              .task = task.path,
                              .around = task.around,
                              .task_index = task.index,
                              .last = group.last,
                              .met_by = index(self_)});
  if (!task.is_root) return;
  auto const of = children_of(group, n);
  if (!of.keeps) return;
  if (!of.divides || n > std::uint64_t{1} << with_.options.detail) {
    with_.cannot_measure.store(true, relaxed);
    return;
  }
  group.last = static_cast<std::uint32_t>(n + 1);
  group.mine_again = 0;
}

/// Of n children: does who meets the group call some itself, and does the record give some to others?
auto worker_state::children_of(tag_fields const& group, std::uint64_t n) const noexcept -> divided_children {
  divided_children found{.keeps = n > group.last};
  child_owners owners(with_.recorded, group.path, index(self_));
  for (std::uint32_t i = 0; i < group.last; ++i) {
    if (owners.next() != index(self_)) {
      found.divides = true;
    } else if (!sends_own(group, i)) {
      found.keeps = true;
    }
  }
  return found;
}

/// Of the children of a group, which counts for less where something was stolen deeper than we could see.
std::uint8_t worker_state::breadth_of(tag_fields const& task, std::uint64_t group_path,
                                      std::uint64_t n) const noexcept {
  std::uint32_t const detail = with_.options.detail;
  std::uint32_t const all = task.breadth + static_cast<std::uint32_t>(std::bit_width(n - 1));
  if (all > detail && task.breadth <= detail && with_.recorded.find(key(fact::deep, group_path)))
    return static_cast<std::uint8_t>(detail - std::min(detail, deeper_bits));
  return static_cast<std::uint8_t>(std::min<std::uint32_t>(255, all));
}

/// How many of the children before `last` are run by who meets the group, and followed only by such: pieces that came
/// home. They need not be sent.
std::uint16_t worker_state::mine_at_the_end(tag_fields const& group) const noexcept {
  child_owners owners(with_.recorded, group.path, index(self_));
  std::uint32_t others = 0;
  for (std::uint32_t i = 0; i < group.last; ++i) {
    if (owners.next() != index(self_)) others = i + 1;
  }
  if (owners.rest() != index(self_)) return 0;
  return static_cast<std::uint16_t>(std::min<std::uint32_t>(group.last - others, 65'535));
}

/// Is a child that is mine sent into my own lane, so that those after it are on their way before it runs?
bool worker_state::sends_own(tag_fields const& group, std::uint32_t child) noexcept {
  return child + 1 < group.last - group.mine_again;
}

/// The next child of a tracked group, with the worker that shall run it as its home.
tag_fields worker_state::marked(tag_fields& group) noexcept {
  tag_fields c{.what = kind::task,
               .breadth = group.breadth,
               .index = group.index,
               .path = mixed(group.path, group.index),
               .around = group.path};
  std::uint16_t runs = group.owner;
  if (group.index < group.last) {
    if (auto const thief = thief_of(with_.recorded, fact::rest, c.path)) {
      runs = group.owner = static_cast<std::uint16_t>(*thief);
      with_.placed.fetch_add(1, relaxed);
    }
    if (auto const thief = thief_of(with_.recorded, fact::child, c.path)) {
      runs = static_cast<std::uint16_t>(*thief);
      with_.placed.fetch_add(1, relaxed);
    }
  }
  c.home = runs;
  c.is_sent = runs != index(self_) || sends_own(group, group.index);
  ++group.index;
  return c;
}

task_tag worker_state::mark(task_tag& parent, hint const&) noexcept {
  tag_fields p = tag_fields::read(parent);
  switch (p.what) {
    case kind::unknown: note_blind_steal(p); return {};
    case kind::untracked: return parent;
    case kind::task: break;  // stolen where forks were not exposed
    case kind::group: {
      if (p.is_open) break;
      task_tag const child = marked(p).written();
      parent = p.written();
      return child;
    }
  }
  return tag_fields{.what = kind::untracked, .is_open = p.is_open}.written();
}

void worker_state::leave(task_tag const& task, task_tag const& group) noexcept {
  tag_fields const c = tag_fields::read(task);
  tag_fields const g = tag_fields::read(group);
  sees_ = exposes(c);
  if (c.what != kind::task || g.what != kind::group) return;
  std::uint32_t next = std::min<std::uint32_t>(g.ordinal + 1U, std::numeric_limits<std::uint16_t>::max());
  if (c.is_root && with_.options.groups != 0) next %= with_.options.groups;
  last_left_ = {.path = c.path, .next = static_cast<std::uint16_t>(next)};
  bool const is_pruning = with_.now.load(relaxed) == phase::pruning;
  if ((is_strict() && !is_pruning) || !g.is_tracked()) return;
  auto const has_pieces = [&] {
    if (with_.recorded.find(key(fact::last, g.path)).value_or(0) > 0) return true;
    if (g.breadth > with_.options.detail) return false;  // its children's forks were not exposed
    for (std::uint64_t i = 0; i < g.around; ++i) {
      if (with_.recorded.find(key(fact::exposed, mixed(g.path, i))) == stolen_below) return true;
    }
    return false;
  };
  if (has_pieces()) {
    with_.recorded.note(key(fact::exposed, c.path), stolen_below);
  } else if (is_pruning && g.ordinal == 0 && with_.recorded.find(key(fact::exposed, c.path))) {
    with_.recorded.note(key(fact::exposed, c.path), stolen_before_pruning);
  }
}

phase worker_state::phase_of(std::uint64_t number) const noexcept {
  if (number <= with_.options.relaxed) return phase::relaxed;
  std::uint64_t at = number - with_.options.relaxed - 1;
  if (!with_.options.refines || at >= 2 * refinement::period) return phase::strict;
  at %= refinement::period;
  if (at == refinement::first + refinement::iterations) return phase::pruning;
  return at >= refinement::first && at < refinement::first + refinement::iterations ? phase::measuring : phase::strict;
}

void worker_state::begin_record() noexcept {
  with_.recorded.forget();
  with_.measured.forget();
  with_.pieces.store(0, relaxed);
  with_.since_restart.store(0, relaxed);
  with_.cannot_measure.store(false, relaxed);
}

/// A record that stays uneven, or cannot be measured, is made anew, a few times: it can only be as fine as what was stolen.
void worker_state::refine(std::uint64_t number) noexcept {
  bool const is_second = number > with_.options.relaxed + refinement::period;
  bool const is_unknown = with_.cannot_measure.exchange(false, relaxed);
  if (is_unknown) {
    with_.measured.forget();
  } else {
    std::uint64_t const pieces = with_.measured.refine(with_.recorded, with_.pieces.load(relaxed));
    with_.pieces.store(pieces, relaxed);
    if (pieces > 0 && (!is_second || !with_.measured.is_uneven())) return;
  }
  bool const is_empty = with_.pieces.load(relaxed) == 0;  // nothing to follow: one worker would run all
  if (!is_empty && with_.records_thrown_away == most_thrown_away) return;
  ++with_.records_thrown_away;
  begin_record();
  with_.is_strict.store(false, relaxed);
  with_.now.store(phase::relaxed, relaxed);
  with_.since_restart.store(1, relaxed);  // this iteration
}

/// By who runs the root: nothing of the iteration before runs any more.
void worker_state::begin_iteration() noexcept {
  if (is_strict()) {
    bool const all_placed = with_.recorded.has_gaps() || with_.placed.load(relaxed) == with_.pieces.load(relaxed);
    if (!all_placed || with_.has_open_work.load(relaxed)) {
      begin_record();
      with_.restarts.fetch_add(1, relaxed);
    }
  }
  with_.placed.store(0, relaxed);
  with_.has_open_work.store(false, relaxed);
  if (with_.pieces.load(relaxed) == 0) with_.since_restart.store(0, relaxed);  // nothing to follow yet
  std::uint64_t const number = with_.since_restart.fetch_add(1, relaxed);
  with_.is_strict.store(number > with_.options.relaxed, relaxed);
  with_.now.store(phase_of(number), relaxed);
  if (with_.now.load(relaxed) == phase::pruning) refine(number);
  with_.is_watching.store(number % with_.options.watch == 0, relaxed);
  with_.iterations.fetch_add(1, relaxed);
}

// ---- whose is it? ----------------------------------------------------------------------------------------------------

placement worker_state::place(task_tag& task, cause why) noexcept {
  tag_fields c = tag_fields::read(task);
  placement const here{.worker = self_, .where = lane::inbox};
  switch (why) {
    case cause::forked:
      if (c.is_tracked() && c.is_sent) return {.worker = worker_id{c.home}, .where = lane::migrated};
      sees_ = exposes(c);  // it is called at once
      return {.worker = self_, .where = lane::local};
    case cause::stolen:
      if (!is_strict()) note_steal(c);
      (c.what == kind::group ? c.owner : c.home) = static_cast<std::uint16_t>(index(self_));
      task = c.written();
      return here;
    case cause::injected: return place_root(c, task, true);
    case cause::called: return place_root(c, task, index(self_) == 0);
    case cause::resumed: return place_resumed(c, task);
    case cause::released:
    case cause::seeded:
    case cause::preempted: return {.worker = self_, .where = lane::spawned};
    case cause::chosen:
    case cause::refused: break;
  }
  return here;
}

/// From now on this piece is mine, in every iteration.
void worker_state::note_steal(tag_fields const& c) noexcept {
  if (!c.is_tracked() || c.is_root) return;
  bool const is_rest = c.what == kind::group;
  std::uint64_t const path = is_rest ? mixed(c.path, c.index) : c.path;
  auto const how = with_.recorded.note(key(is_rest ? fact::rest : fact::child, path), index(self_));
  if (how == record::noted::not_at_all) return;
  if (how == record::noted::anew) with_.pieces.fetch_add(1, relaxed);
  with_.recorded.note(key(fact::last, is_rest ? c.path : c.around), c.index + 1, true);
}

/// Stolen where forks were not exposed: only the group around it is known. The next iteration exposes more of it, if it
/// still notes steals.
void worker_state::note_blind_steal(tag_fields const& c) noexcept {
  if (c.is_open || with_.since_restart.load(relaxed) > with_.options.relaxed) return;
  with_.recorded.note(key(fact::deep, c.around), 1);
}

/// A task from outside: the root, whose iterations are counted and which runs on worker 0, where nobody can steal it; or, while there is one, a task
/// of which nothing is noted.
placement worker_state::place_root(tag_fields& c, task_tag& task, bool may_be_root) noexcept {
  if (!with_.outside.begin(may_be_root)) {
    task = tag_fields{.is_open = true, .is_outside = true}.written();
    return {.worker = self_, .where = lane::inbox};
  }
  c = {.what = kind::task, .is_root = true, .is_outside = true, .path = root_path};
  task = c.written();
  return {.worker = worker_id{0}, .where = lane::inbox};
}

/// The root always goes on on worker 0. Strictly, a task that opens more groups goes on where it was to run, so that they
/// are met there; anything else goes on where it is ready, and needs nobody to come for it.
placement worker_state::place_resumed(tag_fields& c, task_tag& task) noexcept {
  placement const here{.worker = self_, .where = lane::inbox};
  if (c.what != kind::task || c.is_open) return here;
  bool const goes_home = c.is_root || (is_strict() && opens_more_groups(c));
  c.ordinal = ordinal_of(c);
  if (!goes_home) c.home = static_cast<std::uint16_t>(index(self_));
  task = c.written();
  if (c.home == index(self_)) return here;
  return {.worker = worker_id{c.home}, .where = c.is_root ? lane::inbox : lane::migrated};
}

/// After the one that it waited for, which has perhaps not been left yet.
bool worker_state::opens_more_groups(tag_fields const& task) const noexcept {
  std::uint32_t const next = last_left_.path == task.path ? last_left_.next : task.ordinal + 1U;
  return with_.recorded.find(key(fact::groups, task.path)).value_or(1) > next;
}

// ---- the search for tasks --------------------------------------------------------------------------------------------------------

bool worker_state::admits(std::uint64_t first_word) const noexcept { return first_word == 0 || !is_strict(); }

bool worker_state::may_steal() const noexcept {
  return !is_strict() || with_.has_open_work.load(relaxed) || with_.outside.any_free();
}

probe worker_state::next_probe() noexcept { return round_.next(); }

std::optional<victim> worker_state::choose_victim(victim_request why) noexcept {
  if (!may_steal()) return {};
  return std::visit([&](auto& choice) { return next_victim(choice, why, roll_); }, victims_);
}

void worker_state::learn(event const& seen) noexcept {
  if (auto const* p = std::get_if<probed>(&seen)) {
    round_.learn(*p, [this](victim_request why) { return choose_victim(why); });
  } else if (auto const* b = std::get_if<begun>(&seen)) {
    sees_ = exposes(tag_fields::read(b->task));
    last_left_ = {};  // its ordinal is on its tag
  } else if (std::holds_alternative<returned>(seen)) {
    sees_ = true;  // its siblings were exposed, and so is the rest of them
  } else if (auto const* e = std::get_if<ended>(&seen)) {
    tag_fields const c = tag_fields::read(e->task);
    if (with_.now.load(relaxed) == phase::measuring && c.what == kind::task && c.is_tracked() && !c.is_root) {
      with_.measured.children.note({.path = c.path, .around = c.around, .index = c.index, .ns = e->duration_ns});
    }
    outside_ended(c);
  }
}

void worker_state::outside_ended(tag_fields const& c) noexcept {
  if (!c.is_outside) return;
  c.is_root ? with_.outside.root_ends() : with_.outside.free_ends();
}

}  // namespace replay

replaying::replaying(layout const& where, std::uint64_t seed, replay_options const& chosen)
    : shared_(where.workers(), chosen) {
  workers_state_.reserve(where.workers());
  for (std::uint32_t w = 0; w < where.workers(); ++w) workers_state_.emplace_back(shared_, where, worker_id{w}, seed);
}

replay_status replaying::status() const noexcept {
  return {.iterations = shared_.iterations.load(std::memory_order_relaxed),  // relaxed, all: counts
          .restarts = shared_.restarts.load(std::memory_order_relaxed),
          .pieces = shared_.pieces.load(std::memory_order_relaxed),
          .is_strict = shared_.is_strict.load(std::memory_order_relaxed),
          .has_gaps = shared_.recorded.has_gaps()};
}

}  // namespace skua::inline v0::policies
