// SPDX-License-Identifier: MIT
#include "skua/machine/threads/face/pool.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "skua/machine/threads/engine/callers/caller.hpp"
#include "skua/machine/threads/engine/callers/guest.hpp"
#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/pool_trace.hpp"
#include "skua/machine/threads/engine/core/region.hpp"
#include "skua/machine/threads/engine/history/history_file.hpp"
#include "skua/machine/threads/engine/outside/root.hpp"
#include "skua/parts/base/clock.hpp"
#include "skua/parts/base/file.hpp"
#include "skua/parts/base/memory_limits.hpp"
#include "skua/parts/base/options.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/parts/base/unknown_variables.hpp"
#include "skua/parts/context/counted_memory.hpp"
#include "skua/parts/topology/affinity.hpp"
#include "skua/parts/topology/cgroup.hpp"
#include "skua/parts/topology/default_workers.hpp"
#include "skua/parts/topology/topology.hpp"
#include "skua/policy/arms/partitions.hpp"
#include "skua/policy/registry.hpp"

namespace skua { inline namespace v0 {

namespace {

runtime::settings choose(pool_options const& o) {
  runtime::settings s = runtime::settings_from_environment(runtime::process_environment());
  runtime::warn_of_unknown_variables();
  if (o.workers) s.workers.set(*o.workers);
  if (o.policy) s.policy.set(*o.policy);
  if (o.places) s.places.set(*o.places);
  if (o.pin) s.pin.set(*o.pin);
  if (o.partitions) s.partitions.set(*o.partitions);
  if (o.history) s.history.set(*o.history);
  if (o.trace) s.trace.set(*o.trace);
  if (o.spin && *o.spin < std::chrono::nanoseconds::zero()) {
    throw usage_error("pool option spin is " + std::to_string(o.spin->count()) +
                      " ns; allowed: 0 or more, or spin_forever, with which workers never sleep");
  }
  if (o.spin) s.spin.set(*o.spin);
  if (o.stack_bytes) s.stack_bytes.set(*o.stack_bytes);
  if (o.count_forks) s.count_forks.set(*o.count_forks);
  return s;
}

/// Reads the file of partitions, if there is one; it then determines the number of workers and their places. Throws usage_error.
std::shared_ptr<policies::arms::partitions const> read_partitions(runtime::settings& s) {
  if (s.partitions.value.empty()) return nullptr;
  std::string const by = s.partitions.source == "code" ? "pool option partitions" : s.partitions.source;
  runtime::file_text const file = runtime::read_file(s.partitions.value, std::size_t{1} << 24);
  if (file.wrong)
    throw usage_error(by + " is '" + runtime::printable(s.partitions.value) + "': " + file.wrong.message());
  using policies::arms::partitions;
  auto read = runtime::make_counted<partitions const>(partitions::read(by + ": " + s.partitions.value, file.text));
  if (s.workers.value && *s.workers.value != read->workers()) {
    throw usage_error(by + ": " + s.partitions.value + " has " + std::to_string(read->workers()) + " workers, but " +
                      s.workers.source + " asks for " + std::to_string(*s.workers.value) +
                      "; allowed: the same number");
  }
  if (!s.workers.value) s.workers = {.value = read->workers(), .source = by};
  if (!s.places.chosen()) {
    std::string places;
    for (std::uint32_t const pu : read->affinity()) places += (places.empty() ? "{" : ",{") + std::to_string(pu) + "}";
    s.places = {.value = std::move(places), .source = by + ": " + s.partitions.value + " line 1"};
  }
  return read;
}

/// Opens what earlier runs have left. Throws usage_error, also for a file that this run could not write at its end.
std::optional<runtime::history_file> open_history(runtime::settings const& s) {
  if (s.history.value.empty()) return {};
  return runtime::history_file(s.history);
}

std::vector<worker_id> first_workers(std::uint32_t n) {
  std::vector<worker_id> all(n);
  for (std::uint32_t i = 0; i < n; ++i) all[i] = worker_id{i};
  return all;
}

/// The name of this setting in error messages.
std::string name_of(runtime::setting<std::string> const& places) {
  return places.source == "code" ? "pool option places" : places.source;
}

/// The processors that a new pool may use. A pinned worker may use one processor only, but a pool that it makes may use all those of
/// its own pool.
runtime::cpu_mask usable_processors() {
  runtime::worker* const w = runtime::worker::current();
  return w == nullptr ? runtime::affinity_of_this_thread() : w->pool().allowed();
}

topology find_topology(pool_options const& o, runtime::cpu_mask const& usable) {
  return o.topology ? topology::named(*o.topology) : topology::machine(usable);
}

/// For a pool whose workers are bound for good, on processors that the user has not listed: those to which no other pool of the process has bound workers, if
/// they are enough.
runtime::cpu_mask without_bound(runtime::cpu_mask const& usable, pool_options const& o, runtime::settings const& s) {
  bool const is_asked = s.pin.value.value_or(false) && s.workers.value && s.places.value.empty() && !o.topology;
  if (!is_asked) return usable;
  runtime::cpu_mask left;
  for (std::uint32_t const p : usable.members()) {
    if (!runtime::pool_registry::of_process().is_bound_to(p)) left.insert(p);
  }
  return left.size() >= *s.workers.value ? left : usable;
}

/// The default: pin if every usable processor gets one worker. Otherwise the kernel places threads better: two programs
/// with half the processors each would meet on the first ones.
bool should_pin(layout const& map, topology const& machine) { return map.workers() == machine.pus().size(); }

}  // namespace

pool_options pool::of_workers(std::int64_t workers) {
  if (std::in_range<std::uint32_t>(workers)) return {.workers = static_cast<std::uint32_t>(workers)};
  throw usage_error("workers is " + std::to_string(workers) + "; allowed: 1 to " +
                    std::to_string(runtime::max_workers));
}
pool_options pool::of_policy(std::string_view name) { return {.policy = std::string(name)}; }

pool::pool(pool_options const& options) try {
  facts_.chosen = choose(options);
  policies::check_policy(facts_.chosen.policy);
  auto partitions = read_partitions(facts_.chosen);
  auto history = open_history(facts_.chosen);
  runtime::cpu_mask usable = usable_processors();
  topology const machine = find_topology(options, without_bound(usable, options, facts_.chosen));
  runtime::cpu_quota const quota = runtime::read_cpu_quota();
  runtime::default_workers const usual = runtime::count_default_workers(machine, quota);
  facts_.why_workers = facts_.chosen.workers.value ? "chosen by " + facts_.chosen.workers.source : usual.why;
  skua::layout map{machine,
                   {.workers = facts_.chosen.workers.value,
                    .at_most = usual.count,
                    .order = options.scatter ? runtime::spread::scatter : runtime::spread::compact,
                    .places = facts_.chosen.places.value,
                    .places_from = name_of(facts_.chosen.places)}};
  if (!facts_.chosen.pin.value) facts_.chosen.pin.value = should_pin(map, machine);
  std::uint32_t const processors = std::min(usable.size(), quota.whole_cpus().value_or(usable.size()));
  core_ = std::make_unique<runtime::pool_core>(std::move(map), facts_.chosen, std::move(usable), processors);
  core_->belong_to(*this);
  core_->divide_by(std::move(partitions));
  core_->remember(std::move(history));
  if (!facts_.chosen.trace.value.empty()) core_->trace_to(runtime::open_trace(facts_.chosen, core_->map()));
  root_ = core_->open_region(policies::policy_named(facts_.chosen.policy.value), first_workers(core_->workers()));
  core_->detached().report_to(options.on_exception);
  core_->begin_threads_with({.name = options.name, .begins = options.on_worker_begin, .ends = options.on_worker_end});
  core_->start();
} catch (std::bad_alloc const&) {
  throw resource_error("no memory for a pool of workers; the limits are the memory, " + runtime::memory_limits());
}

pool::~pool() {
  runtime::worker* const w = runtime::worker::current();
  bool const by_own_task = w != nullptr && &w->pool().host() == core_.get();
  if (by_own_task || core_->lost_by_fork()) {
    static_cast<void>(core_.release());
  } else {
    core_->detached().wait_for_workers();
    runtime::expects(!core_->has_further_regions(), "pool: destroyed after its regions, whose handles refer to it");
    core_->save_history();
  }
}

runtime::pool_core& runtime::core_of(pool const& p) noexcept { return *p.core_; }
runtime::region& runtime::root_region_of(pool const& p) noexcept { return *p.root_; }
bool runtime::is_lost_by_fork(pool const& p) noexcept { return core_of(p).lost_by_fork(); }

void runtime::end_with_process(pool& p) noexcept {
  pool_core& core = *p.core_;
  if (core.lost_by_fork()) return;
  if (worker::current() == nullptr) core.detached().wait_for_workers();
  core.end_with_process();
  core.save_history();
}

void pool::drain() {
  core_->check_process();
  core_->detached().wait(*root_);
}

region::region(runtime::pool_core& c, std::shared_ptr<runtime::region> r) noexcept : core_(&c), region_(std::move(r)) {}

region::~region() { close(); }

region& region::operator=(region&& other) noexcept {
  if (this == &other) return *this;
  close();
  core_ = other.core_;
  region_ = std::move(other.region_);
  return *this;
}

void region::close() noexcept {
  if (region_ == nullptr) return;
  if (!core_->lost_by_fork()) core_->close_region(*region_);  // otherwise its lock may be held for ever
}

void region::run_here(runtime::outside_call& c) const {
  runtime::expects(region_ != nullptr, "region: run after it was moved from");
  core_->check_process();
  runtime::run_in(*region_, c);
}

std::uint32_t region::num_workers() const noexcept { return region_->workers(); }
std::string_view region::policy() const noexcept { return region_->policy_name(); }

void pool::run_here(runtime::outside_call& c) const {
  core_->check_process();
  runtime::run_in(*root_, c);
}

std::uint32_t pool::num_workers() const noexcept { return core_->workers(); }
std::string_view pool::policy() const noexcept { return root_->policy_name(); }
layout const& pool::layout() const noexcept { return core_->map(); }
std::uint32_t pool::places() const noexcept { return core_->map().places(); }

region pool::open_region(std::string_view policy, std::uint32_t workers) {
  return open_under(policies::policy_named(policy), workers);
}

region pool::open_under(policies::policy_factory const& make, std::uint32_t workers) {
  core_->check_process();
  if (workers > core_->workers()) {
    throw usage_error("a region of " + std::to_string(workers) + " workers: the pool has " +
                      std::to_string(core_->workers()));
  }
  auto const members = first_workers(workers == 0 ? core_->workers() : workers);
  return {*core_, core_->open_region(make, members)};
}

pool_facts pool::facts() const {
  pool_facts all = facts_;
  for (std::uint32_t w = 0; w < num_workers(); ++w) all.pins.push_back(core_->worker_at(worker_id{w}).pin_report());
  return all;
}

std::span<worker_id const> pool::workers_of(place_id p) const {
  if (index(p) < places()) return core_->map().workers_of(p);
  throw usage_error("there is no place " + std::to_string(index(p)) + ": the pool's places are 0 to " +
                    std::to_string(places() - 1));
}

place_id pool::place_of(worker_id w) const {
  if (index(w) < num_workers()) return core_->map().place_of(w);
  throw usage_error("there is no worker " + std::to_string(index(w)) + ": the pool's workers are 0 to " +
                    std::to_string(num_workers() - 1));
}

std::vector<worker_counters> pool::counters(std::chrono::steady_clock::time_point at) const {
  core_->ask_for_times();
  std::vector<worker_counters> all;
  all.reserve(num_workers());
  for (std::uint32_t w = 0; w < num_workers(); ++w)
    all.push_back(core_->worker_at(worker_id{w}).counts().read(runtime::clock_ns(at), core_->counts_forks()));
  return all;
}

namespace {

/// For a thread that is no worker: it runs the call itself, in a sleeping worker's place. If no place is free, workers that are
/// awake may take the call; if none does soon, or none is idle, the thread runs it alone.
void run_outside(runtime::region& where, runtime::root& asked) {
  if (runtime::caller::run(where, asked)) return;
  if (!where.pool().sleep().anyone_idle() || where.has_no_threads()) return where.guests().run(asked);
  runtime::completion done;
  asked.blocked = &done;
  where.inject(asked);
  if (done.wait_for(std::chrono::milliseconds(10))) return;
  if (!where.withdraw(asked)) return done.wait();
  where.guests().run(asked);
}

/// For a fiber of another region or pool, which parks meanwhile.
void run_as_a_task(runtime::region& where, runtime::root& asked, runtime::fiber& waiting) {
  where.inject(asked);
  waiting.wait(asked.waited, 1);
}

}  // namespace

void runtime::run_in(runtime::region& where, outside_call& call) {
  runtime::worker* const w = runtime::worker::current();
  if (w != nullptr && slot_of(w->running_fiber()).region.serves(where)) return call.call(call, w->running_fiber());
  runtime::root asked{call};
  if (w == nullptr) {
    run_outside(where, asked);
  } else if (w->running_fiber().is_isolated()) {
    // Its worker takes nothing meanwhile, so the call must not depend on that worker: it could be the only one of the region,
    // or tasks could be placed there.
    where.guests().run(asked);
  } else {
    run_as_a_task(where, asked, w->running_fiber());
  }
  asked.rethrow();
}

void runtime::run_in_a_place(runtime::region& where, outside_call& call) {
  where.pool().check_process();
  runtime::worker* const w = runtime::worker::current();
  if (w != nullptr && slot_of(w->running_fiber()).region.serves(where)) return call.call(call, w->running_fiber());
  runtime::root asked{call};
  asked.need_a_place();
  if (w != nullptr) {
    run_as_a_task(where, asked, w->running_fiber());
  } else if (!runtime::caller::run(where, asked)) {
    runtime::completion done;
    asked.blocked = &done;
    where.inject(asked);
    done.wait();
  }
  asked.rethrow();
}

}}  // namespace skua::v0
