// SPDX-License-Identifier: MIT
// Which accesses happened before which, judged by the memory orders as they are written: vector clocks, one entry per
// model thread. A read-modify-write empties store buffers whatever its order is; only clocks tell a relaxed one from a
// releasing one. After Flanagan and Freund, FastTrack (2009).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace skua { inline namespace v0 { namespace explorer {

constexpr bool acquires(std::memory_order order) noexcept {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}
constexpr bool releases(std::memory_order order) noexcept {
  return order == std::memory_order_release || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

/// How far each thread had come. A thread counts its releases; 0 is what existed before any thread began.
class vector_clock {
 public:
  static constexpr std::size_t threads_max = 4;

  static vector_clock start_of(int thread) noexcept {
    vector_clock first;
    first.tick(thread);
    return first;
  }
  void join(vector_clock const& other) noexcept {
    for (std::size_t t = 0; t < threads_max; ++t) at_[t] = std::max(at_[t], other.at_[t]);
  }
  void join(vector_clock const& other, int only) noexcept { at_[index(only)] = other.at_[index(only)]; }
  void tick(int thread) noexcept { ++at_[index(thread)]; }
  [[nodiscard]] bool covers(vector_clock const& other) const noexcept {
    for (std::size_t t = 0; t < threads_max; ++t) {
      if (at_[t] < other.at_[t]) return false;
    }
    return true;
  }
  [[nodiscard]] std::uint64_t bits() const noexcept { return std::bit_cast<std::uint64_t>(at_); }

 private:
  static std::size_t index(int thread) noexcept { return static_cast<std::size_t>(thread); }
  std::array<std::uint16_t, threads_max> at_{};
};

/// Who has touched a piece of memory, and when by the toucher's clock.
struct trail {
  vector_clock reads;
  vector_clock writes;

  /// False: another thread's write did not happen before this read.
  [[nodiscard]] bool read(int thread, vector_clock const& now) noexcept {
    reads.join(now, thread);
    return now.covers(writes);
  }
  /// False: another thread's access did not happen before this write.
  [[nodiscard]] bool write(int thread, vector_clock const& now) noexcept {
    bool const ordered = now.covers(writes) && now.covers(reads);
    writes.join(now, thread);
    return ordered;
  }
};

}}}  // namespace skua::v0::explorer
