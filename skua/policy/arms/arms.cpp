// SPDX-License-Identifier: MIT
#include "skua/policy/arms/arms.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/policy/greedy.hpp"

namespace skua { inline namespace v0 { namespace policies {
namespace arms {
namespace {

/// Members of teams wait in the inbox, and their partners for them. [arms-2021 3.2.1]
constexpr search_step own[] = {
    {lane::inbox}, {lane::spawned}, {lane::local, after_lost::same_lane}, {lane::migrated, after_lost::same_lane}};
constexpr search_step theirs[] = {
    {lane::migrated}, {lane::forks, after_lost::next_victim}, {lane::spawned, after_lost::next_victim}};
constexpr search_step own_again[] = {{lane::inbox}};
constexpr search_order order{.own = own, .theirs = theirs, .own_again = own_again, .injected_first_after_rest = true};

constexpr search_step own_nodes[] = {{lane::local, after_lost::same_lane}, {lane::migrated, after_lost::same_lane}};
constexpr search_step their_nodes[] = {{lane::migrated}};
constexpr search_order order_of_nodes{.own = own_nodes, .theirs = their_nodes};

/// With `critical=on`: a critical task that runs alone waits in the mailbox of its worker, or in `local`.
constexpr search_step own_critical[] = {{lane::inbox},
                                        {lane::mailbox},
                                        {lane::local, after_lost::same_lane},
                                        {lane::spawned},
                                        {lane::migrated, after_lost::same_lane}};
constexpr search_step theirs_critical[] = {{lane::mailbox},
                                           {lane::migrated},
                                           {lane::forks, after_lost::next_victim},
                                           {lane::spawned, after_lost::next_victim}};
constexpr search_order critical_order{
    .own = own_critical, .theirs = theirs_critical, .own_again = own_again, .injected_first_after_rest = true};

}  // namespace

common::common(layout const& map, partitions const& all_partitions, arms_options const& chosen)
    : worker_layout(map), all(all_partitions), options(chosen), addresses(map.workers()),
      choice(std::in_place_type<width_choice<history_model>>, all,
             chosen.model == arms_model::history ? addresses.bits() : 0, chosen.cost, chosen.measure),
      counts(std::size_t{map.workers()} * most_types * all.widths().size()), busy(busy_flag_of(map.workers())) {
  runtime::expects(all.workers() == map.workers(), "arms: partitions of the workers of this layout");
  if (chosen.model == arms_model::power_law)
    choice.emplace<width_choice<power_law_model>>(all, addresses.bits(), chosen.cost, chosen.measure);
}

worker_state::worker_state(common& shared, worker_id self, std::uint64_t seed)
    : common_(shared), self_(self), own_key_(shared.addresses.key_of(shared.addresses.middle_of(self, 1))),
      neighbours_(shared.all.neighbours(self)),
      is_choosy_(neighbours_.count < shared.worker_layout.workers() &&
                 (shared.options.idle_tries > 0 || shared.options.threshold > 0)),
      roll_(dice_of(seed, self)), round_(self, shared.options.nodes_only ? order_of_nodes
                                               : shared.options.critical ? critical_order
                                                                         : order) {}

// ---- where a task starts [arms-2021 3.1] -------------------------------------------------------------------------------

task_tag worker_state::mark(task_tag& parent, hint const& hint) noexcept {
  tag_fields child{.address = address_of_child(tag_fields::address_in(parent), hint)};
  if (hint.type) child.type = *hint.type;
  return child.written();
}

/// The child's own address, or its place's, or its parent's. Machines repeat an inherited place at every child, so a
/// place does not replace an address inside it.
std::optional<runtime::address> worker_state::address_of_child(std::optional<runtime::address> parent,
                                                               hint const& hint) const noexcept {
  if (hint.address) return *hint.address;
  if (!hint.place) return parent;
  if (index(*hint.place) >= common_.worker_layout.places()) return {};
  auto const there = common_.worker_layout.workers_of(*hint.place);
  if (parent && common_.worker_layout.place_of(common_.addresses.worker_of(*parent)) == *hint.place) return parent;
  return common_.addresses.middle_of(there.front(), static_cast<std::uint32_t>(there.size()));
}

placement worker_state::place(task_tag& task, cause why) noexcept {
  placement const own_inbox{.worker = self_, .lane = lane::inbox};
  switch (why) {
    case cause::forked: return {.worker = self_, .lane = lane::forks};
    case cause::bypassed: has_next_ = false; [[fallthrough]];
    case cause::preempted: return {.worker = self_, .lane = lane::migrated};
    case cause::released: return release(task);
    case cause::unblocked: return release_next(task);
    case cause::seeded: return start(task, {.worker = self_, .lane = lane::spawned});
    case cause::injected: {
      placement const to = start(task, own_inbox);
      return to.worker == self_ ? decide(task) : to;
    }
    case cause::stolen:
    case cause::chosen: return decide(task);
    case cause::next: has_next_ = false; return decide(task);
    case cause::refused: {
      tag_fields alone = tag_fields::read(task);
      if (alone.chosen && common_.all[*alone.chosen].width == 1) return send_behind_others(task);
      if (alone.chosen) alone.chosen = partition_id{index(self_)};
      task = alone.written();
      return own_inbox;
    }
    case cause::resumed:
    case cause::called: break;
  }
  return own_inbox;
}

/// The running task goes on, so thieves may take this one at once.
placement worker_state::release(task_tag& task) noexcept {
  if (common_.options.critical) {
    if (std::optional<placement> const best = send_critical(task)) return *best;
  }
  return start(task, {.worker = self_, .lane = tag_fields::has_type(task) ? lane::migrated : lane::spawned});
}

/// A task on the critical path goes to the partition that is globally best for its kind: its members enter the inboxes,
/// which come before all else. Not before the partitions around its data are measured; and one of 16 starts as others do, so that
/// they are measured again. [the authors' code: commit_and_wakeup]
std::optional<placement> worker_state::send_critical(task_tag& task) noexcept {
  tag_fields c = tag_fields::read(task);
  if (!c.type || (c.type->moldable & runtime::on_critical_path) == 0 || ++critical_ % 16 == 0) return {};
  c.key = key_of(c.address);
  task_kind const kind{.type = c.type->number, .key = c.key};
  worker_id const home = common_.addresses.worker_of(c.key);
  auto const around = allowed(*c.type, home);
  std::optional<partition_id> const best = common_.with_choice([&](auto const& choice) -> std::optional<partition_id> {
    if (!std::ranges::all_of(around, [&](partition_id p) { return choice.time_ns(kind, p) != 0; })) return {};
    return choice.least(kind, around);
  });
  if (!best) return {};
  partition const& p = common_.all[*best];
  // Whoever takes the task from a queue chooses again. A combined scheduler's mailboxes belong to its answer for forks.
  bool const is_queued = p.width == 1 && (p.leader == self_ || common_.options.nodes_only);
  c.chosen = is_queued ? std::nullopt : best;
  c.beside = is_beside(p);
  task = c.written();
  lane const where = p.width > 1 ? lane::inbox : is_queued ? lane::migrated : lane::mailbox;
  return placement{.worker = p.leader, .lane = where, .width = p.width};
}

/// The mailbox of the worker that a critical task was sent to holds another one.
placement worker_state::send_behind_others(task_tag& task) const noexcept {
  worker_id const leader = common_.all[*tag_fields::read(task).chosen].leader;
  tag_fields::forget_choice(task);
  return {.worker = leader, .lane = lane::migrated};
}

/// A node that has returned releases others. This worker runs the first of those that belong here next, from the lane
/// that no thief reads: a thief would only carry the data away. Partners, which check whether this worker is busy, may
/// take the others at once.
placement worker_state::release_next(task_tag& task) noexcept {
  placement const to = release(task);
  bool const is_first = common_.options.critical && tag_fields::read(task).is_critical();
  bool const is_next = (!has_next_ || is_first) && to.worker == self_ && to.lane == lane::migrated && to.width == 1;
  has_next_ |= is_next;
  be_busy(has_next_);
  return is_next ? placement{.worker = self_, .lane = lane::local} : to;
}

/// The worker that takes the task chooses its width. [arms-2021 3.2.1]
placement worker_state::start(task_tag& task, placement const& otherwise) noexcept {
  tag_fields::forget_choice(task);
  std::optional<runtime::address> const at = tag_fields::address_in(task);
  if (!at) return otherwise;
  return {.worker = common_.addresses.worker_of(*at), .lane = lane::migrated};
}

// ---- how wide it is [arms-2021 3.3.1] ----------------------------------------------------------------------------------

/// The inclusive partitions of a worker on which a task of this type may run, narrow ones first.
std::span<partition_id const> worker_state::allowed(runtime::task_type type, worker_id around) const noexcept {
  auto const mine = common_.all.inclusive(around);
  std::uint16_t const most = (type.moldable & 1) != 0 ? common_.options.width : std::uint16_t{1};
  auto const end = std::ranges::find_if(mine, [&](partition_id p) { return common_.all[p].width > most; });
  return mine.first(static_cast<std::size_t>(end - mine.begin()));
}

/// Data without an address are assumed to lie where the task is.
std::uint32_t worker_state::key_of(std::optional<runtime::address> at) const noexcept {
  return at ? common_.addresses.key_of(*at) : own_key_;
}

/// What the others of this partition do.
partners worker_state::partners_in(partition const& p) const noexcept {
  partners found;
  for (std::uint32_t w = index(p.leader); w < index(p.leader) + p.width; ++w) {
    if (w == index(self_)) continue;
    bool const away = common_.is_away(worker_id{w});
    found.away |= away;
    if (away || common_.is_busy(worker_id{w})) ++found.busy;
  }
  return found;
}

/// True if the time of a team that is formed now would tell how long its members' other work takes.
bool worker_state::is_beside(partition const& p) const noexcept {
  return common_.options.cost == cost::idle && p.width > 1 && partners_in(p).busy != 0;
}

/// This worker holds the task and chooses among its own partitions. A task without a type has no model and runs here.
placement worker_state::decide(task_tag& task) noexcept {
  if (!tag_fields::has_type(task)) return {.worker = self_, .lane = lane::inbox};
  tag_fields const c = tag_fields::read(task);
  std::uint32_t const key = key_of(c.address);
  auto const busy = [this](partition const& p) { return partners_in(p); };
  auto const from = allowed(*c.type);
  partition_id const chosen = common_.with_choice(
      [&](auto& choice) { return choice.choose({.type = c.type->number, .key = key}, from, busy); });
  partition const& p = common_.all[chosen];
  tag_fields::write_choice(task, chosen, key, is_beside(p));
  return {.worker = p.leader, .lane = lane::inbox, .width = p.width};
}

/// A task that failed has ended too early to teach its time.
void worker_state::ended_here(task_tag const& task, std::uint64_t duration_ns, bool failed) noexcept {
  tag_fields const c = tag_fields::read(task);
  if (!c.type || !c.chosen) return;
  partition const& p = common_.all[*c.chosen];
  task_kind const kind{.type = c.type->number, .key = c.key};
  if (duration_ns != unmeasured_ns && !failed) {
    common_.with_choice([&](auto& choice) {
      if (p.width == 1) return choice.learn(kind, *c.chosen, duration_ns);
      if (p.leader == self_ || common_.options.cost == cost::idle) choice.learn_of_member(kind, *c.chosen, duration_ns);
    });
  }
  if (p.leader != self_) return;
  std::size_t const count = common_.count_of(self_, c.type->number, common_.all.width_class(*c.chosen));
  common_.counts.set(count, common_.counts.get(count) + 1);
}

void worker_state::team_ended_here(policies::team_ended const& t) noexcept {
  tag_fields const c = tag_fields::read(t.task);
  if (!c.type || !c.chosen || c.beside) return;
  common_.with_choice(
      [&](auto& choice) { choice.learn({.type = c.type->number, .key = c.key}, *c.chosen, t.duration_ns); });
}

// ---- the search for tasks [arms-2021 3.3.2] ----------------------------------------------------------------------------

probe worker_state::next_probe() noexcept {
  probe const next = round_.chosen();
  judges_ = is_outside_ && next.kind == action::steal && (next.lane == lane::migrated || next.lane == lane::mailbox);
  return next;
}

/// Tries every neighbour once, from the next one on; then, after enough fruitless tries, one of the other workers.
std::optional<victim> worker_state::choose_victim(victim_request why) noexcept {
  if (why == victim_request::first) {
    has_next_ = false;  // a machine without memory may have put it elsewhere
    be_busy(false);
    visited_ = 0;
    fruitless_ += neighbours_.count == 1 ? 1 : 0;  // it has no neighbour to try
  } else {
    ++fruitless_;
  }
  is_outside_ = false;
  if (++visited_ < neighbours_.count) {
    std::uint32_t const at = index(self_) - index(neighbours_.first) + visited_;
    return victim{.worker = worker_id{index(neighbours_.first) + at % neighbours_.count}};
  }
  if (neighbours_.count == common_.worker_layout.workers() || fruitless_ < common_.options.idle_tries) return {};
  is_outside_ = true;
  return victim{.worker = outsider(), .is_last = true};
}

worker_id worker_state::outsider() noexcept {
  std::uint32_t const w = roll_.below(common_.worker_layout.workers() - neighbours_.count);
  return worker_id{w < index(neighbours_.first) ? w : w + neighbours_.count};
}

/// True if this worker may take a task that waits elsewhere: it is in the partition that is best for the task, or
/// enough attempts were rejected. [arms-2021 3.3.2]
bool worker_state::admits(std::uint64_t first_word) const noexcept {
  if (!judges_ || rejected_ >= common_.options.threshold) return true;
  tag_fields const c = tag_fields::read(first_word);
  if (!c.type || !c.address) return true;
  std::uint32_t const key = common_.addresses.key_of(*c.address);
  auto const home = common_.all.inclusive(common_.addresses.worker_of(key));
  return common_.with_choice(
      [&](auto const& choice) { return choice.is_in_least({.type = c.type->number, .key = key}, self_, home); });
}

void worker_state::learn(event const& seen) noexcept {
  if (auto const* p = std::get_if<probed>(&seen)) {
    if (p->outcome == runtime::outcome::got) {
      fruitless_ = rejected_ = 0;
      if (p->probe.lane == lane::local) has_next_ = false;
    }
    if (p->outcome == runtime::outcome::barred && judges_) ++rejected_;
    return round_.choose_next(*p, [this](victim_request why) { return choose_victim(why); });
  }
  if (std::holds_alternative<begun>(seen)) return be_busy(true);
  if (std::holds_alternative<found_beside>(seen)) {
    fruitless_ = rejected_ = 0;
    return round_.restart();
  }
  if (auto const* e = std::get_if<ended>(&seen)) {
    be_busy(has_next_);
    return ended_here(e->task, e->duration_ns, e->failed);
  }
  if (auto const* p = std::get_if<part_ended>(&seen)) return ended_here(p->task, p->duration_ns, p->failed);
  if (auto const* t = std::get_if<team_ended>(&seen)) team_ended_here(*t);
}

/// Other workers read the flag, so only changes are written.
void worker_state::be_busy(bool now) noexcept {
  if (is_busy_ == now) return;
  is_busy_ = now;
  common_.busy.set(common::busy_flag_of(index(self_)), now ? 1 : 0);
}

}  // namespace arms

adaptive_moldable::adaptive_moldable(layout const& where, std::uint64_t seed, arms_options const& chosen)
    : adaptive_moldable(where, arms::partitions(where), seed, chosen) {}

adaptive_moldable::adaptive_moldable(layout const& where, arms::partitions const& all, std::uint64_t seed,
                                     arms_options const& chosen)
    : shared_(where, all, chosen) {
  workers_state_.reserve(where.workers());
  for (std::uint32_t w = 0; w < where.workers(); ++w) workers_state_.emplace_back(shared_, worker_id{w}, seed);
}

std::vector<known_time> adaptive_moldable::known() const {
  std::vector<known_time> found;
  shared_.with_choice([&](auto const& choice) {
    choice.for_each_known([&](arms::task_kind kind, arms::partition_id p, std::uint64_t ns) {
      arms::partition const& on = shared_.all[p];
      found.push_back({.type = kind.type,
                       .address = shared_.addresses.middle_of_key(kind.key),
                       .leader = on.leader,
                       .width = on.width,
                       .ns = ns});
    });
  });
  return found;
}

void adaptive_moldable::remember(known_times const& earlier) {
  auto const& all = shared_.all;
  for (known_time const& t : earlier.all) {
    auto const is_of_it = [&](arms::partition_id p) { return all[p] == arms::partition{t.leader, t.width}; };
    auto const around =
        index(t.leader) < all.workers() ? all.inclusive(t.leader) : std::span<arms::partition_id const>{};
    auto const p = std::ranges::find_if(around, is_of_it);
    if (p == around.end()) {
      throw usage_error(std::string(earlier.source) + " has times of " + std::to_string(t.width) +
                        " workers from worker " + std::to_string(index(t.leader)) +
                        " on, which are no partition here; allowed: partitions as in the run that wrote it");
    }
    arms::task_kind const kind{.type = t.type, .key = shared_.addresses.key_of(t.address)};
    shared_.with_choice([&](auto& choice) {
      choice.learn(kind, *p, t.ns);
      choice.learn_of_member(kind, *p, t.ns);
    });
  }
}

std::uint64_t adaptive_moldable::ended(std::uint32_t type, std::uint16_t width) const noexcept {
  std::uint64_t sum = 0;
  for (std::uint32_t w = 0; w < shared_.all.workers(); ++w)
    sum += ended(type, arms::partition{.leader = worker_id{w}, .width = width});
  return sum;
}

std::uint64_t adaptive_moldable::ended(std::uint32_t type, arms::partition const& on) const noexcept {
  auto const widths = shared_.all.widths();
  auto const at = std::ranges::lower_bound(widths, on.width);
  if (at == widths.end() || *at != on.width || index(on.leader) >= shared_.all.workers()) return 0;
  return shared_.counts.get(shared_.count_of(on.leader, type, static_cast<std::uint32_t>(at - widths.begin())));
}

std::uint64_t adaptive_moldable::time_ns(std::uint32_t type, runtime::address data,
                                         arms::partition_id p) const noexcept {
  arms::task_kind const kind{.type = type, .key = shared_.addresses.key_of(data)};
  return shared_.with_choice([&](auto const& choice) { return choice.time_ns(kind, p); });
}

}}}  // namespace skua::v0::policies
