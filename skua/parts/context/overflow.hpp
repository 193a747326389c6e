// SPDX-License-Identifier: MIT
// A full stack says so: which worker, how large the stack, which option makes it larger. Then the process dies by
// SIGSEGV as it would have anyway. Design, and what happens to other SIGSEGV handlers: overflow.md.
#pragma once

#include <cstddef>

#include "skua/parts/context/current.hpp"

namespace skua::runtime {

/// The calling thread's stack for signal handlers: its own if it has one already, else one of ours.
class signal_stack {
 public:
  signal_stack();
  ~signal_stack();
  signal_stack(signal_stack const&) = delete;
  signal_stack& operator=(signal_stack const&) = delete;

 private:
  void* mapping_ = nullptr;  ///< nullptr = the thread had one
  std::size_t bytes_ = 0;
};

/// While one lives, an overflow on the thread that made it is explained on stderr. Made and destroyed on that thread's
/// native stack. The process-wide SIGSEGV handler comes with the first and goes with the last; it passes on every fault
/// that is not an overflow.
class overflow_watch {
 public:
  /// Writes the native stack's bounds into `record`, which must become current on this thread.
  /// Throws resource_error if the kernel refuses the signal stack or the handler. Some 10 us.
  explicit overflow_watch(thread_record& record);
  ~overflow_watch();
  overflow_watch(overflow_watch const&) = delete;
  overflow_watch& operator=(overflow_watch const&) = delete;

 private:
  signal_stack signal_stack_;
};

}  // namespace skua::runtime
