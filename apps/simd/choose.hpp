// SPDX-License-Identifier: MIT
// Which of a kernel's instantiations this processor can run.
#pragma once

#include <string_view>
#include <tuple>
#include <vector>

#include "arches.hpp"  // apps/simd/x86 or apps/simd/other, chosen by CMake

namespace skua::apps::simd {

/// One instantiation: its tag's name and the function.
template <class Function>
struct variant {
  std::string_view name;
  Function* function;
};

/// The variants of a kernel that this processor can run, narrowest first; never empty.
/// kernel(tag) yields the address of the instantiation for that tag.
template <class Kernel>
auto usable(Kernel kernel) {
  return std::apply(
      [&]<class... Tags>(Tags... tags) {
        using function = std::remove_pointer_t<decltype(kernel(portable{}))>;
        std::vector<variant<function>> found;
        ((Tags::usable() ? found.push_back({Tags::name, kernel(tags)}) : void()), ...);
        return found;
      },
      arches{});
}

}  // namespace skua::apps::simd
