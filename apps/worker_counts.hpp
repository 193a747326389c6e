// SPDX-License-Identifier: MIT
// Counters that each worker has for itself, on its own cache line. Anybody may add them up at any time: while tasks run,
// the sum is a little old.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/platform.hpp"

namespace skua::apps {

/// Count is an enumeration; its last enumerator is `all`.
template <class Count>
class worker_counts {
 public:
  explicit worker_counts(std::uint32_t workers) : pages_(workers) {}

  /// Only by tasks that this worker runs: a load and a store, no atomic addition.
  void add(worker_id worker, Count what, std::uint64_t more = 1) noexcept {
    auto& counter = pages_[index(worker)].counters[static_cast<std::size_t>(what)];
    counter.store(counter.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t sum(Count what) const noexcept {
    std::uint64_t all = 0;
    for (page const& one : pages_) {
      all += one.counters[static_cast<std::size_t>(what)].load(std::memory_order_relaxed);
    }
    return all;
  }

 private:
  struct alignas(runtime::cache_line_bytes) page {
    std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(Count::all)> counters{};
  };
  std::vector<page> pages_;
};

}  // namespace skua::apps
