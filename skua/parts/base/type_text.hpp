// SPDX-License-Identifier: MIT
// The compiler's text for a type: a task's name in traces. For a lambda it contains the enclosing function.
#pragma once

#include <type_traits>

namespace skua { inline namespace v0 { namespace runtime {

/// Contains the type somewhere ("... [with T = fib<...>::<lambda(auto:1&)>]"); lives as long as the program.
template <class T>
constexpr char const* type_text() noexcept {
  return __PRETTY_FUNCTION__;
}

/// The type that names a task of this callable. Wrappers of callables specialise it.
template <class F>
struct named_as {
  using type = F;
};
template <class F>
constexpr char const* task_text() noexcept {
  return type_text<typename named_as<std::remove_reference_t<F>>::type>();
}

}}}  // namespace skua::v0::runtime
