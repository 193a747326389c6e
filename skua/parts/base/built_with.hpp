// SPDX-License-Identifier: MIT
// A program and the library must agree on the flags that change the layout of standard types: a std::vector or std::string that
// one of them makes is read by the other. If they do not, the linker names the flag:
//
//   undefined reference to `skua::v0::runtime::library_built_with_D_GLIBCXX_DEBUG<true>::is_needed'
//
// Each public header includes this. It costs a program two addresses per source file, and nothing when it runs.
#pragma once

#include "skua/parts/base/platform.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Defined for the library's own flag only (built_with.cpp).
template <bool Debugged>
struct library_built_with_D_GLIBCXX_DEBUG {
  static char const is_needed;
};
template <int Abi>
struct library_built_with_D_GLIBCXX_USE_CXX11_ABI {
  static char const is_needed;
};

// As declarations, so that no compiler expects the definitions here.
template <>
char const library_built_with_D_GLIBCXX_DEBUG<standard_types_are_debugged>::is_needed;
template <>
char const library_built_with_D_GLIBCXX_USE_CXX11_ABI<abi_of_strings>::is_needed;

// used, retain: neither compiler nor linker (--gc-sections) may drop it, although nothing reads it. static, because object files of
// different flags may meet in one program, and each has its own needs.
[[gnu::used, gnu::retain]] static char const* const what_the_library_needs[] = {
    has_flags_of_library ? nullptr : &library_built_with_D_GLIBCXX_DEBUG<standard_types_are_debugged>::is_needed,
    has_flags_of_library ? nullptr : &library_built_with_D_GLIBCXX_USE_CXX11_ABI<abi_of_strings>::is_needed};

}}}  // namespace skua::v0::runtime
