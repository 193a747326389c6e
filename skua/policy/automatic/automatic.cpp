// SPDX-License-Identifier: MIT
#include "skua/policy/automatic/automatic.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <utility>
#include <variant>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/policy/adws/adws.hpp"
#include "skua/policy/adws/tag_fields.hpp"

namespace skua { inline namespace v0 { namespace policies {
namespace automatic {
namespace {

// ADWS writes these bits itself, in the same word. [adws/tag_fields.hpp]
constexpr std::uint64_t alone_bit = adws::root_bit;
constexpr std::uint64_t outside_bit = adws::outside_bit;
constexpr std::size_t mark_word = 3;

bool is_alone_task(task_tag const& t) noexcept { return (t.words[mark_word] & alone_bit) != 0; }
bool is_from_outside(task_tag const& t) noexcept { return (t.words[mark_word] & outside_bit) != 0; }

/// Groups of one call site that are alike.
std::uint64_t shape_of(double total_work, std::uint64_t n) noexcept {
  std::uint64_t const mixed = (n ^ std::bit_cast<std::uint64_t>(total_work)) * 0x9e37'79b9'7f4a'7c15ULL;
  return mixed ^ (mixed >> 29);
}
constexpr std::uint64_t whole_call = ~std::uint64_t{0};
constexpr std::uint64_t untimed = ~std::uint64_t{0};

}  // namespace

// Positions in `common::all`.
constexpr std::size_t by_hints = 0;
constexpr std::size_t plain_one = 1;

common::common(layout const& where, std::uint64_t seed, automatic_options const& chosen)
    : workers(where.workers()), options{.tries = chosen.tries && workers > 1, .explains = chosen.explains},
      word(by_hints), in_force_now(by_hints) {
  all.push_back({std::make_unique<almost_deterministic>(where, seed), true});
  all.push_back({random_beside(where, seed, alone_at), false});
  all.push_back({hierarchical_beside(where, seed, alone_at), false});
}

std::vector<std::string_view> common::names() const {
  std::vector<std::string_view> found;
  for (scheduler const& s : all) found.push_back(s.rules->name());
  return found;
}

worker_state::worker_state(common& shared, worker_id self)
    : common_(shared), self_(self), rescue_(self, shared.workers) {
  for (std::size_t i = 0; i < shared.all.size(); ++i) of_[i] = &shared.all[i].rules->of_worker(self);
}

// ---- which scheduler is in force -------------------------------------------------------------------------------------

/// For the task that is alone, of this call site.
void worker_state::put_in_force(std::size_t scheduler, std::size_t site) noexcept {
  if (current() == scheduler) return;
  common_.in_force_now.set(static_cast<std::uint32_t>(scheduler));
  if (common_.machine == nullptr) return;
  scheduler_note done{.scheduler = common_.all[scheduler].rules->name()};
  if (site != call_sites::none) {
    call_site const& its = common_.sites.of(site);
    done.call = common_.sites.name_of(site);
    done.is_trial = its.is_on_trial();
    done.all_lost_ns = static_cast<std::uint64_t>(its.spent());
  }
  common_.machine->note(self_, done);
}

/// The task that is alone goes on under another scheduler, for which it begins here and now.
void worker_state::change_to(std::size_t scheduler, task_tag& alone) noexcept {
  std::size_t const old = current();
  if (old == scheduler || !common_.word.change(scheduler)) return;
  put_in_force(scheduler, common_.alone.site);
  of_[old]->learn(ended{.task = alone});
  task_tag tag{};
  static_cast<void>(of_[scheduler]->place(tag, cause::called));
  tag.words[mark_word] |= alone_bit | outside_bit;
  of_[scheduler]->learn(begun{tag});
  std::ranges::copy(tag.words, alone.words);
}

placement worker_state::place_from_outside(task_tag& task, cause why) noexcept {
  machine_view::called_code code{};
  if (common_.machine != nullptr) code = common_.machine->code_of_call(self_);
  call_sites::choice const wanted = common_.sites.find(code.number, code.name);
  auto const came = common_.word.arrive(code.is_enqueued ? plain_one : wanted.scheduler);
  if (came.is_alone) {
    put_in_force(came.scheduler, wanted.site);
  } else if (current() != came.scheduler) {
    common_.in_force_now.set(static_cast<std::uint32_t>(came.scheduler));  // as the task that was alone is about to
  }
  bool const leads = came.is_alone && !code.is_enqueued && begins_alone(wanted);
  placement to = now().place(task, why);
  if (common_.all[came.scheduler].writes_tags) return to;
  task.words[mark_word] = outside_bit | (leads ? alone_bit : 0);
  // Where any other scheduler can take over.
  if (leads && why == cause::injected) to = {.worker = worker_id{0}, .lane = lane::migrated};
  return to;
}

/// False: a tiny call, which nobody watches.
bool worker_state::begins_alone(call_sites::choice const& site) noexcept {
  bool const is_timed = site.site != call_sites::none && common_.sites.of(site.site).times_this_call();
  bool const is_watched = is_timed || site.is_long || common_.all[current()].writes_tags;
  if (is_watched) {
    common_.alone = {
        .site = site.site, .came_ns = is_timed ? time_ns() : untimed, .is_timed = site.is_long && common_.workers > 1};
  }
  return is_watched;
}

// ---- what is measured ------------------------------------------------------------------------------------------------

task_tag worker_state::meet(task_tag& task, double total_work, std::uint64_t n) noexcept {
  bool const is_outermost = std::exchange(is_outermost_, false);
  if (is_outermost) begins_group(task, total_work, n);
  if (common_.all[current()].writes_tags) {
    if (!is_outermost || !common_.word.has_company()) return now().meet(task, total_work, n);
    // A task from outside may block its worker until this one has ended: nothing is sent to any worker while there is one.
    task_tag stays = task;
    stays.words[mark_word] |= adws::fixed_bit;
    return now().meet(stays, total_work, n);
  }
  task_tag group = now().meet(task, total_work, n);
  group.words[mark_word] = 0;
  return group;
}

/// An outermost group of the task that is alone: the place where the scheduler may change.
void worker_state::begins_group(task_tag& task, double total_work, std::uint64_t n) noexcept {
  common::alone_task& a = common_.alone;
  a.has_met = true;
  if (common_.machine != nullptr && common_.machine->runs_nested(self_)) return;
  a.has_group = n > 0 && !a.has_spawned && a.site != call_sites::none && common_.word.is_alone();
  if (!a.has_group) return;
  if (std::size_t const next = common_.sites.of(a.site).next(); next != current() && index(self_) == 0)
    change_to(next, task);
  a.shape = shape_of(total_work, n);
  a.group_ns = time_ns();
}

void worker_state::leave(task_tag const& task, task_tag const& group) noexcept {
  now().leave(task, group);
  if (!is_alone_task(task)) return;
  is_outermost_ = common_.alone.is_timed;
  running_ = task;
  ends_group();
}

/// Tells the site, and the machine what that has cost.
void worker_state::took(std::size_t site, std::uint64_t shape, double ns) noexcept {
  call_site& its = common_.sites.of(site);
  bool const was_on_trial = its.is_on_trial();
  double const lost = its.spent();
  its.took(shape, current(), ns, common_.all.size());
  bool const begins_trial = !was_on_trial && its.is_on_trial();
  if (common_.machine == nullptr || !(begins_trial || its.spent() > lost)) return;
  common_.machine->note(self_, {.trials_begun = begins_trial ? 1U : 0U,
                                .trials_lost_ns = static_cast<std::uint64_t>(its.spent() - lost)});
}

void worker_state::ends_group() noexcept {
  common::alone_task& a = common_.alone;
  if (!std::exchange(a.has_group, false) || !common_.options.tries || !common_.word.is_alone()) return;
  std::uint64_t const t = time_ns();
  if (t > a.group_ns) took(a.site, a.shape, static_cast<double>(t - a.group_ns));
  common_.sites.publish(a.site);
}

task_tag worker_state::mark(task_tag& parent, hint const& hint) noexcept {
  bool const may_be_team = hint.type && ((*hint.type).moldable & 1) != 0;
  is_node_ = asks_about(which_tasks::nodes, hint.address.has_value(), may_be_team);
  return now().mark(parent, hint);
}

/// Tasks of finish regions and task_groups: they are found faster by a scheduler that has few lanes, and none of those here sends them anywhere.
void worker_state::spawns() noexcept {
  common::alone_task& a = common_.alone;
  if (!is_outermost_ || std::exchange(a.has_spawned, true) || a.has_met || a.site == call_sites::none) return;
  if (!common_.all[current()].writes_tags) return;
  std::size_t const old = current();
  if (!common_.word.change(plain_one)) return;
  put_in_force(plain_one, a.site);
  of_[old]->learn(ended{.task = running_});
  common_.sites.of(a.site).prefer(plain_one, call_site::evidence::spawns);
  common_.sites.publish(a.site);
}

void worker_state::alone_ends() noexcept {
  common::alone_task const& a = common_.alone;
  if (a.came_ns == untimed || !common_.word.is_alone()) return;
  if (std::uint64_t const t = time_ns(); t > a.came_ns) {
    auto const ns = static_cast<double>(t - a.came_ns);
    call_site& site = common_.sites.of(a.site);
    site.lasted(ns);
    site.prefer_by_length(plain_one, by_hints);
    if (common_.options.tries && !a.has_met && !site.is_tiny()) took(a.site, whole_call, ns);
    common_.sites.publish(a.site);
  }
}

// ---- calls that the scheduler in force answers -----------------------------------------------------------------------

placement worker_state::place(task_tag& task, cause why) noexcept {
  if (why == cause::injected || why == cause::called) return place_from_outside(task, why);
  if ((why == cause::released || why == cause::unblocked) && !is_node_) spawns();
  // Its range is that of the worker from which it was rescued.
  if (why == cause::stolen && std::exchange(rescues_, false)) task.words[mark_word] |= adws::fixed_bit;
  placement to = now().place(task, why);
  if (why == cause::forked && to.lane == lane::forks) to.lane = lane::local;  // the rest of an exposed group lies there
  return to;
}

probe worker_state::next_probe() noexcept {
  if (asked_ == rescue_probe && rescue_.owes_rest()) {
    static_cast<void>(rescue_.instead_of_rest());
    asked_ = current();
    return {.kind = action::rest, .victim = self_};
  }
  asked_ = current();
  probe const next = of_[asked_]->next_probe();
  if (next.kind != action::rest || !common_.all[asked_].writes_tags) return next;
  std::optional<probe> const other = rescue_.instead_of_rest();
  if (other) asked_ = rescue_probe;
  return other.value_or(next);
}

void worker_state::learn(event const& seen) noexcept {
  if (auto const* p = std::get_if<probed>(&seen)) {
    bool const got = p->outcome == runtime::outcome::got;
    if (asked_ != rescue_probe) {
      of_[asked_]->learn(seen);
    } else if (!got) {
      rescue_.missed(p->outcome);
    }
    rescues_ = got && asked_ == rescue_probe;
    if (got) rescue_.found();
    if (got && asked_ != current()) now().learn(found_beside{});
    return;
  }
  if (auto const* b = std::get_if<begun>(&seen)) {
    is_outermost_ = is_alone_task(b->task) && !b->open && common_.alone.is_timed;
    if (is_alone_task(b->task)) {
      running_ = b->task;
      common_.alone_at.set(self_);
    }
  } else if (std::holds_alternative<waiting>(seen)) {
    is_outermost_ = false;
  } else if (std::holds_alternative<spawning>(seen)) {
    spawns();
  }
  now().learn(seen);
  if (auto const* e = std::get_if<ended>(&seen)) {
    is_outermost_ = false;
    if (is_alone_task(e->task)) alone_ends();
    if (is_from_outside(e->task)) common_.word.leave();
  }
}

}  // namespace automatic

automatic_policy::automatic_policy(layout const& where, std::uint64_t seed, automatic_options const& chosen)
    : shared_(where, seed, chosen) {
  for (automatic::scheduler const& s : shared_.all) {
    policy_needs const its = s.rules->needs();
    needs_.lanes = needs_.lanes | its.lanes;
    needs_.released = std::max(needs_.released, its.released);
    needs_.rests = needs_.rests || its.rests;
    runtime::expects(its.times == which_tasks::none && its.chosen == which_tasks::none && !its.addresses,
                     "automatic: answers for forks only");
  }
  workers_state_.reserve(where.workers());
  for (std::uint32_t w = 0; w < where.workers(); ++w) workers_state_.emplace_back(shared_, worker_id{w});
}

std::string automatic_policy::report() const {
  if (!shared_.options.explains) return {};
  std::string all;
  for (call_choice const& c : choices()) {
    if (c.calls > c.earlier_calls) all += "auto: " + text_of(c) + "\n";
  }
  return all;
}

std::vector<call_choice> automatic_policy::choices() const {
  std::vector<call_choice> all;
  if (!shared_.word.enter()) return all;
  struct reader {
    automatic::common const& of;
    ~reader() { of.word.leave(); }
  } const inside{shared_};
  std::vector<std::string_view> const names = shared_.names();
  for (std::size_t i = 0; i < automatic::call_sites::most; ++i) {
    if (!shared_.sites.is_known(i)) continue;
    call_choice& c = all.emplace_back(shared_.sites.of(i).choice(names));
    c.code = shared_.sites.code_of(i);
    c.call = shared_.sites.name_of(i);
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &call_choice::calls_ns);
  return all;
}

void automatic_policy::remember(known_times const& earlier) {
  std::vector<std::string_view> const names = shared_.names();
  auto const check = [&](std::string_view scheduler) {
    if (std::ranges::find(names, scheduler) != names.end()) return;
    std::string allowed;
    for (std::string_view const n : names) allowed += (allowed.empty() ? "" : ", ") + std::string(n);
    throw usage_error(std::string(earlier.source) + " has a call under '" + std::string(scheduler) +
                      "', which is no scheduler of auto; allowed: " + allowed);
  };
  for (call_choice const& c : earlier.calls) {
    check(c.scheduler);
    for (call_choice::trials_of const& t : c.others) check(t.scheduler);
  }
  for (call_choice const& c : earlier.calls) {
    std::size_t const site = shared_.sites.find(c.code, c.call.c_str()).site;
    if (site == automatic::call_sites::none) continue;
    shared_.sites.of(site).remember(c, names);
    shared_.sites.publish(site);
  }
}

void automatic_policy::watch(machine_view const& machine) noexcept {
  shared_.machine = &machine;
  for (automatic::scheduler const& s : shared_.all) s.rules->watch(machine);
}

}}}  // namespace skua::v0::policies
