// SPDX-License-Identifier: MIT
// A thread from outside that works in the place of a sleeping worker while its call runs. States and steps: caller.md.
#pragma once

#include <cstdint>

#include "skua/parts/base/ids.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class fiber;
struct handed;
struct outside_watch;
struct thread_record;
class region;
class root;
class stack;
class worker;
class worker_slot;

class caller {
 public:
  /// Runs a task that was submitted to a region on top of the running fiber, which is a guest's.
  static void run_submitted(fiber& on, handed& t, std::uint64_t extra) noexcept;

  /// Runs `call` on the calling thread, which is no worker, in the place of the first worker of `where` whose thread
  /// sleeps. Returns when it has ended, on the same thread. Returns false, without effect, if no worker's place is free.
  /// Cost: two locked instructions, or two locks if the last caller has not left the place open (open_place.md), and two readings of the clock if
  /// the times are asked for; if nothing is stolen.
  [[nodiscard]] static bool run(region& where, root& call) noexcept;
  /// The same in the place of this worker of `where` only.
  [[nodiscard]] static bool run_in_place_of(region& where, worker_id w, root& call) noexcept;

 private:
  [[nodiscard]] static worker* borrow(region& where) noexcept;
  [[nodiscard]] static worker* borrow(worker& w, int& patience) noexcept;
  static void run_in(worker& me, region& where, root& call) noexcept;
  [[nodiscard]] static worker_slot& move_in(worker& me, region& where) noexcept;
  [[nodiscard]] static stack* larger_stack(worker& me, thread_record const* outside) noexcept;
  static void run_on(stack& s, worker& me, worker_slot& slot, root& call) noexcept;
  static void begin_on_stack(void* call) noexcept;
  static void run_as(worker& me, worker_slot& slot, root& call) noexcept;
  static void await_departure(worker& me, fiber& on) noexcept;
  static void give_back(worker& me) noexcept;
};

}}}  // namespace skua::v0::runtime
