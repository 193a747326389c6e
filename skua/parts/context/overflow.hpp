// SPDX-License-Identifier: MIT
// Reports a stack overflow: on which worker, how large its stack is, and which option makes it larger. The process then
// dies by SIGSEGV, as it would have anyway. Design, and what happens to other SIGSEGV handlers: overflow.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "skua/parts/context/current.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The calling thread's stack for signal handlers: keeps the one that it has, else installs one.
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

/// While it lives, an overflow on the thread that made it is explained on stderr. Make and destroy it on that thread's
/// native stack. The first watch installs the process-wide SIGSEGV handler and the last removes it; the handler passes
/// on every fault that is not an overflow.
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
  lsan::roots native_;
};

/// Where the stack of a thread from outside ends.
struct outside_watch {
  address_range native_guard{};
  std::size_t native_bytes = 0;  ///< 0: unknown
  std::uintptr_t lowest = 0;     ///< the stack is [lowest, lowest + usable); all addresses if nothing is known
  std::size_t usable = std::numeric_limits<std::size_t>::max();

  /// How much of that stack lies below `frame`: nothing if the frame lies elsewhere, very much if the bounds are unknown.
  [[nodiscard]] std::size_t left_below(void const* frame) const noexcept {
    std::uintptr_t const left = reinterpret_cast<std::uintptr_t>(frame) - lowest;
    return left < usable ? left : 0;  // a frame below the stack wraps around
  }
};

/// From now on until the thread ends, an overflow of its own stack is explained, too, while the process has an
/// `overflow_watch` and the thread's current record an owner. What the system refuses stays unexplained. Returns the known
/// bounds of its stack. Cost: 1 ns; once per thread 10 to 50 us, and a mapping.
outside_watch const& watch_thread_from_outside() noexcept;

}}}  // namespace skua::v0::runtime
