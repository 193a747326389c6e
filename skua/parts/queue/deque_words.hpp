// SPDX-License-Identifier: MIT
// What a deque's words mean. (deque.md)
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "skua/parts/base/platform.hpp"

namespace skua { inline namespace v0 { namespace runtime {

struct deque_words {
  // Bottom, limit, guard and top count bytes of slots ever used, so that a position needs no multiplication.
  using position = std::int64_t;
  static constexpr position attention_mark = 0;  // below every bottom that a push can leave
  static constexpr position beyond_all = std::numeric_limits<position>::max();

  /// The top and the state of the bias in one word: a position is a multiple of 4.
  using top_word = std::int64_t;
  enum class bias : std::uint8_t {
    none,      // every thread may take the oldest entry; the owner fences
    owner,     // no thief steals; the owner takes all but the oldest entry without a fence
    revoking,  // a thief waits for the owner's answer, or for its own heavy fence
    answered,  // as none; but the thief that revokes has not noticed yet
  };
  static constexpr position position_of(top_word w) noexcept { return w & ~top_word{3}; }
  static constexpr bias bias_of(top_word w) noexcept { return static_cast<bias>(w & 3); }
  static constexpr top_word with(top_word w, bias state) noexcept {
    return position_of(w) | static_cast<top_word>(state);
  }
  static constexpr bool is_open(top_word w) noexcept {
    return bias_of(w) == bias::none || bias_of(w) == bias::answered;
  }

  /// A word of the owner, whose flows take turns on its thread: ThreadSanitizer would take their accesses for races.
  template <class T, bool hides = under_tsan>
  class owned {
   public:
    explicit owned(T value) noexcept : value_(value) {}
    [[nodiscard]] T get() const noexcept { return value_; }
    void set(T value) noexcept { value_ = value; }

   private:
    T value_;
  };
  template <class T>
  class owned<T, true> {
   public:
    explicit owned(T value) noexcept : word_(value) {}
    [[nodiscard]] T get() const noexcept { return word_.load(std::memory_order_relaxed); }  // relaxed: one thread
    void set(T value) noexcept { word_.store(value, std::memory_order_relaxed); }           // relaxed: one thread

   private:
    std::atomic<T> word_;
  };
};

}}}  // namespace skua::v0::runtime
