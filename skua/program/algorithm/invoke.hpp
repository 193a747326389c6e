// SPDX-License-Identifier: MIT
// Several functions at the same time.
#pragma once

#include <memory>

#include "skua/program/algorithm/body.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/pieces.hpp"

namespace skua {

/// f(here) or f(), called by pointer. `f` stays where it is.
template <class Here, class F>
  requires body_of<F, Here>
runtime::plain_call<Here> untyped_call(F& f) noexcept {
  return {[](void* self, Here& here) { static_cast<void>(call_body(here, *static_cast<F*>(self))); },
          const_cast<void*>(static_cast<void const*>(std::addressof(f)))};
}

/// f(here) or f() for every f, each once, in any order; none is fine. Values are discarded: `here.join` returns them.
/// Work and span: the sum and the maximum of theirs. The first exception is rethrown, functions not yet begun are
/// dropped.
template <fork_join Here, class... F>
  requires(body_of<F, Here> && ...)
void invoke(Here& here, F&&... f) {
  if constexpr (sizeof...(F) > 0) {
    runtime::plain_call<Here> const all[] = {untyped_call<Here>(f)...};
    runtime::run_calls<Here>(here, all);
  }
}

}  // namespace skua
