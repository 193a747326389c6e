// SPDX-License-Identifier: MIT
#include "skua/parts/base/built_with.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template <>
char const library_built_with_D_GLIBCXX_DEBUG<standard_types_are_debugged>::is_needed = 0;
template <>
char const library_built_with_D_GLIBCXX_USE_CXX11_ABI<abi_of_strings>::is_needed = 0;

}}}  // namespace skua::v0::runtime
