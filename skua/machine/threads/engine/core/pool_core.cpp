// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/core/pool_core.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <new>
#include <utility>

#include "skua/machine/threads/engine/callers/lent_thread.hpp"
#include "skua/machine/threads/engine/core/unused.hpp"
#include "skua/machine/threads/engine/stall/stall_watch.hpp"
#include "skua/parts/base/clock.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/interruptible_sleep.hpp"
#include "skua/parts/base/process.hpp"
#include "skua/parts/context/counted_memory.hpp"
#include "skua/policy/arms/partitions.hpp"
#include "skua/policy/call_choice.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

std::uint64_t in_ns(std::chrono::nanoseconds d) noexcept { return static_cast<std::uint64_t>(d.count()); }

}  // namespace

pool_core::pool_core(layout map, settings const& chosen, cpu_mask allowed, std::uint32_t processors)
    : map_(std::move(map)), memory_(make_counted<pool_memory>(map_, chosen.count_forks.value)),
      allowed_(std::move(allowed)), pinning_(chosen.pin.value.value_or(true)), stays_pinned_(chosen.pin.chosen()),
      counts_forks_(chosen.count_forks.value), spin_ns_(in_ns(chosen.spin.value)),
      oversubscription_(map_.workers(), processors), touches_(map_.workers()), process_(fork_generation()),
      stacks_(chosen.stack_bytes.value), registered_(map_.workers()),
      sleep_(map_.workers(), std::pmr::new_delete_resource(), registered_.counts()),
      permit_(sleep_, map_.workers(), bound_processors(), memory_->permitted()),
      observers_(make_counted<observer_list>()), stall_(stall_watch::if_asked(*this)),
      parked_(stall_ == nullptr ? nullptr : &stall_->parked()), lent_(std::make_unique<lent_thread>(*this)),
      regions_(make_counted<region_list const>()) {
  if (registered_.get() != nullptr) {
    for (std::uint32_t const p : bound_processors()) registered_.get()->binds_to(p);
  }
  workers_.reserve(map_.workers());
  for (std::uint32_t w = 0; w < map_.workers(); ++w) {
    worker_id const number{w};
    workers_.push_back(std::make_unique<worker>(*this, number, memory_->record_of(number)));
  }
}

pool_core::pool_core(pool_core& host, worker_id w)
    : host_(&host.host()), map_(host.map_.part({&w, 1})), guest_record_(std::make_unique<worker_record>()),
      allowed_(host.allowed_), pinning_(false), stays_pinned_(false), counts_forks_(host.counts_forks_),
      spin_ns_(host.spin_ns_), oversubscription_(2, 1), touches_(1), process_(host.process_),
      stacks_(host.stacks_.stack_bytes()), sleep_(1), observers_(host.observers_),
      regions_(make_counted<region_list const>()) {
  workers_.push_back(std::make_unique<worker>(*this, worker_id{0}, *guest_record_));
  sleep_.begin_without_threads();
}

std::vector<std::uint32_t> pool_core::bound_processors() const {
  std::vector<std::uint32_t> all;
  if (!pinning_ || !stays_pinned_ || !map_.is_this_system()) return all;
  for (std::uint32_t w = 0; w < map_.workers(); ++w) all.push_back(map_.pu_of(worker_id{w}));
  return all;
}

void pool_core::ask_lent_thread() noexcept { lent_->ask(); }

policies::arms::partitions const* pool_core::partitions_of(layout const& where) const noexcept {
  return partitions_ != nullptr && partitions_->workers() == where.workers() ? partitions_.get() : nullptr;
}

void pool_core::remember(std::optional<history_file> h) {
  if (h) h->expect(identity_of(map_));
  history_ = std::move(h);
}

policies::known_times pool_core::known_to(layout const& where) const noexcept {
  return history_ && where.workers() == workers() ? history_->read() : policies::known_times{};
}

void pool_core::trace_to(std::unique_ptr<trace::trace_file> t) {
  trace_ = std::move(t);
  for (std::uint32_t w = 0; w < workers(); ++w) workers_[w]->trace_to(trace_->track_of(w));
  outside_ = trace_->track_of(workers());
  ask_for_times();  // or callers would not read the clock when they work
}

void pool_core::save_history() const noexcept try {
  if (history_) history_->write(first_region_->known(), first_region_->choices());
} catch (std::bad_alloc const&) {
  std::fputs("skua: note: no memory to write the history\n", stderr);
}

pool_core::~pool_core() {
  note_all_choices();
  stop();
  while (!visitors_.are_gone()) ::sched_yield();
}

void pool_core::start() {
  sleep_.begin_asleep();
  try {
    for (auto& w : workers_) w->start();
    for (auto& w : workers_) w->await_ready();
    // So that the first call finds a place. Each thread is about to sleep.
    for (auto& w : workers_) {
      while (!sleep_.is_waiting(w->number())) ::sched_yield();
    }
    std::vector<int> threads;
    for (auto& w : workers_) threads.push_back(w->thread_number());
    oversubscription_.watch(std::move(threads));
    if (stall_ != nullptr) {
      ask_for_times();
      stall_->begin();
    }
  } catch (...) {
    stop();
    throw;
  }
}

void pool_core::stop() noexcept {
  if (stall_ != nullptr) stall_->end();
  if (lent_ != nullptr) lent_->end();
  // release: the last work before closing. Pairs with: closing, load.
  closing_.store(true, std::memory_order_release);
  sleep_.wake_all();
  for (auto& w : workers_) w->join();
}

void pool_core::end_with_process() noexcept {
  std::shared_ptr<region_list const> all;
  static_cast<void>(share_regions(all));
  permit_.abandon();
  bool const ends = retire(*all);
  if (ends) stop();
  if (memory_ != nullptr) memory_->stays();
  for (auto const& r : *all) r->print_report();  // which are never destroyed
  if (trace_ == nullptr) return;
  note_all_choices();
  if (ends) {
    end_trace();
  } else {
    trace_->note_end();
  }
}

/// Waits briefly for the workers to sleep: idle ones still search, if for a shorter time, and busy ones may be about to end their
/// tasks.
bool pool_core::retire(region_list const& all) noexcept {
  constexpr std::uint64_t patience_with_idle_ns = 1'000'000'000;
  constexpr std::uint64_t patience_ns = 20'000'000;
  std::uint64_t const began = clock_ns();
  is_in_a_hurry_.store(true, std::memory_order_relaxed);  // relaxed, both: advice
  for (;;) {
    if (sleep_.retire([&] { return is_unused(all); })) return true;
    std::uint32_t const searching = sleep_.searching_now();
    bool const all_idle = searching > 0 && searching + sleep_.asleep_now() >= workers();
    if (clock_ns() - began > (all_idle ? patience_with_idle_ns : patience_ns)) break;
    interruptible_sleep(std::chrono::microseconds(50));
  }
  is_in_a_hurry_.store(false, std::memory_order_relaxed);
  return false;
}

/// Call it while all threads sleep in their own places.
bool pool_core::is_unused(region_list const& all) noexcept {
  return nothing_in_progress(detached_, stacks_, workers_, all);
}

void pool_core::note_mark(char const* name, std::uint64_t number) noexcept {
  std::lock_guard const hold(regions_changing_);
  if (outside_.is_on()) outside_.note({.what = trace::kind::mark, .other = outside_.name(name), .value = number});
}

void pool_core::note_choices(region const& r) noexcept try {
  if (!outside_.is_on()) return;
  for (policies::call_choice const& c : r.choices()) {
    if (c.calls == c.earlier_calls) continue;
    outside_.note({.what = trace::kind::call_choice,
                   .count = static_cast<std::uint16_t>(r.number()),
                   .other = trace_->add_name(policies::text_of(c))});
  }
} catch (std::bad_alloc const&) {  // the trace has one event less
}

void pool_core::note_all_choices() noexcept {
  std::lock_guard const hold(regions_changing_);
  for (auto const& r : *regions_) {
    if (!r->is_closed_) note_choices(*r);
  }
}

/// No worker writes any more, and callers that work alone are not traced.
void pool_core::end_trace() noexcept {
  std::lock_guard const hold(regions_changing_);
  outside_ = {};
  trace_.reset();
}

bool pool_core::lost_by_fork() const noexcept { return process_ != fork_generation(); }

void pool_core::check_process() const {
  if (lost_by_fork()) {
    throw error("this pool's workers stayed in the parent process; after fork() the child makes a pool of its own");
  }
}

std::shared_ptr<region> pool_core::open_region(policies::policy_factory const& make,
                                               std::span<worker_id const> members) {
  // Not under the lock: `make` may be the program's. relaxed: a number.
  std::uint64_t const seed = regions_opened_.fetch_add(1, std::memory_order_relaxed) + 1;
  auto const made = make_counted<region>(*this, make, members, seed);
  std::shared_ptr<region_list const> list;  // the old one dies after the lock, perhaps with regions
  std::lock_guard const hold(regions_changing_);
  auto longer = copy_open_regions();
  longer->push_back(made);
  list = std::move(longer);
  made->request_attention();  // for those who sleep already (sleep.md, "The first sleep")
  if (first_region_ == nullptr) first_region_ = made.get();
  publish(list);
  if (outside_.is_on()) {
    outside_.note({.what = trace::kind::region_opened,
                   .count = static_cast<std::uint16_t>(seed),
                   .other = trace_->add_name(made->policy_name()),
                   .value = made->workers()});
  }
  return made;
}

void pool_core::close_region(region& r) noexcept {
  std::shared_ptr<region_list const> list;  // as in open_region
  std::lock_guard const hold(regions_changing_);
  r.is_closed_ = true;
  note_choices(r);
  if (outside_.is_on())
    outside_.note({.what = trace::kind::region_closed, .count = static_cast<std::uint16_t>(r.number())});
  try {
    list = copy_open_regions();
  } catch (std::bad_alloc const&) {
    return;
  }
  publish(list);
}

std::shared_ptr<region_list> pool_core::copy_open_regions() const {
  auto copy = make_counted<region_list>();
  copy->reserve(regions_->size() + 1);
  std::ranges::copy_if(*regions_, std::back_inserter(*copy), [](auto const& r) { return !r->is_closed_; });
  return copy;
}

bool pool_core::has_further_regions() noexcept {
  std::lock_guard const hold(regions_changing_);
  return std::ranges::any_of(*regions_, [&](auto const& r) { return r.get() != first_region_ && !r->is_closed_; });
}

void pool_core::publish(std::shared_ptr<region_list const>& list) noexcept {
  regions_.swap(list);
  // release: the list before its number. Pairs with: regions_version, load.
  regions_version_.fetch_add(1, std::memory_order_release);
}

std::uint64_t pool_core::share_regions(std::shared_ptr<region_list const>& with) noexcept {
  std::shared_ptr<region_list const> list;  // as in open_region
  std::lock_guard const hold(regions_changing_);
  list = std::exchange(with, regions_);
  return regions_version_.load(std::memory_order_relaxed);  // relaxed: under the mutex
}

std::string pool_core::pin(worker_id w) const {
  pin_result const result = pin_this_thread(map_, w, pinning_);
  switch (result.outcome) {
    case pinning::pinned: return result.why;
    case pinning::not_asked: return "not pinned: " + result.why;
    case pinning::pointless: return "not pinned: " + result.why;
    case pinning::refused: return "pinning refused: " + result.why;
  }
  return {};
}

void pool_core::request_attention() noexcept {
  std::lock_guard const hold(regions_changing_);
  for (auto const& r : *regions_) r->request_attention_of_awake();
}

void pool_core::request_attention_of_others(worker_id left) noexcept {
  std::lock_guard const hold(regions_changing_);
  for (auto const& r : *regions_) r->request_attention_of_awake_but(left);
}

void pool_core::notify_of_common_work() noexcept {
  full_fence();  // after the look at the counts: what was pushed while somebody searched is seen. Pairs with: P3
  bool any = false;
  {
    std::lock_guard const hold(regions_changing_);
    any = std::ranges::any_of(*regions_, [](auto const& r) { return r->has_injected() || r->has_ready(); });
  }
  if (any) sleep_.notify();
}

void pool_core::back_off() noexcept {
  // A worker that never sleeps does not look before it falls asleep.
  if (never_sleeps()) oversubscription_.look_again(clock_ns());
  if (oversubscription_.is_oversubscribed()) {
    ::sched_yield();
    return;
  }
  for (int i = 0; i < 4; ++i) relax();
}

}}}  // namespace skua::v0::runtime
