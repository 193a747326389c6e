// SPDX-License-Identifier: MIT
#include "skua/machine/threads/face/default_region.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/region.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"
#include "skua/machine/threads/face/executor.hpp"
#include "skua/machine/threads/face/pool.hpp"
#include "skua/parts/base/announced_atomic.hpp"
#include "skua/parts/base/fork_handlers.hpp"
#include "skua/policy/registry.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

/// A region that a limit has asked for. It stays open, because it may still hold a group's tasks; its pool destroys it.
struct narrow_region {
  pool const* owner;
  std::uint32_t workers;
  runtime::region* region;
  narrow_region const* next;
};

}  // namespace

struct worker_limit::number {
  std::uint32_t const most;
  number* next;  ///< the one made before it, of those that live
};

/// Never destroyed: threads may call in while the process ends.
class worker_limits {
 public:
  static worker_limits& all() noexcept {
    static constinit worker_limits these;
    return these;
  }

  // relaxed: a number. A thread that needs more from the limit's thread is ordered after it anyway.
  [[nodiscard]] std::uint32_t least() const noexcept { return least_.load(std::memory_order_relaxed); }

  worker_limit::number* add(std::uint32_t most) {
    auto made = std::make_unique<worker_limit::number>(worker_limit::number{most, nullptr});
    std::lock_guard const hold(changing_);
    made->next = newest_;
    newest_ = made.release();
    find_least();
    return newest_;
  }
  void remove(worker_limit::number* l) noexcept {
    std::lock_guard const hold(changing_);
    worker_limit::number** link = &newest_;
    while (*link != l) link = &(*link)->next;
    *link = l->next;
    delete l;
    find_least();
  }

  region& region_of(pool& all, std::uint32_t workers) {
    // acquire: the region is complete. Pairs with: find_or_open, store.
    narrow_region const* const last = last_used_.load(std::memory_order_acquire);
    if (last != nullptr && last->owner == &all && last->workers == workers) return *last->region;
    return find_or_open(all, workers);
  }

  static void before_fork() noexcept { all().changing_.lock(); }
  static void after_fork() noexcept { all().changing_.unlock(); }

 private:
  void find_least() noexcept {
    std::uint32_t least = worker_limit::none;
    for (auto const* l = newest_; l != nullptr; l = l->next) least = std::min(least, l->most);
    least_.store(least, std::memory_order_relaxed);  // relaxed: see least
  }

  region& find_or_open(pool& all, std::uint32_t workers) {
    std::lock_guard const hold(changing_);
    narrow_region const* found = regions_;
    while (found != nullptr && (found->owner != &all || found->workers != workers)) found = found->next;
    if (found == nullptr) {
      auto made = std::make_unique<narrow_region>(narrow_region{&all, workers, nullptr, regions_});
      std::vector<worker_id> first(workers);
      for (std::uint32_t w = 0; w < workers; ++w) first[w] = worker_id{w};
      pool_core& core = runtime::core_of(all);
      made->region =
          core.open_region(runtime::root_region_of(all).policy_maker(), first).get();  // the core's list keeps it
      made->region->limit(runtime::root_region_of(all));
      found = regions_ = made.release();
    }
    last_used_.store(found, std::memory_order_release);  // release: as above
    return *found->region;
  }

  std::mutex changing_;
  worker_limit::number* newest_ = nullptr;  ///< under changing_
  narrow_region const* regions_ = nullptr;  ///< under changing_
  std::atomic<std::uint32_t> least_{worker_limit::none};
  announced_atomic<narrow_region const*> last_used_{nullptr};
};

[[gnu::init_priority(before_static_objects)]] static fork_handlers const limits_go_over_fork{
    &worker_limits::before_fork, &worker_limits::after_fork, &worker_limits::after_fork};

worker_limit::worker_limit(std::uint32_t most) : mine_(worker_limits::all().add(most)) {}
worker_limit::~worker_limit() { worker_limits::all().remove(mine_); }
std::uint32_t worker_limit::least() noexcept { return worker_limits::all().least(); }

region& default_region() {
  pool& all = default_pool();
  std::uint32_t const least = worker_limit::least();
  if (least == worker_limit::none || least >= all.num_workers()) [[likely]]
    return runtime::root_region_of(all);
  return worker_limits::all().region_of(all, least);
}

std::uint32_t workers_around() {
  worker* const w = worker::current();
  if (w == nullptr) return std::min(default_pool().num_workers(), worker_limit::least());
  return slot_of(w->running_fiber()).region.workers_around();
}

}}}  // namespace skua::v0::runtime
