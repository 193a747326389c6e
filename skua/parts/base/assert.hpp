// SPDX-License-Identifier: MIT
// Programmers' errors and broken invariants. Plain functions: an argument is evaluated in every build,
// so it must be cheap and without side effects; checked builds (-DSKUA_CHECKED=ON) abort with its name.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "skua/parts/base/platform.hpp"

namespace skua { inline namespace v0 { namespace runtime {

[[noreturn, gnu::cold, gnu::noinline]] inline void broken(char const* kind, char const* name) noexcept {
  std::fprintf(stderr, "skua: %s broken: %s\n", kind, name);
  std::abort();
}

/// For checked builds: reports a program's mistake that the library tolerates.
[[gnu::cold, gnu::noinline]] inline void remark(char const* what, char const* more = "") noexcept {
  std::fprintf(stderr, "skua: %s%s\n", what, more);
}

/// A named invariant: the name stands above the data it binds.
constexpr void invariant(bool holds, char const* name) noexcept {
  if constexpr (checked) {
    if (!holds) [[unlikely]]
      broken("invariant", name);
  }
}

/// A precondition: what a caller must guarantee.
constexpr void expects(bool holds, char const* what) noexcept {
  if constexpr (checked) {
    if (!holds) [[unlikely]]
      broken("precondition", what);
  }
}

}}}  // namespace skua::v0::runtime
