// SPDX-License-Identifier: MIT
// Storage for the value that a flow's node returned, until the next run or the end of the flow.
#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "skua/program/children.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Storage for a node's value. Not a std::optional, so that other nodes can point to the value before it exists.
template <class T>
struct kept_value {
  union {
    T value;
  };
  bool is_there = false;
  kept_value() noexcept {}
  ~kept_value() { forget(); }
  kept_value(kept_value const&) = delete;
  kept_value& operator=(kept_value const&) = delete;
  template <class F>
  void keep(F&& f) {
    forget();  // of the run before
    ::new (static_cast<void*>(std::addressof(value))) T(f());
    is_there = true;
  }
  [[nodiscard]] T const* address() const noexcept { return std::addressof(value); }

 private:
  void forget() noexcept {
    if (std::exchange(is_there, false)) std::destroy_at(std::addressof(value));
  }
};
/// A node that returns nothing.
struct nothing_kept {
  template <class F>
  void keep(F&& f) {
    static_cast<void>(f());
  }
};

template <class T>
using nonvoid = std::conditional_t<std::is_void_v<T>, nothing, T>;

}}}  // namespace skua::v0::runtime
