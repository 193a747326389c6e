// SPDX-License-Identifier: MIT
// The text in which a compiler spells a type: what traces call a task. Of a lambda it tells the function around it.
#pragma once

namespace skua { inline namespace v0 { namespace runtime {

/// Contains the type somewhere ("... [with T = fib<...>::<lambda(auto:1&)>]"); lives as long as the program.
template <class T>
constexpr char const* type_text() noexcept {
  return __PRETTY_FUNCTION__;
}

}}}  // namespace skua::v0::runtime
