// SPDX-License-Identifier: MIT
// The compiler's text for a type: a task's name in traces. For a lambda it contains the enclosing function.
#pragma once

#include <string_view>
#include <type_traits>

namespace skua { inline namespace v0 { namespace runtime {

/// Contains the type somewhere ("... [with T = fib<...>::<lambda(auto:1&)>]"); lives as long as the program.
template <class T>
constexpr char const* type_text() noexcept {
  return __PRETTY_FUNCTION__;
}

/// The type inside `type_text() [with T = TYPE]` or `[T = TYPE]`; everything if that is not what this is.
[[nodiscard]] constexpr std::string_view type_in(std::string_view text) noexcept {
  for (std::string_view const opening : {std::string_view("[with T = "), std::string_view("[T = ")}) {
    auto const at = text.find(opening);
    if (at == std::string_view::npos || !text.ends_with(']')) continue;
    return text.substr(at + opening.size(), text.size() - at - opening.size() - 1);
  }
  return text;
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
