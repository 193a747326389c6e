// SPDX-License-Identifier: MIT
// The one thread_local of the library: the record of the worker on this thread, and the thread's number. Behind functions.
//
// A flow may be suspended on one thread and resumed on another, so no code may keep the address of a thread-local across a
// switch. Compilers keep it if they can see it; hence the functions are opaque to them (current.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace skua { inline namespace v0 { namespace runtime {

class block_lists;
class stack;
struct outside_watch;

/// Addresses [low, high).
struct address_range {
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;
  [[nodiscard]] constexpr bool contains(std::uintptr_t address) const noexcept {
    return low <= address && address < high;
  }
};

/// The worker, of some machine, that works on a thread.
struct thread_owner {
  void* flow = nullptr;  ///< the running flow, as its machine knows it
};

/// A worker's record of its thread, or that of a thread from outside that submits tasks. Only that thread and its signal handlers touch it.
struct thread_record {
  std::uint32_t worker = 0;       ///< its number, for messages
  thread_owner* owner = nullptr;  ///< the machine's worker; null: the thread is none
  void* submits_to = nullptr;     ///< the lane of a thread from outside
  block_lists* blocks = nullptr;  ///< for its tasks; null: it keeps none
  stack* running = nullptr;  ///< carries the running flow; nullptr = the thread's native stack. Kept by context.cpp

  address_range native_guard;      ///< a fault here is an overflow of the native stack. Kept by overflow_watch
  std::size_t native_bytes = 0;    ///< size of the native stack
  bool overflow_reported = false;  ///< the message is printed once, even if a foreign handler returns
};

/// The record of the calling thread; nullptr on threads that are not workers. Async-signal-safe. 1 ns.
[[nodiscard]] thread_record* current_thread() noexcept;

/// The running flow of the calling thread (thread_owner::flow); null on threads that are not workers. Four instructions.
[[nodiscard]] void* current_flow() noexcept;

/// The free blocks of the calling thread (thread_record::blocks); `no_blocks` if it keeps none. Three instructions.
[[nodiscard]] block_lists& current_blocks() noexcept;

/// The record must stay alive while it is current, and keep its owner. The caller restores the previous record afterwards.
void set_current_thread(thread_record* record) noexcept;

/// The overflow watch of a thread from outside (overflow.hpp): null until its first call. Async-signal-safe. 1 ns.
[[nodiscard]] outside_watch const* current_outside_watch() noexcept;
void set_current_outside_watch(outside_watch const* w) noexcept;

/// The number of the calling thread, worker or not: 1, 2, 3 and so on, in the order in which threads first ask. No two
/// threads of a process ever have the same number, also if one has ended before the other began. 1 ns.
/// Under TSan, what a flow did on this thread before it stopped happens before what follows: the caller uses what belongs
/// to the thread.
[[nodiscard]] std::uint64_t thread_number() noexcept;

/// Under TSan: the running flow stops on this thread. Pairs with thread_number. Does nothing otherwise.
void flow_stops() noexcept;

}}}  // namespace skua::v0::runtime
