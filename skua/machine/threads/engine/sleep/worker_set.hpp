// SPDX-License-Identifier: MIT
// A set of the workers of a pool, one bit each: to find a member costs a look at one cache line for 512 workers, instead of one for each worker
// that is none.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <optional>

#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Whoever changes the set holds a lock; then `has` and `first` are exact for others that hold it, and hints for those that do not.
template <synchronisation Sync = real_sync>
class worker_set {
 public:
  /// Empty. Throws std::bad_alloc.
  worker_set(std::uint32_t workers, std::pmr::memory_resource* memory) : words_(memory) {
    for (std::uint32_t w = 0; w < workers; w += per_word) words_.emplace_back(0);
  }

  // relaxed, all: the lock orders those who hold it.
  void add(worker_id w) noexcept {
    auto& word = words_[index(w) / per_word];
    word.store(word.load(std::memory_order_relaxed) | bit_of(w), std::memory_order_relaxed);
  }
  void remove(worker_id w) noexcept {
    auto& word = words_[index(w) / per_word];
    word.store(word.load(std::memory_order_relaxed) & ~bit_of(w), std::memory_order_relaxed);
  }
  [[nodiscard]] bool has(worker_id w) const noexcept {
    return (words_[index(w) / per_word].load(std::memory_order_relaxed) & bit_of(w)) != 0;
  }
  /// The member with the lowest number, but worker 0 last.
  [[nodiscard]] std::optional<worker_id> first_but_0() const noexcept {
    std::uint64_t const lowest = words_[0].load(std::memory_order_relaxed);
    if (std::uint64_t const rest = lowest & ~std::uint64_t{1}; rest != 0) return numbered(0, rest);
    for (std::uint32_t i = 1; i < words_.size(); ++i) {
      if (std::uint64_t const word = words_[i].load(std::memory_order_relaxed); word != 0) return numbered(i, word);
    }
    if (lowest != 0) return worker_id{0};
    return {};
  }

 private:
  static constexpr std::uint32_t per_word = 64;
  static constexpr std::uint64_t bit_of(worker_id w) noexcept { return std::uint64_t{1} << index(w) % per_word; }
  static worker_id numbered(std::uint32_t word, std::uint64_t bits) noexcept {
    return worker_id{word * per_word + static_cast<std::uint32_t>(std::countr_zero(bits))};
  }

  std::pmr::deque<typename Sync::template atomic<std::uint64_t>> words_;
};

}}}  // namespace skua::v0::runtime
