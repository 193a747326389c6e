// SPDX-License-Identifier: MIT
// What earlier iterations have taught, shared by the workers of one region: numbers under 64-bit keys, in one lock-free
// table of fixed size. Workers note and find; no worker waits, and nothing is allocated after construction.
//
// An entry is one word: 32 bits of the key, 8 bits of the generation in which it was noted, 24 bits of value. Where an
// entry may stand is given by other bits of the key, so a false match needs 32 + log2(entries) equal bits; it would
// cost locality, as every wrong entry does.
//
// Invariant (runs): between the home of an entry and the entry there is no free word. Words are never freed while their
// generation lasts, and an entry is noted in the first free word that its search comes to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay {

/// A well-mixed number for (a, b). Paths are chains of it.
constexpr std::uint64_t mixed(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t z = a + 0x9e37'79b9'7f4a'7c15ULL * (b + 1);
  z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11ebULL;
  return z ^ (z >> 31);
}

class record {
 public:
  static constexpr std::uint32_t largest_value = (1U << 24) - 1;

  /// Room for 3/4 of 2^bits entries of 8 bytes. 1 <= bits <= 24.
  explicit record(std::uint32_t bits)
      : mask_((std::uint64_t{1} << bits) - 1),
        words_(std::make_unique<runtime::real_sync::atomic<std::uint64_t>[]>(mask_ + 1)) {
    runtime::expects(bits >= 1 && bits <= 24, "record: 2 to 2^24 entries");
  }

  [[nodiscard]] std::optional<std::uint32_t> find(std::uint64_t key) const noexcept {
    std::uint64_t const mine = head_of(key);
    for (std::uint64_t at = key & mask_, seen = 0; seen <= mask_; at = (at + 1) & mask_, ++seen) {
      // relaxed: an entry is one word, and says nothing about other memory.
      std::uint64_t const word = words_[at].load(std::memory_order_relaxed);
      if (!is_current(word, mine)) return {};
      if ((word >> 24) == mine) return static_cast<std::uint32_t>(word & largest_value);
    }
    return {};
  }

  enum class noted : std::uint8_t { anew, again, not_at_all };

  /// Sets the value of this key; with `largest`, only if the value was less. Returns `not_at_all` if the table is full.
  noted note(std::uint64_t key, std::uint32_t value, bool largest = false) noexcept {
    runtime::expects(value <= largest_value, "record: a value of 24 bits");
    std::uint64_t const mine = head_of(key);
    std::uint64_t const entry = mine << 24 | value;
    for (std::uint64_t at = key & mask_;;) {
      std::uint64_t word = words_[at].load(std::memory_order_relaxed);  // relaxed: as in find
      if (!is_current(word, mine)) {
        if (is_full()) break;
        // relaxed: as in find. If another worker was faster, look at its entry.
        if (!words_[at].compare_exchange_strong(word, entry, std::memory_order_relaxed)) continue;
        used_.fetch_add(1, std::memory_order_relaxed);  // relaxed: a count
        return noted::anew;
      }
      if ((word >> 24) == mine) {
        while (!(largest && (word & largest_value) >= value) &&
               !words_[at].compare_exchange_weak(word, entry, std::memory_order_relaxed)) {  // relaxed: as in find
          if ((word >> 24) != mine) return noted::not_at_all;                                // forgotten meanwhile
        }
        return noted::again;
      }
      at = (at + 1) & mask_;
    }
    overflowed_.store(true, std::memory_order_relaxed);  // relaxed: a hint
    return noted::not_at_all;
  }

  /// Forgets all entries. Other workers may look meanwhile, and should not note. Cost: constant, but for every 255th
  /// call.
  void forget() noexcept {
    std::uint64_t next = generation_.load(std::memory_order_relaxed) + 1;  // relaxed: only one forgets at a time
    if (next == 256) {
      for (std::uint64_t i = 0; i <= mask_; ++i) words_[i].store(0, std::memory_order_relaxed);  // relaxed: as in find
      next = 1;
    }
    generation_.store(next,
                      std::memory_order_relaxed);  // relaxed, all: a worker that looks too early finds old entries
    used_.store(0, std::memory_order_relaxed);
    overflowed_.store(false, std::memory_order_relaxed);
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return used_.load(std::memory_order_relaxed); }
  /// True if an entry was lost since the last `forget`.
  [[nodiscard]] bool has_gaps() const noexcept { return overflowed_.load(std::memory_order_relaxed); }

 private:
  /// The upper 40 bits of an entry.
  [[nodiscard]] std::uint64_t head_of(std::uint64_t key) const noexcept {
    return (key >> 32) << 8 | generation_.load(std::memory_order_relaxed);  // relaxed: as in forget
  }
  static bool is_current(std::uint64_t word, std::uint64_t head) noexcept {
    return ((word >> 24) & 0xff) == (head & 0xff);
  }
  [[nodiscard]] bool is_full() const noexcept { return size() > (mask_ + 1) / 4 * 3; }

  std::uint64_t const mask_;
  std::unique_ptr<runtime::real_sync::atomic<std::uint64_t>[]> words_;  ///< 0, or of an old generation: free
  runtime::real_sync::atomic<std::uint64_t> generation_{1};             ///< 1 .. 255
  runtime::real_sync::atomic<std::uint64_t> used_{0};
  runtime::real_sync::atomic<bool> overflowed_{false};
};

}}}}  // namespace skua::v0::policies::replay
