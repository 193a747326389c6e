// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/collection/rank_worker.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

#include "skua/machine/ranks/collection/rank_workers.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

// Reading the clock takes as long as a short task; so it is read once in some hundred nanoseconds to two microseconds.
constexpr std::uint32_t longest_stride = 8;
constexpr std::uint64_t short_streak_ns = 2'000;

}  // namespace

rank_worker::rank_worker(rank_workers& all, std::uint32_t number, split_queue& queue, task_record& record,
                         worker_trace traced)
    : worker_call{.run = [](worker_call& self) noexcept { static_cast<rank_worker&>(self).work(); }}, all_(all),
      number_(number), rank_(all.network().rank()), queue_(queue), record_(record), traced_(traced),
      current_(queue.slot_bytes()) {}

std::uint32_t rank_worker::ranks() const noexcept { return all_.network().ranks(); }
std::uint32_t rank_worker::workers() const noexcept { return all_.count(); }
void rank_worker::progress() { all_.progress_of(*this); }

/// The work of one of the rank's threads, from its start until it finds no task.
void rank_worker::work() noexcept {
  std::uint64_t now_ns = all_.network().now_ns();
  while (take()) now_ns = run_current(now_ns);
  pause(now_ns);
  all_.ended(*this);
}

bool rank_worker::take() noexcept { return queue_.pop(current_.data()) || (all_.has_threads() && steal()); }

/// Steals tasks that came from other ranks first, then those that other workers share, beginning behind this one.
bool rank_worker::steal() noexcept {
  if (&all_.arrivals() != &queue_ && steal_from(all_.arrivals())) return true;
  for (std::uint32_t n = 1; n < all_.count(); ++n) {
    split_queue& victim = all_.queue_of((number_ + n) % all_.count());
    if (&victim == &queue_ || !steal_from(victim)) continue;
    traced_.note({.what = trace::kind::stolen, .count = stolen_in_rank, .other = (number_ + n) % all_.count()});
    return true;
  }
  return false;
}

/// Takes half of the shared tasks: the newest becomes the current task, the others go to this worker's queue.
bool rank_worker::steal_from(split_queue& victim) noexcept {
  split_queue::range const taken = victim.steal(
      queue_.room(), [this](std::byte const* oldest) { return all_.shape().mark_of(oldest).divides != 0; });
  if (taken.tasks() == 0) return false;
  std::size_t const slot = queue_.slot_bytes();
  std::byte const* const first = taken.bytes().data();
  std::uint64_t kept = 0;
  try {
    for (; kept + 1 < taken.tasks(); ++kept) queue_.push(first + kept * slot);
  } catch (...) {
    all_.fail(std::current_exception());
    count_.executed += taken.tasks() - 1 - kept;  // the rest is dropped: a failed collection runs no further task
    for (; kept + 1 < taken.tasks(); ++kept) all_.shape().drop(first + kept * slot);
  }
  std::memcpy(current_.data(), first + (taken.tasks() - 1) * slot, slot);
  victim.give_back(taken);
  return true;
}

/// Lets idle workers of the rank take tasks that wait here.
void rank_worker::offer() noexcept {
  if (!all_.some_idle() || queue_.empty()) return;
  queue_.share_all();
  static_cast<void>(all_.start_one());
}

std::uint64_t rank_worker::run_current(std::uint64_t read_ns) noexcept {
  ++count_.executed;
  if (all_.is_cancelled()) {
    all_.shape().drop(current_.data());
    return read_ns;
  }
  offer();
  children_ = 0;
  bool const spawned = all_.shape().mark_of(current_.data()).spawned != 0;
  if (!spawned && unread_ > 0) read_ns = read_clock(read_ns);
  if (unread_ == 0 && traced_.is_on()) {
    traced_.acts(trace::kind::working);
    traced_.tasks_begin(all_.binding().name, count_.executed);
  }
  task_outcome outcome = task_outcome::null;
  try {
    lent_in_task const lent(all_.lent_by(*this));
    outcome = meter_ == nullptr ? split_and_call() : call_measured();
  } catch (...) {
    all_.fail(std::current_exception());
  }
  if (spawned || outcome == task_outcome::null) all_.shape().drop(current_.data());
  if (++unread_ < stride_ && spawned) return read_ns;
  std::uint64_t const ended_ns = read_clock(read_ns);
  if (spawned) {
    stride_ = ended_ns - read_ns < short_streak_ns ? std::min(stride_ * 2, longest_stride) : 1;
  } else if (outcome == task_outcome::done) {
    keep(ended_ns - read_ns);
  }
  return ended_ns;
}

/// Counts all time since the last reading for the tasks.
std::uint64_t rank_worker::read_clock(std::uint64_t read_ns) noexcept {
  std::uint64_t const now_ns = all_.network().now_ns();
  busy_ns_ += now_ns - read_ns;
  traced_.tasks_end(unread_);
  unread_ = 0;
  return now_ns;
}

void rank_worker::keep(std::uint64_t ns) noexcept {
  try {
    if (meter_ == nullptr) {
      record_.add(current_.data(), ns);
    } else {
      record_.add(current_.data(), ns, meter_->footprint());
    }
  } catch (...) {
    all_.shape().drop(current_.data());
    all_.fail(std::current_exception());
  }
}

task_outcome rank_worker::call_measured() {
  struct measured {
    task_meter& by;
    ~measured() { by.end(); }
  } const until_it_ends{*meter_};
  meter_->begin(rank_);
  return split_and_call();
}

/// A task that can split does so until it is a leaf (splitting.md).
task_outcome rank_worker::split_and_call() {
  slot_shape const& shape = all_.shape();
  runtime::task_binding const& binding = all_.binding();
  if (shape.mark_of(current_.data()).divides != 0) [[unlikely]]
    binding.split(shape.task_in(current_.data()), *this);
  return binding.run(binding.function, *this, shape.task_in(current_.data()));
}

/// Its mark is that of the whole: it is recorded, or spawned again, as the whole would be.
void rank_worker::part(std::span<std::byte const> task, bool divides) {
  slot_mark mark = all_.shape().mark_of(current_.data());
  mark.divides = divides ? 1 : 0;
  push(task, mark);
}

void rank_worker::rest(std::span<std::byte const> task) {
  slot_mark mark = all_.shape().mark_of(current_.data());
  mark.divides = 0;
  all_.shape().replace(current_.data(), task);
  all_.shape().set_mark(current_.data(), mark);
}

void rank_worker::spawn(std::span<std::byte const> task) { push(task, all_.mark_of_new(true, all_.divides(task))); }

void rank_worker::push(std::span<std::byte const> task, slot_mark mark) {
  held_in_task const held(all_.lent_by(*this));
  std::byte* const slot = queue_.reserve();
  all_.shape().put(slot, task);
  all_.shape().set_mark(slot, mark);
  if (!adds(slot)) return;
  queue_.commit();
  offer();
}

bool rank_worker::adds(std::byte* slot) {
  if (recovery_log* const log = all_.log()) {
    std::uint64_t const parent = all_.shape().identity_of(current_.data()).number;
    all_.shape().set_identity(slot, {recovery_log::child_number(parent, children_++), 0});
    if (log->held_back(slot)) return false;
  }
  ++count_.added;
  return true;
}

}}}  // namespace skua::v0::ranks
