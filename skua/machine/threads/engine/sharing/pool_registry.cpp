// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/sharing/pool_registry.hpp"

#include "skua/parts/base/process.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

constexpr std::uint32_t word_bits = 64;

}  // namespace

// relaxed, all of this file: advice, by which nobody reads other data. The pools of the process from which fork() made this one keep their entries here, with
// the counts that they had then; nobody heeds them.

void pool_registry::entry::binds_to(std::uint32_t processor) noexcept {
  if (processor / word_bits >= bound_.size()) return;
  bound_[processor / word_bits].fetch_or(std::uint64_t{1} << (processor % word_bits), std::memory_order_relaxed);
}

pool_registry::entry* pool_registry::enter(std::uint32_t workers) noexcept {
  for (std::size_t i = 0; i < capacity; ++i) {
    entry& e = entries_[i];
    std::uint32_t free = 0;
    if (!e.workers_.compare_exchange_strong(free, workers, std::memory_order_relaxed)) continue;
    e.process_.store(fork_generation(), std::memory_order_relaxed);
    e.counts_.store(workers * sleep_counts::one_asleep, std::memory_order_relaxed);
    e.since_ns_.store(0, std::memory_order_relaxed);
    e.lasted_ns_.store(0, std::memory_order_relaxed);
    for (auto& word : e.bound_) word.store(0, std::memory_order_relaxed);
    std::size_t used = used_.load(std::memory_order_relaxed);
    while (used <= i && !used_.compare_exchange_weak(used, i + 1, std::memory_order_relaxed)) {}
    pools_.fetch_add(1, std::memory_order_relaxed);
    return &e;
  }
  return nullptr;
}

void pool_registry::leave(entry* e) noexcept {
  e->workers_.store(0, std::memory_order_relaxed);
  pools_.fetch_sub(1, std::memory_order_relaxed);
}

bool pool_registry::look_at_others(entry const& mine, std::uint32_t processors, std::uint64_t now_ns) noexcept {
  std::uint32_t const process = mine.process_.load(std::memory_order_relaxed);
  std::size_t const used = used_.load(std::memory_order_relaxed);
  std::uint32_t awake = 0;
  bool is_worth_it = false;
  bool mine_runs = false;
  bool others_run = false;
  for (std::size_t i = 0; i < used; ++i) {
    entry& e = entries_[i];
    std::uint32_t const workers = e.workers_.load(std::memory_order_relaxed);
    if (workers == 0 || e.process_.load(std::memory_order_relaxed) != process) continue;
    sleep_counts const now{e.counts_.load_hint(std::memory_order_relaxed)};
    awake += workers - now.asleep();
    bool const runs = workers > now.asleep() + now.searching();
    bool const long_ones = runs_for_long(e, runs, now_ns);
    bool& any = &e == &mine ? mine_runs : others_run;
    any = any || runs;
    is_worth_it = is_worth_it || (long_ones && &e != &mine);
  }
  if (mine_runs && others_run && awake > processors)
    contended_until_ns_.store(now_ns + contention_ns, std::memory_order_relaxed);
  return is_worth_it && awake > processors;
}

bool pool_registry::runs_for_long(entry& e, bool runs, std::uint64_t now_ns) noexcept {
  std::uint64_t const since = e.since_ns_.load(std::memory_order_relaxed);
  if (!runs) {
    if (since == 0) return false;
    e.lasted_ns_.store(now_ns - since, std::memory_order_relaxed);
    e.since_ns_.store(0, std::memory_order_relaxed);
    return false;
  }
  if (since == 0) e.since_ns_.store(now_ns, std::memory_order_relaxed);
  std::uint64_t const so_far = since == 0 || now_ns < since ? 0 : now_ns - since;
  return so_far > worth_ns || e.lasted_ns_.load(std::memory_order_relaxed) > worth_ns;
}

bool pool_registry::is_bound_to(std::uint32_t processor) const noexcept {
  std::size_t const word = processor / word_bits;
  std::uint64_t const bit = std::uint64_t{1} << (processor % word_bits);
  for (entry const& e : entries_) {
    if (e.workers_.load(std::memory_order_relaxed) == 0 ||
        e.process_.load(std::memory_order_relaxed) != fork_generation())
      continue;
    if (word < e.bound_.size() && (e.bound_[word].load(std::memory_order_relaxed) & bit) != 0) return true;
  }
  return false;
}

}}}  // namespace skua::v0::runtime
