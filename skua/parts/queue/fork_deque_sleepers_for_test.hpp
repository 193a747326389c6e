// SPDX-License-Identifier: MIT
// Scripts for fork_deque_model.cpp: requests for attention. (fork_deque.md, "Requests for attention")
#pragma once

#include <atomic>
#include <mutex>

#include "skua/parts/queue/fork_deque.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace fork_deque_sleepers {

using explorer::memory, explorer::require;

/// A thread that requests attention, lets time pass, sees nothing and sleeps is woken by the owner of the next entry. The owner opens
/// joins within joins, and so refreshes the limit, which races with the request.
template <class Sync, int Pushes>
struct sleeper {
  static constexpr int threads = 2;
  fork_deque<Sync> joins{{.capacity = 12, .kind = Sync::kind(), .memory = &memory()}};
  typename Sync::template atomic<int> asleep{0};

  void run(int me) {
    if (me == 0) {
      for (int i = 0; i < Pushes; ++i) {
        if (joins.push(joins.first_free(), this) && joins.poll() == attention::requested) wake();
      }
      return;
    }
    auto const victim = joins.outside();
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

/// The same with an owner whose joins end, so that the top moves back to where it was.
template <class Sync>
struct sleeper_and_ended_joins : sleeper<Sync, 0> {
  void run(int me) {
    if (me != 0) return sleeper<Sync, 0>::run(me);
    auto& mine = this->joins;
    for (int i = 0; i < 3; ++i) {
      auto& at = mine.first_free();
      if (mine.push(at, this) && mine.poll() == attention::requested) this->wake();
      entry taken;
      if (i == 0) static_cast<void>(mine.pop_oldest(taken));  // as a thief
      if (i < 2) static_cast<void>(mine.pop(at));
    }
  }
};

/// The same with an owner that asks for attention itself, at every push, and takes the entries back at first.
template <class Sync>
struct sleeper_and_keeper : sleeper<Sync, 0> {
  void run(int me) {
    if (me != 0) return sleeper<Sync, 0>::run(me);
    auto& mine = this->joins;
    mine.request_attention();
    for (int i = 0; i < 2; ++i) {
      auto& at = mine.first_free();
      require(mine.push(at, this), "the request stays");
      require(mine.make_room_and_keep_request(), "there is memory");
      static_cast<void>(mine.pop(at));
    }
    push_and_poll();
    mine.request_attention();
    push_and_poll();
  }
  void push_and_poll() {
    require(this->joins.push(this->joins.first_free(), this), "the request stays");
    require(this->joins.poll() == attention::requested, "a request is reported");
    if (this->asleep.load(std::memory_order_relaxed) == 1) this->wake();
  }
};

}}}}  // namespace skua::v0::runtime::fork_deque_sleepers
