// SPDX-License-Identifier: MIT
#include "skua/policy/combined/combined.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "skua/policy/greedy.hpp"

namespace skua { inline namespace v0 { namespace policies {
namespace combined {
namespace {

constexpr search_step own[] = {{lane::ordered}};
constexpr search_step theirs[] = {{lane::ordered, after_lost::next_victim, amount::half_work}};
constexpr search_order order{.own = own, .theirs = theirs};

/// Of so many searches of a worker, one begins with its own lanes for forks and one with those for nodes: no kind of task
/// waits behind a stream of another kind for ever.
constexpr std::uint32_t turns = 32;

/// Of so many steals of the answer for forks, one is a look for a task with a strategy instead.
constexpr std::uint32_t steals_per_look = 3;

/// The answer for nodes calls its lanes `local` and `migrated`, as policies do that have a machine for themselves.
lane of_machine(lane l) noexcept {
  if (l == lane::local) return lane::next;
  return l == lane::migrated ? lane::nodes : l;
}
lane of_nodes(lane l) noexcept {
  if (l == lane::next) return lane::local;
  return l == lane::nodes ? lane::migrated : l;
}

/// The part of a tag that belongs to the answer for nodes, as a tag.
task_tag node_tag(task_tag const& t) noexcept { return {{t.node[0], t.node[1]}}; }
void set_node_tag(task_tag& t, task_tag const& its) noexcept {
  t.node[0] = its.words[0];
  t.node[1] = its.words[1];
}

/// As the machine asks: needs.hpp, which_tasks::nodes.
bool is_node(hint const& hint) noexcept {
  return asks_about(which_tasks::nodes, hint.address.has_value(), hint.type && ((*hint.type).moldable & 1) != 0);
}

}  // namespace

// ---- the search for tasks with a strategy ------------------------------------------------------------------------------

ordered_search::ordered_search(worker_id self, layout const& where, std::uint64_t seed)
    : roll_(dice_of(~seed, self)), victims_(self, where), round_(self, order) {}

void ordered_search::learn(probed const& seen) noexcept {
  round_.choose_next(seen, [this](victim_request why) { return next_victim(victims_, why, roll_); });
}

// ---- tags and places -----------------------------------------------------------------------------------------------------

worker_state::worker_state(common& shared, layout const& where, worker_id self, std::uint64_t seed,
                           worker_policy& forks, bool orders, worker_policy* nodes)
    : common_(shared), self_(self), forks_(forks), nodes_(nodes), orders_(orders), spawned_(self, where, seed) {}

task_tag worker_state::meet(task_tag& task, double total_work, std::uint64_t n) noexcept {
  task_tag group = forks_.meet(task, total_work, n);
  set_node_tag(group, node_tag(task));
  return group;
}

/// Both answers mark it: the task may be a fork inside of a node, or a node that forks.
task_tag worker_state::mark(task_tag& parent, hint const& hint) noexcept {
  task_tag around = node_tag(parent);
  task_tag child = forks_.mark(parent, hint);
  set_node_tag(parent, around);
  is_node_ = nodes_ != nullptr && is_node(hint);
  bool const has_data = is_node_ || hint.place.has_value() || around.words[0] != 0;
  set_node_tag(child, nodes_ != nullptr && has_data ? nodes_->mark(around, hint) : task_tag{});
  return child;
}

placement worker_state::place(task_tag& task, cause why) noexcept {
  switch (why) {
    case cause::released:
    case cause::unblocked:
      if (!is_node_) break;
      // The answer for forks learns of the spawn; the place is the other answer's. Forks inside of the node have what a task has that
      // is taken from a lane without tags: the first word of its parent.
      place_fork(task, why);
      std::ranges::fill(std::span(task.words).subspan(1), 0);
      return place_node(task, why);
    case cause::stolen:
    case cause::chosen:
      if (!std::exchange(took_node_, false)) break;
      return place_node(task, why);
    case cause::next:
    case cause::bypassed: return nodes_ != nullptr ? place_node(task, why) : place_fork(task, why);
    case cause::refused: return was_of_node_ ? place_node(task, why) : place_fork(task, why);
    default: break;
  }
  return place_fork(task, why);
}

placement worker_state::place_fork(task_tag& task, cause why) noexcept {
  was_of_node_ = false;
  task_tag const its = node_tag(task);
  placement const to = forks_.place(task, why);
  set_node_tag(task, its);
  return to;
}

placement worker_state::place_node(task_tag& task, cause why) noexcept {
  was_of_node_ = true;
  if (why == cause::released || why == cause::unblocked) {
    common_.note(common::has_nodes);
    again_ = again::inbox;  // the next search is the first one with nodes
  }
  task_tag its = node_tag(task);
  placement to = nodes_->place(its, why);
  set_node_tag(task, its);
  to.lane = of_machine(to.lane);
  return to;
}

// ---- the search ------------------------------------------------------------------------------------------------------------

bool worker_state::searches(part p) const noexcept {
  switch (p) {
    case part::spawned: return searches_ordered();
    case part::nodes: return searches_nodes();
    case part::again:
    case part::forks: break;
  }
  return true;
}

/// The answer for forks finds the tasks from outside; the others pass them over.
probe worker_state::chosen_by(part p) noexcept {
  if (p == part::forks) return forks_.next_probe();
  for (;;) {
    probe next = p == part::spawned ? spawned_.next_probe() : nodes_->next_probe();
    if (next.lane != lane::injected || next.kind == action::rest) {
      if (p == part::nodes) next.lane = of_machine(next.lane);
      return next;
    }
    tell(p, {next, runtime::outcome::empty});
  }
}

void worker_state::tell(part p, probed const& seen) noexcept {
  if (p == part::spawned) return spawned_.learn(seen);
  if (p == part::forks) return forks_.learn(seen);
  probed its = seen;
  its.probe.lane = of_nodes(its.probe.lane);
  nodes_->learn(its);
}

/// Which part comes first with its own lanes: the one that the turn says, and then the others in their order.
worker_state::part worker_state::own_turn(std::size_t i) const noexcept {
  constexpr std::array usual{part::spawned, part::forks, part::nodes};
  std::uint32_t const turn = searches_ % turns;
  std::size_t const first = turn == turns / 2 ? 1 : turn == 0 ? 2 : 0;
  if (i == 0) return usual[first];
  return usual[i <= first ? i - 1 : i];
}

/// Own lanes of every part, then the lanes of others; each part goes on with its round where its own lanes end.
probe worker_state::next_probe() noexcept {
  if (!is_combined()) {
    asked_ = part::forks;
    return forks_.next_probe();
  }
  if (again_ != again::nothing) {
    asked_ = part::again;
    lane const same = again_ == again::nodes ? lane::nodes : lane::inbox;
    return {.kind = action::pop, .lane = same, .victim = self_};
  }
  constexpr std::array others{part::spawned, part::nodes, part::forks};
  for (; step_ < 2 * parts; ++step_) {
    bool const is_own = step_ < parts;
    part const p = is_own ? own_turn(step_) : others[step_ - parts];
    auto& rests = rests_[static_cast<std::size_t>(p)];
    if (rests || !searches(p)) continue;
    probe const next = chosen_by(p);
    rests = next.kind == action::rest;
    if (rests || (is_own && (next.kind == action::steal || next.lane == lane::injected))) continue;
    asked_ = p;
    if (p != part::forks || next.kind != action::steal || !searches_ordered() || ++steals_ % steals_per_look != 0)
      return next;
    return look_for_ordered();
  }
  step_ = 0;
  rests_ = {};
  again_ = searches_nodes() ? again::inbox : again::nothing;
  spawned_.restart();  // it may be in the middle of one of those further rounds
  asked_ = part::forks;
  return {.kind = action::rest, .victim = self_};
}

/// The round of `forks` is long, and that of `ordered` has one victim per ring: a few further ones in between.
probe worker_state::look_for_ordered() noexcept {
  asked_ = part::spawned;
  probe next = chosen_by(part::spawned);
  while (next.kind == action::rest) next = chosen_by(part::spawned);  // which has begun the next round
  return next;
}

/// Members of teams come first: their partners wait. And a node that was placed here meanwhile is the best that this worker can
/// find. [arms-2021 3.2.1]
worker_state::again worker_state::next_again(probe const& failed) const noexcept {
  if (asked_ == part::again) return again_ == again::both ? again::nodes : again::nothing;
  return failed.kind == action::steal && searches_nodes() ? again::both : again::nothing;
}

/// The next search begins; parts that have not rested are in the middle of their rounds.
void worker_state::search_again(part found_by) noexcept {
  ++searches_;
  step_ = 0;
  rests_ = {};
  again_ = searches_nodes() ? again::inbox : again::nothing;
  if (!is_combined()) return;
  if (found_by != part::spawned) spawned_.restart();
  if (found_by != part::forks) forks_.learn(found_beside{});
  if (found_by != part::nodes && nodes_ != nullptr) nodes_->learn(found_beside{});
}

void worker_state::learn(event const& seen) noexcept {
  if (auto const* p = std::get_if<probed>(&seen)) {
    bool const got = p->outcome == runtime::outcome::got;
    took_node_ = got && (p->probe.lane == lane::next || p->probe.lane == lane::nodes);
    if (asked_ != part::again) tell(asked_, *p);
    again_ = next_again(p->probe);
    if (got) search_again(asked_);
    return;
  }
  if (std::holds_alternative<ordered_here>(seen)) return common_.note(common::has_ordered);
  forks_.learn(seen);
  if (!searches_nodes()) return;
  std::visit(
      [this](auto its) {  // a copy, with the tag that the answer for nodes knows
        if constexpr (requires { its.task = task_tag{}; }) {
          its.task = node_tag(its.task);
          nodes_->learn(its);
        }
      },
      seen);
}

std::span<worker_id const> worker_state::lines_read() const noexcept {
  return asked_ == part::forks ? forks_.lines_read() : std::span<worker_id const>{};
}

}  // namespace combined

combined_policy::combined_policy(layout const& where, std::uint64_t seed, answers all) : all_(std::move(all)) {
  name_ = all_.name;
  if (name_.empty()) {
    name_ = "forks=" + std::string(all_.forks->name()) + ",spawned=" +
            (!all_.spawned        ? "plain"
             : all_.spawned->lifo ? "strategies:lifo"
                                  : "strategies") +
            ",nodes=" + (all_.nodes ? std::string(all_.nodes->name()) : "plain");
  }
  workers_state_.reserve(where.workers());
  for (std::uint32_t w = 0; w < where.workers(); ++w) {
    worker_id const self{w};
    workers_state_.emplace_back(shared_, where, self, seed, all_.forks->of_worker(self), all_.spawned.has_value(),
                                all_.nodes ? &all_.nodes->of_worker(self) : nullptr);
  }
}

policy_needs combined_policy::needs() const noexcept {
  policy_needs all = all_.forks->needs();
  if (all_.spawned) {
    policy_needs const ordered = needs_of(*all_.spawned);
    all.lanes = all.lanes | ordered.lanes;
    all.strategies = ordered.strategies;
    all.urgency_us = ordered.urgency_us;
    all.declared_only = true;
  }
  if (all_.nodes) {
    policy_needs const its = all_.nodes->needs();
    all.lanes = all.lanes | lane_set{lane::next, lane::nodes};
    for (auto const asked : {&policy_needs::times, &policy_needs::chosen, &policy_needs::released})
      all.*asked = std::max(all.*asked, which_tasks::nodes);
    all.addresses = all.addresses || its.addresses;
    all.critical = all.critical || its.critical;
  }
  return all;
}

void combined_policy::watch(machine_view const& machine) noexcept {
  all_.forks->watch(machine);
  if (all_.nodes) all_.nodes->watch(machine);
}

std::vector<known_time> combined_policy::known() const {
  std::vector<known_time> all = all_.forks->known();
  if (!all_.nodes) return all;
  std::vector<known_time> const its = all_.nodes->known();
  all.insert(all.end(), its.begin(), its.end());
  return all;
}

}}}  // namespace skua::v0::policies
