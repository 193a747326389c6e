// SPDX-License-Identifier: MIT
#include "skua/machine/threads/pool.hpp"

#include <numeric>

namespace skua {

namespace {

settings choose(pool_options const& o) {
  settings s = settings_from_environment(process_environment());
  if (o.workers) s.workers.set(*o.workers);
  if (o.policy) s.policy.set(*o.policy);
  if (o.places) s.places.set(*o.places);
  if (o.pin) s.pin.set(*o.pin);
  if (o.spin) s.spin.set(*o.spin);
  if (o.stack_bytes) s.stack_bytes.set(*o.stack_bytes);
  return s;
}

std::vector<worker_id> first_workers(std::uint32_t n) {
  std::vector<worker_id> all(n);
  for (std::uint32_t i = 0; i < n; ++i) all[i] = worker_id{i};
  return all;
}

}  // namespace

pool::pool(pool_options const& options) {
  facts_.chosen = choose(options);
  layout map = layout::flat(facts_.chosen.workers.value.value_or(2));
  crew_ = std::make_unique<threads::crew>(std::move(map), facts_.chosen);
  root_ = crew_->open_region(facts_.chosen.policy.value, first_workers(crew_->workers()));
  crew_->start();
}

pool::~pool() = default;

std::unique_ptr<region_handle> pool::open_region(std::string_view policy, std::uint32_t workers) {
  check_process();
  auto const members = first_workers(workers == 0 ? crew_->workers() : workers);
  return std::make_unique<region_handle>(*crew_, crew_->open_region(policy, members));
}

void pool::check_process() const {
  if (crew_->lost_by_fork()) {
    throw error("this pool's workers stayed in the parent process; after fork() the child makes a pool of its own");
  }
}

pool_facts pool::facts() const { return facts_; }

std::vector<worker_counters> pool::counters() const {
  std::vector<worker_counters> all;
  all.reserve(workers());
  for (std::uint32_t w = 0; w < workers(); ++w) all.push_back(crew_->worker_at(worker_id{w}).counts().read());
  return all;
}

}  // namespace skua
