// SPDX-License-Identifier: MIT
// The broken façades of fork_deque_model.cpp: each breaks one thing, and fork_deque.md says which script finds it. Those that do not
// depend on the types of the words are in deque_mutants_for_test.hpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "skua/parts/queue/fork_deque.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace fork_deque_mutants {

using explorer::model_atomic, explorer::model_sync, explorer::current_world, explorer::ordered_store_of;

using guard_type = std::int64_t;
using top_type = std::uint64_t;
constexpr guard_type infinity = std::numeric_limits<guard_type>::max();
constexpr top_type state_bits = 3;
constexpr top_type answered = 3;
constexpr unsigned stamp_shift = fork_words::index_bits + 2;

inline bool is_owner() { return current_world()->thread() == 0; }

/// The owner does not write infinity into its guard: neither when it answers nor when it finds that a thief has come while it lowered the
/// guard. Until the thief's reaches it, the guard stays as it was.
struct answer_without_guard : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    void store(T value, std::memory_order order) noexcept {
      if constexpr (std::is_same_v<T, guard_type>) {
        if (value == infinity && is_owner()) return;
      }
      model_atomic<T>::store(value, order);
    }
  };
};

/// The owner takes the bias back although the thief that revoked it has not come to its end.
struct bias_taken_early : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T load(std::memory_order order) const noexcept {
      T const seen = model_atomic<T>::load(order);
      if constexpr (std::is_same_v<T, top_type>) {
        if (is_owner() && (seen & state_bits) == answered) return seen - answered;
      }
      return seen;
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order order, std::memory_order failed) noexcept {
      if constexpr (std::is_same_v<T, top_type>) {
        if ((expected & state_bits) == 0 && (desired & state_bits) == 1) {
          T also = expected | answered;
          if (model_atomic<T>::compare_exchange_strong(also, desired, order, failed)) return true;
        }
      }
      return model_atomic<T>::compare_exchange_strong(expected, desired, order, failed);
    }
  };
};

/// The guard does not rise to the oldest entry when the owner takes the bias back: it stays just below.
struct guard_too_low : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    void store(T value, std::memory_order order) noexcept {
      if constexpr (std::is_same_v<T, guard_type>) {
        if (is_owner() && value != infinity) value -= static_cast<T>(sizeof(fork_slot<model_sync>));
      }
      model_atomic<T>::store(value, order);
    }
  };
};

/// The owner moves the top back without a new stamp.
struct same_stamp : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    bool compare_exchange_strong(T& expected, T desired, std::memory_order order, std::memory_order failed) noexcept {
      if constexpr (std::is_same_v<T, top_type>) {
        constexpr T below = (T{1} << stamp_shift) - 1;
        desired = (desired & below) | (expected & ~below);
      }
      return model_atomic<T>::compare_exchange_strong(expected, desired, order, failed);
    }
  };
};

/// The entry is published without waiting for what it refers to.
using published_early = ordered_store_of<void*, std::memory_order_relaxed>;

}}}}  // namespace skua::v0::runtime::fork_deque_mutants
