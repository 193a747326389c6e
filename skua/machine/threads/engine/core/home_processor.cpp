// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/core/home_processor.hpp"

#include <sched.h>

#include <new>
#include <utility>

#include "skua/parts/base/clock.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/topology/affinity.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr std::uint64_t period_ns = 1'000'000;

}  // namespace

void home_processor::begin(bool stays_bound) {
  cpu_mask const mine = affinity_of_this_thread();
  if (mine.size() == 1) pu_ = static_cast<int>(mine.members().front());
  stays_bound_ = stays_bound;
}

bool home_processor::is_elsewhere() const noexcept { return ::sched_getcpu() != pu_; }

void home_processor::go() noexcept {
  tsan::unseen const of_the_thread;
  std::uint64_t const now = clock_ns();
  if (now - came_ns_ < period_ns || (!stays_bound_ && are_left(now))) return;
  came_ns_ = now;
  if (stays_bound_ && callers_) return;
  saved_mask before = bind();
  if (stays_bound_) {
    callers_ = std::move(before);
  } else {
    after_sleep(before);
  }
}

void home_processor::stay() noexcept {
  if (pu_ < 0) return;
  tsan::unseen const of_the_thread;
  if (!stays_bound_) return come();
  if (!callers_) callers_ = bind();
}

void home_processor::leave() noexcept {
  if (callers_) static_cast<void>(bind_this_thread(*std::exchange(callers_, std::nullopt)));
}

home_processor::saved_mask home_processor::before_sleep() const noexcept {
  return pu_ < 0 || stays_bound_ || are_left(clock_ns()) ? std::nullopt : bind();
}

void home_processor::after_sleep(saved_mask const& from) const noexcept {
  if (from) release(*from);
}

void home_processor::after_first_sleep(cpu_mask const& usual) const noexcept {
  if (pu_ >= 0 && !stays_bound_ && usual.size() > 1) release(usual);
}

home_processor::saved_mask home_processor::bind() const noexcept {
  try {
    cpu_mask mine = affinity_of_this_thread();
    if (mine.size() < 2 || !mine.contains(static_cast<std::uint32_t>(pu_))) return std::nullopt;
    cpu_mask home;
    home.insert(static_cast<std::uint32_t>(pu_));
    if (!bind_this_thread(home)) return mine;
  } catch (std::bad_alloc const&) {  // it keeps its processor
  }
  return std::nullopt;
}

/// Keeps a mask that something else has set, such as taskset.
void home_processor::release(cpu_mask const& to) const noexcept {
  try {
    cpu_mask const mine = affinity_of_this_thread();
    if (mine.size() != 1 || !mine.contains(static_cast<std::uint32_t>(pu_))) return;
  } catch (std::bad_alloc const&) {  // then it most likely is bound
  }
  static_cast<void>(bind_this_thread(to));
}

}}}  // namespace skua::v0::runtime
