// SPDX-License-Identifier: MIT
// Mutants that several model tests use. Each is model_sync with one operation broken; a model names the one it means
// after the step that it breaks there.
#pragma once

#include <atomic>
#include <mutex>
#include <type_traits>

#include "tests/explorer/model_sync.hpp"

namespace skua { inline namespace v0 { namespace explorer {

// ---- with another order than is written -----------------------------------------------------------------------------

template <std::memory_order Order>
struct ordered_load : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T load(std::memory_order) const noexcept { return model_atomic<T>::load(Order); }
  };
};

template <std::memory_order Order>
struct ordered_store : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    void store(T value, std::memory_order) noexcept { model_atomic<T>::store(value, Order); }
  };
};

/// Only stores of `Word`s.
template <class Word, std::memory_order Order>
struct ordered_store_of : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    void store(T value, std::memory_order order) noexcept {
      model_atomic<T>::store(value, std::is_same_v<T, Word> ? Order : order);
    }
  };
};

template <std::memory_order Order>
struct ordered_fetch_add : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_add(T by, std::memory_order) noexcept { return model_atomic<T>::fetch_add(by, Order); }
  };
};

template <std::memory_order Order>
struct ordered_fetch_sub : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_sub(T by, std::memory_order) noexcept { return model_atomic<T>::fetch_sub(by, Order); }
  };
};

// ---- torn in two ----------------------------------------------------------------------------------------------------

/// A load and a store: it overwrites what comes between.
struct torn_fetch_or : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_or(T bits, std::memory_order order) noexcept {
      T const old = model_atomic<T>::load(order);
      model_atomic<T>::exchange(static_cast<T>(old | bits), order);
      return old;
    }
  };
};

/// A look and a store: it overwrites what comes between.
struct torn_compare_exchange : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    bool compare_exchange_strong(T& expected, T desired, std::memory_order order, std::memory_order) noexcept {
      T const found = model_atomic<T>::load(order);
      if (found != expected) {
        expected = found;
        return false;
      }
      model_atomic<T>::store(desired, std::memory_order_seq_cst);
      return true;
    }
  };
};

/// A load and a plain store, which may stay in the store buffer.
struct buffered_fetch_add : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_add(T by, std::memory_order) noexcept {
      T const old = model_atomic<T>::load(std::memory_order_relaxed);
      model_atomic<T>::store(static_cast<T>(old + by), std::memory_order_relaxed);
      return old;
    }
  };
};

// ---- without time ---------------------------------------------------------------------------------------------------

/// A short wait in which no time passes.
struct no_time : model_sync {
  struct condition : model_condition {
    [[nodiscard]] static bool short_wait(std::unique_lock<model_mutex>&) noexcept { return false; }
  };
};

}}}  // namespace skua::v0::explorer
