// SPDX-License-Identifier: MIT
// One instantiation of a kernel, to be chosen at run time.
#pragma once

#include <string_view>
#include <vector>

namespace skua::apps::simd {

template <class Function>
struct variant {
  std::string_view name;  ///< of the tag (arches.hpp)
  Function* function;
};

/// The variants that this processor can run, narrowest vectors first; never empty.
template <class Function>
using variants = std::vector<variant<Function>>;

}  // namespace skua::apps::simd
