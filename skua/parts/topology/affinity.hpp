// SPDX-License-Identifier: MIT
// The affinity mask of a thread: read, set, restored. Masks of any size, also above 1024 PUs.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <system_error>

#include "skua/parts/topology/cpu_mask.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The kernel's part: fills `words`, returns the number of bytes written, or -errno. -EINVAL: `words` is too short.
using affinity_call = std::function<long(std::span<cpu_mask::word> words)>;

/// Asks with ever longer buffers until the kernel's mask fits (at most 2^20 PUs). Empty mask: the kernel refused.
[[nodiscard]] cpu_mask read_affinity(affinity_call const& ask);

/// Where the calling thread may run, as taskset, cpusets and containers allow. Empty: the kernel does not say.
[[nodiscard]] cpu_mask affinity_of_this_thread();
/// The same for a thread of this process by the kernel's number; empty, too, if the thread has ended.
[[nodiscard]] cpu_mask affinity_of_thread(int number);
/// The kernel's number of the calling thread.
[[nodiscard]] int number_of_this_thread() noexcept;

/// Lets the calling thread run only on `mask`. One system call. Returns the kernel's error.
[[nodiscard]] std::error_code bind_this_thread(cpu_mask const& mask);

/// Remembers the calling thread's mask and restores it. Destroy it on the thread that made it.
class saved_affinity {
 public:
  saved_affinity() : mask_(affinity_of_this_thread()) {}
  ~saved_affinity();
  saved_affinity(saved_affinity const&) = delete;
  saved_affinity& operator=(saved_affinity const&) = delete;

 private:
  cpu_mask mask_;
};

}}}  // namespace skua::v0::runtime
