// SPDX-License-Identifier: MIT
// Whether a pool has more workers than processors. If so, a worker that searches yields its processor after each round.
// Affinity masks and CPU quotas change while a program runs (taskset, cpusets, containers), so the pool looks again now
// and then.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace skua { inline namespace v0 { namespace runtime {

class oversubscription {
 public:
  /// `processors`: how many the pool may use now, 0 if unknown.
  oversubscription(std::uint32_t workers, std::uint32_t processors) noexcept
      : workers_(workers), processors_(processors != 0 ? processors : workers) {}

  /// The kernel's numbers of the workers' threads. Once, before any of them looks.
  void watch(std::vector<int> threads) noexcept { threads_ = std::move(threads); }

  /// How many the pool may use now.
  [[nodiscard]] std::uint32_t processors() const noexcept {
    return processors_.load(std::memory_order_relaxed);  // relaxed: a hint
  }
  [[nodiscard]] bool is_oversubscribed() const noexcept { return workers_ > processors(); }
  /// `ns`, scaled down by processors / workers if there are fewer processors than workers.
  [[nodiscard]] std::uint64_t share_of(std::uint64_t ns) const noexcept {
    std::uint32_t const usable = processors();
    return workers_ > usable ? ns / workers_ * usable : ns;
  }

  /// Reads the masks and the quota unless a worker did so in the last 200 ms. For an idle worker. Cost: a load; of a reading, a
  /// system call per worker and 3 to 10 small files, some 0.1 ms. Without memory it changes nothing.
  void look_again(std::uint64_t now_ns) noexcept {
    if (now_ns >= next_look_ns_.load(std::memory_order_relaxed)) look(now_ns);  // relaxed: the exchange decides
  }

  static constexpr std::chrono::milliseconds period{200};

 private:
  void look(std::uint64_t now_ns) noexcept;

  std::uint32_t const workers_;
  std::vector<int> threads_;
  std::atomic<std::uint32_t> processors_;
  std::atomic<std::uint64_t> next_look_ns_{0};
};

}}}  // namespace skua::v0::runtime
