// SPDX-License-Identifier: MIT
// Where a reduction keeps the values of its open joins. Each level of the recursion holds one or two: a small value
// lies on the stack, where it costs nothing; a large one lies on the heap, or eight levels of a histogram would
// overflow the stack.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace skua { inline namespace v0 { namespace runtime {

/// The largest value that lies on the stack, in bytes. An allocation for a larger one costs less than two copies of it.
inline constexpr std::size_t largest_value_on_stack = 256;

/// Room on the stack.
template <class Value>
class held_value {
 public:
  /// Holds the value of make().
  template <class Make>
  explicit held_value(std::in_place_t, Make const& make) : value_(make()) {}

  [[nodiscard]] Value& operator*() noexcept { return value_; }

 private:
  Value value_;
};

/// Room on the heap. make() constructs its value there, never on the stack. Throws std::bad_alloc.
template <class Value>
class boxed_value {
 public:
  template <class Make>
  explicit boxed_value(std::in_place_t, Make const& make) : value_(new Value(make())) {}

  [[nodiscard]] Value& operator*() noexcept { return *value_; }

 private:
  std::unique_ptr<Value> value_;
};

template <class Value>
inline constexpr bool is_large_value = sizeof(Value) > largest_value_on_stack;
template <class Value>
using value_holder = std::conditional_t<is_large_value<Value>, boxed_value<Value>, held_value<Value>>;

/// Values that can be constructed but not assigned are constructed again.
template <class Value>
void assign(Value& to, Value&& from) {
  if constexpr (std::is_move_assignable_v<Value>) {
    to = std::move(from);
  } else {
    static_assert(std::is_nothrow_move_constructible_v<Value>,
                  "a value of a reduction can be assigned or moved safely");
    std::destroy_at(std::addressof(to));
    ::new (static_cast<void*>(std::addressof(to))) Value(std::move(from));
  }
}

/// Replaces `to` by the value of make(), which may consume the old value of `to`.
template <class Value, class Make>
void replace(held_value<Value>& to, Make const& make) {
  assign(*to, Value(make()));
}
template <class Value, class Make>
void replace(boxed_value<Value>& to, Make const& make) {
  to = boxed_value<Value>(std::in_place, make);
}

}}}  // namespace skua::v0::runtime
