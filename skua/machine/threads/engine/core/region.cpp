// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/core/region.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "skua/machine/threads/engine/callers/guest.hpp"
#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"
#include "skua/machine/threads/engine/history/code_place.hpp"
#include "skua/machine/threads/engine/outside/keep_batch.hpp"
#include "skua/machine/threads/engine/outside/root.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

/// True if slot i is that of the pool's worker i, as readers assume.
bool is_of_first_workers(std::span<worker_id const> members) noexcept {
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    if (index(members[i]) != i) return false;
  }
  return !members.empty();
}

bool obeys_strategies(policies::policy_needs const& needs) noexcept {
  return needs.lanes.has(policies::lane::ordered) && needs.strategies;
}

/// `extra` for a task that was not taken from a lane.
std::uint64_t extra_of(handed const& t) noexcept {
  if (t.kind->offered == nullptr) return 1;
  offered_task const offered = t.kind->offered(t);
  return says_dead(offered.kind, offered.value) ? found_dead : 1;
}

std::unique_ptr<region_urgency> board_for(policies::policy_needs const& needs, std::size_t workers) {
  bool const exchanges = needs.lanes.has(policies::lane::ordered) && needs.urgency_us > 0 && workers > 1;
  return exchanges ? std::make_unique<region_urgency>(static_cast<std::uint32_t>(workers)) : nullptr;
}

}  // namespace

region::region(pool_core& c, policies::policy_factory make, std::span<worker_id const> members, std::uint64_t number)
    : number_(number), core_(c), members_(members.begin(), members.end()), map_(c.map().part(members)),
      make_(std::move(make)),
      policy_(make_({.layout = map_, .seed = number, .partitions = c.partitions_of(map_), .known = c.known_to(map_)})),
      urgency_(board_for(policy_->needs(), members.size())), room_(c.memory()),
      injected_(obeys_strategies(policy_->needs())), outside_(c.blocks()),
      guests_(std::make_unique<guest_list>(*this)) {
  policy_->watch(*this);
  slots_.reserve(members.size());
  slot_of_member_.resize(c.workers(), nullptr);
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    worker_id const local{i};
    worker& member = c.worker_at(members[i]);
    slot_surroundings const all{.leaves = member.leaves(),
                                .counts = member.counts(),
                                .trace = member.traced(),
                                .share = member.share(),
                                .kept = member.kept(),
                                .tied_ready = member.tied_ready(),
                                .ready = ready_,
                                .calls = injected_.ordered(),
                                .failures = failures_,
                                .map = map_,
                                .urgency = urgency_.get(),
                                .members = members_,
                                .most_joins = fiber_forks::most_on(c.stacks().stack_bytes()),
                                .left_over = left_over_,
                                .counts_forks = c.counts_forks()};
    slots_.push_back(room_.make(i, member, *this, all, static_cast<std::uint32_t>(members.size()), local,
                                policy_->of_worker(local), policy_->needs()));
    slot_of_member_[index(members[i])] = slots_.back().get();
  }
  if (is_of_first_workers(members)) room_.show(*slots_.front(), workers(), number, policy_name());
}

bool region::has_tasks(worker_id local) const noexcept { return !slots_[index(local)]->own_tasks_look_empty(); }

bool region::works_elsewhere(worker_id local) const noexcept {
  return slots_[index(local)]->worker.serves_other_than(*this);
}

bool region::runs_nested(worker_id local) const noexcept {
  return slots_[index(local)]->worker.running_fiber().runs_nested();
}

std::uint64_t region::now_ns(worker_id) const noexcept { return clock_ns(); }

policies::machine_view::called_code region::code_of_call(worker_id local) const noexcept {
  task const* const placed = slots_[index(local)]->placed_call;
  if (placed == nullptr) return {};
  return {.number = root::code_of(*placed),
          .name = placed->kind->name_of == nullptr ? nullptr : placed->kind->name_of(*placed),
          .is_enqueued = !root::is_one(*placed)};
}

void region::note(worker_id local, policies::scheduler_note const& done) const noexcept {
  worker& by = slots_[index(local)]->worker;
  live_counters& counts = by.counts();
  if (!done.scheduler.empty()) {
    counts.scheduler_changes.add(1);
    by.traced().changes_scheduler(done, number_);
  }
  counts.trials.add(done.trials_begun);
  counts.trials_lost_ns.add(done.trials_lost_ns);
}

std::uint64_t region::ready_frame(worker_id local) const noexcept {
  return slots_[index(local)]->worker.tied_ready_frame();
}

region::~region() {
  room_.hide();
  print_report();
}

void region::print_report() const noexcept try {
  std::string const said = policy_->report();
  if (!said.empty()) std::fputs(said.c_str(), stderr);
} catch (...) {
  std::fputs("skua: note: no memory for the report of a policy\n", stderr);
}

std::vector<policies::call_choice> region::choices() const {
  std::vector<policies::call_choice> all = policy_->choices();
  std::optional<loaded_code> code;
  for (policies::call_choice& c : all) {
    if (!c.call.empty()) continue;
    if (!code) code.emplace();
    if (auto const place = code->place_of(c.code)) c.call = text_of(*place);
  }
  return all;
}

void region::submit(injector<>& to, handed& t) noexcept {
  auto const alive = shared_from_this();
  pool_core::visit const inside{core_};
  to.push(t);
  notify_work();
}
void region::inject(handed& t) noexcept {
  if (number_ != 1) {
    auto const alive = shared_from_this();
    return inject_as_visitor(t);
  }
  // The first region lives as long as the pool, and the pool as long as its workers.
  worker* const by = worker::current();
  by != nullptr && &by->pool() == &core_ ? push_injected(t) : inject_as_visitor(t);
}
void region::inject_as_visitor(handed& t) noexcept {
  pool_core::visit const inside{core_};
  push_injected(t);
}
void region::push_injected(handed& t) noexcept {
  injected_.push(t);
  notify_work();
  core_.look_after_enqueued(*this);
  // `t` may be gone by now: only its address is compared.
  if (has_no_threads() && injected_.remove(t)) guests_->run_task(t, extra_of(t));
}

tagged_entry region::take_enqueued() noexcept {
  handed* t = injected_.ordered().pop();
  if (t == nullptr) t = injected_.take_first([](handed const& i) { return !root::waits_for_a_place(i); });
  if (t != nullptr) return {t, extra_of(*t)};
  taken_task call;
  for (auto const& s : slots_) {
    if (s->ordered == nullptr || s->ordered->take_of(&core_.detached(), call) != outcome::got) continue;
    return {static_cast<task*>(call.task), call.is_dead ? found_dead : 1};
  }
  return {};
}

void region::look_after_enqueued() noexcept { core_.look_after_enqueued(*this); }

void region::make_ready(frame& f) noexcept { submit(ready_, f); }
frame* region::take_ready() noexcept { return static_cast<frame*>(static_cast<handed*>(ready_.pop())); }

bool region::notify_work() noexcept {
  // A worker that already searches suffices only if it takes any task.
  bool const woke = slots_.front()->policy.is_choosy() ? core_.sleep().notify_among(members_)
                                                       : core_.sleep().notify_members(members_);
  if (woke) worker::stay_in_place();
  return woke;
}

outcome region::take_injected(worker_slot& by, policies::amount many, tagged_entry& out,
                              revocation_count& spent) noexcept {
  by.calls_in_turn = 0;
  by.takes_several = many == policies::amount::half;
  if (handed* const first = injected_.pop()) {
    out = {first, 1, {}};
    return outcome::got;
  }
  // The first task with a strategy: the policy does not look for those before it has seen one.
  if (handed* const first = by.needs.declared_only ? injected_.ordered().pop() : nullptr) {
    out = {first, extra_of(*first), {}};
    return outcome::got;
  }
  outside_batch batch;
  std::size_t const share = many == policies::amount::half ? 1 + std::size_t{workers()} : 0;
  outcome const how = outside_.take(batch, share, spent);
  if (how != outcome::got) return how;
  out = {static_cast<task*>(batch.tasks[0].task), batch.tasks[0].extra, {}};
  if (batch.size > 1) keep(by, batch);
  return how;
}

/// A spawned task can be injected.
void region::keep(worker_slot& by, outside_batch const& batch) noexcept {
  keep_batch(
      by.spawned, batch,
      [this](entry const& one) { injected_.push(*static_cast<handed*>(static_cast<task*>(one.task))); }, *this);
}

void region::request_attention() noexcept {
  for (auto const& s : slots_) s->request_attention();
}

void region::request_attention_of_awake() noexcept {
  for (std::uint32_t i = 0; i < workers(); ++i) {
    if (!sleeps(i)) slots_[i]->request_attention();
  }
}

void region::request_attention_of_awake_but(worker_id left) noexcept {
  for (std::uint32_t i = 0; i < workers(); ++i) {
    if (members_[i] != left && !sleeps(i)) slots_[i]->request_attention();
  }
}

bool region::sleeps(std::uint32_t local) const noexcept { return core_.sleep().is_asleep(members_[local]); }

bool region::looks_empty_to(worker_slot* mine) noexcept {
  return nothing_for(mine, ready_, injected_, outside_, slots_, [this](std::uint32_t i) { return sleeps(i); });
}

bool region::leaves_something_to(worker_slot& mine) noexcept { return leaves_for(mine, ready_, injected_, outside_); }

bool region::holds_nothing() noexcept { return nothing_for_any(ready_, injected_, outside_, slots_); }

bool region::has_no_threads() const noexcept { return core_.sleep().is_retired(); }

worker_slot* region::slot_for(worker const& w) const noexcept { return slot_of_member_[index(w.number())]; }

}}}  // namespace skua::v0::runtime
