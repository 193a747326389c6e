// SPDX-License-Identifier: MIT
// Scripts for deque_model.cpp: requests for attention. (deque.md, "request_attention")
#pragma once

#include <atomic>
#include <mutex>

#include "skua/parts/queue/deque.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace deque_sleepers {

using explorer::memory, explorer::require;

/// A thread that requests attention, lets time pass, sees nothing and sleeps is woken by the owner of the next entry
/// (deque.md). With two or more pushes the owner refreshes the limit, which races with the request.
template <class Sync, int Pushes>
struct sleeper {
  static constexpr int threads = 2;
  skua::runtime::deque<Sync> queue{{.capacity = 2, .kind = Sync::kind(), .memory = &memory()}};
  typename Sync::template atomic<int> asleep{0};

  void run(int me) {
    if (me == 0) {
      for (int i = 0; i < Pushes; ++i) {
        if (queue.push(this) && queue.poll() == attention::requested) wake();
      }
      return;
    }
    auto const victim = queue.outside();
    asleep.store(1, std::memory_order_seq_cst);
    victim.request_attention();
    typename Sync::mutex lock;
    std::unique_lock hold(lock);
    typename Sync::condition signal;
    static_cast<void>(signal.short_wait(hold));
    if (victim.looks_empty()) asleep.wait(1, std::memory_order_acquire);
  }
  void wake() {
    if (asleep.load(std::memory_order_relaxed) == 0)
      require(false, "a request for attention shows what was announced before it");
    if (asleep.exchange(0, std::memory_order_acq_rel) == 1) asleep.notify_all();
  }
  void finish() {}
};

}}}}  // namespace skua::v0::runtime::deque_sleepers
