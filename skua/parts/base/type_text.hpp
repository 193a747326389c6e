// SPDX-License-Identifier: MIT
// The text in which a compiler spells a type: what traces call a task. Of a lambda it tells the function around it.
#pragma once

#include <type_traits>

namespace skua { inline namespace v0 { namespace runtime {

/// Contains the type somewhere ("... [with T = fib<...>::<lambda(auto:1&)>]"); lives as long as the program.
template <class T>
constexpr char const* type_text() noexcept {
  return __PRETTY_FUNCTION__;
}

/// The type that a task of this callable is called by. Those that wrap one specialise it.
template <class F>
struct named_as {
  using type = F;
};
template <class F>
constexpr char const* task_text() noexcept {
  return type_text<typename named_as<std::remove_reference_t<F>>::type>();
}

}}}  // namespace skua::v0::runtime
