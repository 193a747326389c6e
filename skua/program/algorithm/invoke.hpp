// SPDX-License-Identifier: MIT
// Calls several functions in parallel.
#pragma once

#include <memory>

#include "skua/program/algorithm/body.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/pieces.hpp"

namespace skua::runtime {

/// f(here) or f(), called by pointer. `f` stays where it is.
template <class Here, class F>
  requires body_of<F, Here>
plain_call<Here> untyped_call(F& f) noexcept {
  return {[](void* self, Here& here) { static_cast<void>(call_body(here, *static_cast<F*>(self))); },
          const_cast<void*>(static_cast<void const*>(std::addressof(f)))};
}

/// Calls f(here) or f() for every f, each once, in any order; no function at all is fine. Discards their values:
/// `here.join` returns them. Work and span: the sum and the maximum of theirs. Rethrows the first exception and drops
/// the functions not yet begun.
template <fork_join Here, class... F>
  requires(body_of<F, Here> && ...)
void invoke(Here& here, F&&... f) {
  if constexpr (sizeof...(F) > 0) {
    plain_call<Here> const all[] = {untyped_call<Here>(f)...};
    run_calls<Here>(here, all);
  }
}

}  // namespace skua::runtime

namespace skua {

using runtime::invoke;

}  // namespace skua
