// SPDX-License-Identifier: MIT
// The flows between which a worker's thread switches: their stacks, the saved flows, and the data that a switch passes to the flow that
// continues. For the thread in the worker's place, and code that runs on it.
#pragma once

#include <cstdint>

#include "skua/machine/threads/fork/fiber/frame.hpp"
#include "skua/machine/threads/lane/policy_words.hpp"
#include "skua/machine/threads/lane/wait_reason.hpp"
#include "skua/parts/context/context.hpp"
#include "skua/parts/context/stack.hpp"

namespace skua { inline namespace v0 { namespace runtime {

struct worker_flows {
  explicit worker_flows(stack_pool& all) noexcept : stacks(all) {}

  stack_cache stacks;
  stack* current_stack = nullptr;    ///< null: the stack of a caller
  std::uintptr_t callers_frame = 0;  ///< where on that stack its call began

  context native;  ///< the thread's own stack; it continues only when the thread ends
  context next;    ///< the fiber that is being started

  // Written before a switch, read after it, on the other stack.
  context ended;                 ///< the fiber that ends
  stack* ended_stack = nullptr;  ///< the stack that it ran on
  struct {
    group* waits_for = nullptr;
    std::uint64_t mine = 0;  ///< children of the group for which the fiber accounts
  } parking;
  struct {
    frame* saved = nullptr;
    placement destination{};
    task_tag tag{};
  } leaving;
  frame* ready = nullptr;  ///< a frame whose group was complete by the time it had parked

  wait_reason next_wait;  ///< of the running fiber; taken by the wait that follows
};

}}}  // namespace skua::v0::runtime
