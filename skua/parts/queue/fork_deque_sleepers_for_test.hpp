// SPDX-License-Identifier: MIT
// Scripts for fork_deque_model.cpp: requests for attention. (fork_deque.md, "Requests for attention")
#pragma once

#include "skua/parts/queue/attention_seeker_for_test.hpp"
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
  sleeper() : sleeper(false) {}
  explicit sleeper(bool polls_always)
      : joins({.capacity = 12, .kind = Sync::kind(), .polls_always = polls_always, .memory = &memory()}) {}
  fork_deque<Sync> joins;
  attention_seeker<Sync> other;

  void run(int me) {
    if (me == 0) {
      for (int i = 0; i < Pushes; ++i) {
        if (joins.push(joins.first_free(), this) && joins.poll() == attention::requested) other.wake();
      }
      return;
    }
    auto const victim = joins.outside();
    other.fall_asleep([victim] { victim.request_attention(); }, [victim] { return victim.looks_empty(); });
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
      if (mine.push(at, this) && mine.poll() == attention::requested) this->other.wake();
      entry taken;
      if (i == 0) static_cast<void>(mine.pop_oldest(taken));  // as a thief
      if (i < 2) static_cast<void>(mine.pop(at));
    }
  }
};

/// The same with an owner that hears of every push, and does no more if nobody has requested attention.
template <class Sync, int Pushes>
struct sleeper_and_counter : sleeper<Sync, 0> {
  sleeper_and_counter() : sleeper<Sync, 0>(true) {}

  void run(int me) {
    if (me != 0) return sleeper<Sync, 0>::run(me);
    for (int i = 0; i < Pushes; ++i) {
      auto& at = this->joins.first_free();
      require(this->joins.push(at, this), "every push polls");
      if (!this->joins.is_calm(at) && this->joins.poll() == attention::requested) this->other.wake();
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
    if (this->other.has_announced()) this->other.wake();
  }
};

}}}}  // namespace skua::v0::runtime::fork_deque_sleepers
