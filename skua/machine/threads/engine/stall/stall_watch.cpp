// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/stall/stall_watch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/stall/stall_report.hpp"
#include "skua/parts/base/clock.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/options.hpp"
#include "skua/parts/base/process.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

/// The thread that watches all pools of this process that ask for it. It lives as long as there is such a pool.
class watchman {
 public:
  /// A child of fork() has none of its parent's threads, so it gets a watchman of its own. Never destroyed: pools may end after
  /// static objects.
  static watchman& of_process() {
    static std::atomic<watchman*> newest{nullptr};
    watchman* found = newest.load(std::memory_order_acquire);  // acquire: it is made. Pairs with: the exchange below
    while (found == nullptr || found->made_in_ != fork_generation()) {
      auto mine = std::make_unique<watchman>();
      // acq_rel: publishes ours, or acquires another thread's. Pairs with: itself, and the load above.
      if (newest.compare_exchange_strong(found, mine.get(), std::memory_order_acq_rel)) found = mine.release();
    }
    return *found;
  }

  void add(stall_watch& w) {
    std::lock_guard const one_by_one(starting_);
    {
      std::lock_guard const hold(mutex_);
      pools_.push_back(&w);
    }
    if (thread_.joinable()) return changed_.notify_one();
    try {
      thread_ = std::thread([this] { run(); });
    } catch (std::system_error const& e) {
      forget(w);
      throw resource_error(std::string("SKUA_STALL: no thread that watches the pool: ") + e.what());
    } catch (std::bad_alloc const&) {
      forget(w);
      throw;
    }
  }
  void remove(stall_watch& w) noexcept {
    std::lock_guard const one_by_one(starting_);
    if (!forget(w)) return;
    changed_.notify_one();
    thread_.join();
  }

 private:
  /// True: it was the last.
  bool forget(stall_watch const& w) noexcept {
    std::lock_guard const hold(mutex_);
    std::erase(pools_, &w);
    return pools_.empty();
  }

  void run() {
    std::unique_lock hold(mutex_);
    while (!pools_.empty()) {
      std::uint64_t pause = ~std::uint64_t{0};
      for (stall_watch* const w : pools_) {
        pause = std::min(pause, w->limit_ns() / 4);
        try {
          std::string const report = w->look(clock_ns());
          if (!report.empty()) std::fputs(report.c_str(), stderr);
        } catch (std::bad_alloc const&) {  // perhaps there is memory at the next look
        }
      }
      std::size_t const watched = pools_.size();
      changed_.wait_for(hold, std::chrono::nanoseconds(std::clamp<std::uint64_t>(pause, 1'000'000, 1'000'000'000)),
                        [&] { return pools_.size() != watched; });
    }
  }

  std::uint32_t const made_in_ = fork_generation();
  std::mutex starting_;  ///< held to start the thread, and to end it
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<stall_watch*> pools_;
  std::thread thread_;  ///< under starting_
};

}  // namespace

std::unique_ptr<stall_watch> stall_watch::if_asked(pool_core& c) {
  auto const text = process_environment()("SKUA_STALL");
  if (!text || text->find_first_not_of(" \t\r\n") == std::string::npos) return nullptr;
  std::chrono::nanoseconds const limit = read_duration("SKUA_STALL", *text);
  if (limit.count() == 0 || limit == spin_forever) return nullptr;
  return std::make_unique<stall_watch>(c, static_cast<std::uint64_t>(limit.count()));
}

void stall_watch::begin() {
  watchman::of_process().add(*this);
  is_watched_ = true;
}

void stall_watch::end() noexcept {
  if (!std::exchange(is_watched_, false)) return;
  watchman::of_process().remove(*this);
}

std::string stall_watch::look(std::uint64_t now_ns) {
  parked_frames& parked = *core_.parked();
  std::uint64_t const now = marks_of_progress(core_, parked);
  if (now != moved_ || since_ns_ == 0) {
    moved_ = now;
    since_ns_ = now_ns;
    has_told_ = false;
  }
  if (has_told_ || now_ns - since_ns_ < limit_ns_ || !has_work(core_, parked)) return {};
  has_told_ = true;
  std::string const head = "skua: nothing has moved for " + std::to_string((now_ns - since_ns_) / 1'000'000) +
                           " ms in a pool of " + std::to_string(core_.workers()) + " workers:\n";
  return head + describe_stall(core_, parked, now_ns);
}

}}}  // namespace skua::v0::runtime
