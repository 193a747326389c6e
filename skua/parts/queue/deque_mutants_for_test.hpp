// SPDX-License-Identifier: MIT
// The broken façades of deque_model.cpp: each breaks one thing, and deque.md says which script finds it.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "skua/parts/queue/deque.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace deque_mutants {

using explorer::model_atomic, explorer::model_sync, explorer::current_world, explorer::ordered_store_of;

/// membarrier has no effect on other threads.
struct without_heavy_fence : model_sync {
  static void heavy_fence() noexcept { full_fence(); }
};

/// The owner (thread 0) forgets its fence where it has no bias, or no kernel support; thieves keep theirs.
template <class Sync>
struct forgetful_owner : Sync {
  static void full_fence() noexcept {
    if (current_world()->thread() != 0) model_sync::full_fence();
  }
};

/// The thief that revokes takes any change of the top for an answer, and needs no fence then: even if the owner has not answered.
struct answered_by_itself : model_sync {
  template <class T>
  static bool await_briefly(model_atomic<T> const&, T) noexcept {
    return true;
  }
};

constexpr std::int64_t infinity = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t state_bits = 3;  // of the top
constexpr std::int64_t answered = 3;

/// The owner answers, but its guard stays as it was until the thief's infinity reaches it.
struct answer_without_guard : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    void store(T value, std::memory_order order) noexcept {
      if constexpr (std::is_same_v<T, std::int64_t>) {
        if (value == infinity && current_world()->thread() == 0) return;
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
      if constexpr (std::is_same_v<T, std::int64_t>) {
        if (current_world()->thread() == 0 && seen != infinity && (seen & state_bits) == answered)
          return seen - answered;
      }
      return seen;
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order order, std::memory_order failed) noexcept {
      if constexpr (std::is_same_v<T, std::int64_t>) {
        if ((expected & state_bits) == 0 && (desired & state_bits) == 1) {
          T also = expected | answered;
          if (model_atomic<T>::compare_exchange_strong(also, desired, order, failed)) return true;
        }
      }
      return model_atomic<T>::compare_exchange_strong(expected, desired, order, failed);
    }
  };
};

/// The owner takes the bias back first and lowers its guard afterwards.
struct guard_after_bias : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    // Nothing is late when an execution begins. What is late belongs to the execution, so it lies in its memory.
    atomic(T value = T{}) noexcept : model_atomic<T>(value) {  // NOLINT: implicit, as std::atomic
      of_the_owner() = &explorer::immortal<std::pair<atomic*, T>>();
    }
    void store(T value, std::memory_order order) noexcept {
      if constexpr (std::is_same_v<T, std::int64_t>) {
        if (current_world()->thread() == 0 && order == std::memory_order_relaxed && value != infinity) {
          late() = {this, value};
          return;
        }
      }
      model_atomic<T>::store(value, order);
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order order, std::memory_order failed) noexcept {
      bool const won = model_atomic<T>::compare_exchange_strong(expected, desired, order, failed);
      if constexpr (std::is_same_v<T, std::int64_t>) {
        if (current_world()->thread() == 0 && late().first != nullptr) {
          auto const [guard, value] = std::exchange(late(), {});
          if (won) guard->model_atomic<T>::store(value, std::memory_order_relaxed);
        }
      }
      return won;
    }
    static std::pair<atomic*, T>& late() { return *of_the_owner(); }
    static std::pair<atomic*, T>*& of_the_owner() {
      static std::pair<atomic*, T>* it = nullptr;  // the same in every execution, once the script is constructed
      return it;
    }
  };
};

/// The guard does not rise to the oldest entry when the owner takes the bias back: it stays just below.
struct guard_too_low : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    void store(T value, std::memory_order order) noexcept {
      if constexpr (std::is_same_v<T, std::int64_t>) {
        if (current_world()->thread() == 0 && order == std::memory_order_relaxed && value != infinity)
          value -= skua::runtime::deque<model_sync>::step;
      }
      model_atomic<T>::store(value, order);
    }
  };
};

/// The ring is published without waiting for the copies.
struct ring_published_early : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    void store(T value, std::memory_order order) noexcept {
      model_atomic<T>::store(value, std::is_pointer_v<T> ? std::memory_order_relaxed : order);
    }
  };
};

/// The bottom is published without waiting for the slot.
using bottom_published_early = ordered_store_of<std::int64_t, std::memory_order_relaxed>;

/// Exchange is a load and a store: it overwrites what comes between.
struct torn_exchange : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T exchange(T value, std::memory_order order) noexcept {
      auto const old = this->load(order);
      model_atomic<T>::store(value, order);
      return old;
    }
  };
};

/// Thieves and the owner's last pop move the top without looking whether it has moved.
using explorer::torn_compare_exchange;

}}}}  // namespace skua::v0::runtime::deque_mutants
