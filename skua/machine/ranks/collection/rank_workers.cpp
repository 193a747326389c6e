// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/collection/rank_workers.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "skua/machine/ranks/collection/task_work.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/context/current.hpp"

namespace skua { inline namespace v0 { namespace ranks {

rank_workers::rank_workers(communicator_core& core, runtime::task_binding const& binding, slot_shape shape,
                           split_queue& arrivals, task_record& record, recovery_log* log, std::uint64_t limit)
    : core_(core), binding_(binding), shape_(shape), arrivals_(arrivals), record_(record), log_(log), limit_(limit),
      threads_(core.threads()), server_works_(threads_ == nullptr || core.serves() == serving::between_tasks),
      roster_(threads_ == nullptr ? 0 : threads_->count()) {
  auto const track = [&](std::uint32_t n) {
    return worker_trace(core.trace() == nullptr ? nullptr : core.trace()->track(n));
  };
  if (server_works_) workers_.push_back(std::make_unique<rank_worker>(*this, 0, arrivals_, record_, track(0)));
  for (std::uint32_t n = 0; n < roster_.workers(); ++n) {
    auto& mine = belongings_.emplace_back(std::make_unique<belongings>(shape, limit));
    workers_.push_back(std::make_unique<rank_worker>(*this, count(), mine->queue, mine->record, track(n + 1)));
  }
}

rank_workers::~rank_workers() {
  drop_added();
  for (auto const& b : belongings_) drop_all(b->queue, shape_);
}

void rank_workers::drop_added() noexcept {
  std::vector<std::byte> const slots = added_.take();
  for (std::size_t at = 0; at < slots.size(); at += shape_.bytes()) shape_.drop(slots.data() + at);
}

void rank_workers::drop_waiting() {
  works_.clear();
  drop_added();
  for (std::vector<std::byte> slot(shape_.bytes()); arrivals_.pop(slot.data());) shape_.drop(slot.data());
}

void rank_workers::begin() {
  failure_.clear();
  for (auto const& w : workers_) w->begin();
  record_.clear();
  for (auto const& b : belongings_) b->record.clear();  // a process() that a loss ended has not merged them
  works_.clear();
  seeded_ = arrivals_.size();
  bring_added();
  server_ = runtime::thread_number();
}

double rank_workers::largest_work() const noexcept { return works_.empty() ? 0 : *std::ranges::max_element(works_); }

double rank_workers::sum_of_works() const noexcept { return std::accumulate(works_.begin(), works_.end(), 0.0); }

void rank_workers::prepare_weighing() {
  if (works_.size() == works_.capacity()) works_.reserve(2 * works_.size() + 16);
}

void rank_workers::record_waiting(double largest) {
  record_.reserve(works_.size());  // nothing below allocates
  std::vector<std::byte> slot(shape_.bytes());
  std::vector<std::byte> const added = added_.take();
  auto const record = [&](std::byte const* task) {
    record_.add(task, load_of(works_.back(), largest));
    works_.pop_back();
  };
  // Those that were added by other threads came after those of the queue.
  for (std::size_t at = added.size(); at > 0;) record(added.data() + (at -= shape_.bytes()));
  while (arrivals_.pop(slot.data())) record(slot.data());
}

bool rank_workers::start_one() noexcept {
  auto const idle = roster_.start();
  if (!idle) return false;
  threads_->start(*workers_[*idle + first_of_threads()]);
  return true;
}

void rank_workers::bring_added() {
  if (added_.looks_empty()) return;  // a hint; are_quiet looks again
  std::vector<std::byte> slots = added_.take();
  std::size_t at = 0;
  try {
    for (; at < slots.size(); at += shape_.bytes(), ++seeded_) arrivals_.push(slots.data() + at);
  } catch (...) {
    for (; at < slots.size(); at += shape_.bytes()) shape_.drop(slots.data() + at);
    fail(std::current_exception());
  }
}

void rank_workers::look_after() {
  if (!has_threads()) return;
  bring_added();
  if (!some_idle()) return;
  arrivals_.share_all();
  for (std::uint64_t tasks = fullest().shared(); tasks > 0 && start_one(); --tasks) {}
}

bool rank_workers::are_quiet() noexcept {
  if (!has_threads()) return arrivals_.empty();
  return is_quiet(roster_, added_, arrivals_);
}

task_count rank_workers::counted() const noexcept {
  task_count sum{.added = seeded_, .executed = 0};
  for (auto const& w : workers_) {
    sum.added += w->counted().added;
    sum.executed += w->counted().executed;
  }
  return sum;
}

std::uint64_t rank_workers::busy_ns() const noexcept {
  std::uint64_t sum = 0;
  for (auto const& w : workers_) sum += w->busy_ns();
  return sum;
}

void rank_workers::merge_records() {
  for (auto const& b : belongings_) {
    record_.append(b->record);
  }
}

std::uint64_t rank_workers::waiting() const {
  held_in_task const held(has_threads() ? nullptr : core_.lock_of_tasks());
  return arrivals_.size() + added_.size() / shape_.bytes();  // exact between two process()
}

split_queue& rank_workers::fullest() noexcept {
  split_queue* most = &arrivals_;
  for (auto const& b : belongings_) {
    if (b->queue.shared() > most->shared()) most = &b->queue;
  }
  return *most;
}

void rank_workers::add(std::span<std::byte const> task, bool spawned, double work) {
  if (spawned && log_ != nullptr) {
    throw usage_error(
        "a task adds to a collection whose lost tasks run again; allowed: site.spawn, which records the parent");
  }
  bool const splits = divides(task);
  added_.change([&](std::vector<std::byte>& slots) {
    std::size_t const at = slots.size();
    if (at / shape_.bytes() >= limit_) {
      throw resource_error("task collection: full, with its limit of " + std::to_string(limit_) +
                           " tasks on one rank; allow more, or add fewer");
    }
    bool const weighs = work > 0 && !spawned;
    if (weighs) prepare_weighing();
    slots.resize(at + shape_.bytes());
    try {
      shape_.put(slots.data() + at, task);
    } catch (...) {
      slots.resize(at);  // an empty slot must neither run nor be dropped
      throw;
    }
    shape_.set_mark(slots.data() + at, mark_of_new(spawned, splits));
    if (weighs) weigh(work);
  });
}

void rank_workers::ended(rank_worker const& who) noexcept { roster_.end(who.number() - first_of_threads()); }

void rank_workers::stop() noexcept {
  cancel();
  for (std::uint32_t rounds = 0; !roster_.all_idle(); ++rounds) network().rest(rounds);
}

void rank_workers::progress_of(rank_worker const& who) {
  // A task of the server may have forked, and call from another thread. Not std::this_thread::get_id(): when this is
  // inlined into a task, compilers may read it once for the whole task.
  bool const is_server = server_works_ && workers_.front().get() == &who && runtime::thread_number() == server_;
  if (!is_server) return;
  held_in_task const held(core_.lock_of_tasks());
  std::uint64_t const now_ns = network().now_ns();
  if (!pace_.is_due_in_task(now_ns)) return;
  core_.poll_in_task();
  pace_.looked(now_ns, network().now_ns());
}

}}}  // namespace skua::v0::ranks
