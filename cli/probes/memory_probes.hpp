// SPDX-License-Identifier: MIT
// Measurements of the cores and the memory of this machine, by plain loops whose results are verified.
#pragma once

#include <cstddef>

#include "skua/parts/memory/page_array.hpp"

namespace skua::cli {

/// Cycles per ns, from a chain of additions.
double clock_ghz();
/// The leaf of heat on a rectangle that fits the first-level cache, with the widest vectors.
double flops_per_ns();

/// The share of the shorter of arithmetic and fetching that a core hides behind the longer, from 0 to 1. Evaluates a
/// polynomial of every number in `bytes` of memory, of such a degree that its arithmetic takes about as long as
/// fetching the numbers.
double hidden_share(std::size_t bytes);

/// Bytes per ns that `threads` threads read together, each over and over in its own `bytes`; the first pass does not
/// count.
double read_bytes_per_ns(std::size_t bytes, unsigned threads);
/// Bytes per ns that one thread writes, over and over in `bytes`.
double write_bytes_per_ns(std::size_t bytes);

/// A ring of pointers, one to a line, in random order through `bytes`.
class pointer_ring {
 public:
  explicit pointer_ring(std::size_t bytes);

  /// Ns per access when one thread follows `chains` chains at the same time. Each call starts elsewhere, so a ring
  /// larger than the caches is not cached from the last call.
  [[nodiscard]] double ns(unsigned chains);

 private:
  struct alignas(64) stop {
    stop* next;
  };
  page_array<stop> stops_;
  std::size_t turn_ = 0;
};

/// Ns to move a line from one core's cache to another's, from two threads that answer each other.
double ping_ns();
/// Bytes per ns of a read of what another thread has just written.
double handed_over_bytes_per_ns(std::size_t bytes);

}  // namespace skua::cli
