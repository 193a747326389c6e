// SPDX-License-Identifier: MIT
// Scripts for deque_model.cpp: requests for attention. (deque.md, "request_attention")
#pragma once

#include "skua/parts/queue/attention_seeker_for_test.hpp"
#include "skua/parts/queue/deque.hpp"
#include "tests/explorer/explorer.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace deque_sleepers {

using explorer::memory;

/// A thread that requests attention, lets time pass, sees nothing and sleeps is woken by the owner of the next entry
/// (deque.md). With two or more pushes the owner refreshes the limit, which races with the request.
template <class Sync, int Pushes>
struct sleeper {
  static constexpr int threads = 2;
  skua::runtime::deque<Sync> queue{{.capacity = 2, .kind = Sync::kind(), .memory = &memory()}};
  attention_seeker<Sync> other;

  void run(int me) {
    if (me == 0) {
      for (int i = 0; i < Pushes; ++i) {
        if (queue.push(this) && queue.poll() == attention::requested) other.wake();
      }
      return;
    }
    auto const victim = queue.outside();
    other.fall_asleep([victim] { victim.request_attention(); }, [victim] { return victim.looks_empty(); });
  }
  void finish() {}
};

}}}}  // namespace skua::v0::runtime::deque_sleepers
