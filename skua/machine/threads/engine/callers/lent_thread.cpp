// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/callers/lent_thread.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "skua/machine/threads/engine/callers/guest.hpp"
#include "skua/machine/threads/engine/core/marks.hpp"
#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/region.hpp"
#include "skua/parts/base/clock.hpp"
#include "skua/parts/topology/affinity.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

/// Several times as long as the system keeps a worker off its processor.
constexpr std::uint64_t patience_ns = 50'000'000;
constexpr std::chrono::milliseconds between_looks{10};

/// Changes whenever a worker begins a task, forks (since the last look) or parks, or a call from outside comes or goes in its place.
std::uint64_t marks_of_workers(pool_core& c, region_list const& open) noexcept {
  digest all;
  for (std::uint32_t w = 0; w < c.workers(); ++w) add_marks(all, c.worker_at(worker_id{w}));
  for (auto const& r : open) ask_to_mark_forks(*r);
  return all.value();
}

bool anything_enqueued(region_list const& open) noexcept {
  return std::ranges::any_of(open, [](auto const& r) { return r->has_enqueued(); });
}

}  // namespace

void lent_thread::ask() noexcept {
  lending_.ask([this] { return start(); });
}

bool lent_thread::start() noexcept {
  if (thread_.joinable()) return true;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (std::system_error const&) {
    return false;
  }
  return true;
}

void lent_thread::end() noexcept {
  lending_.end();
  if (thread_.joinable()) thread_.join();
}

void lent_thread::run() noexcept {
  name_this_thread(core_.options_of_threads().name_of("lent"));
  // The asking thread may be bound to a processor, and new threads inherit its mask.
  static_cast<void>(bind_this_thread(core_.allowed()));
  while (watch() && lending_.rest([this] { return anything_enqueued(*open_regions(core_)); })) {}
}

/// Returns when no enqueued task is left. False: the thread must end.
bool lent_thread::watch() noexcept {
  for (;;) {
    open_regions const open(core_);
    if (!anything_enqueued(*open)) return true;
    std::uint64_t const now = clock_ns();
    std::uint64_t const marks = marks_of_workers(core_, *open);
    if (marks != marks_ || since_ns_ == 0) {
      marks_ = marks;
      since_ns_ = now;
    }
    if (now - since_ns_ < patience_ns) {
      if (!lending_.pause(between_looks)) return false;
      continue;
    }
    tagged_entry taken;
    auto const from =
        std::ranges::find_if(*open, [&](auto const& r) { return (taken = r->take_enqueued()).item != nullptr; });
    if (taken.item == nullptr) {  // a worker was faster, or only calls that need a worker's place are left
      if (!lending_.pause(between_looks)) return false;
      continue;
    }
    ran_.fetch_add(1, std::memory_order_relaxed);  // relaxed, all: only people read them
    is_running_.store(true, std::memory_order_relaxed);
    (*from)->guests().run_task(static_cast<handed&>(*taken.item), taken.extra);
    is_running_.store(false, std::memory_order_relaxed);
  }
}

}}}  // namespace skua::v0::runtime
