// SPDX-License-Identifier: MIT
// Calls several functions in parallel.
#pragma once

#include <memory>
#include <type_traits>

#include "skua/program/algorithm/body.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/pieces.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// f(here) or f(), called by pointer, once, as the value category F says. `f` stays where it is.
template <class Here, class F>
  requires task_of<F, Here>
plain_call<Here> untyped_call(std::remove_reference_t<F>& f) noexcept {
  using function = std::remove_reference_t<F>;
  if constexpr (std::is_function_v<function>) {
    return {[](void* self, Here& here) { static_cast<void>(call_task(here, *reinterpret_cast<function*>(self))); },
            reinterpret_cast<void*>(&f)};
  } else {
    return {[](void* self, Here& here) {
              static_cast<void>(call_task(here, static_cast<F&&>(*static_cast<function*>(self))));
            },
            const_cast<void*>(static_cast<void const*>(std::addressof(f)))};
  }
}

/// Calls f(here) or f() for every f, each once, in any order; no function at all is fine. What is passed as an rvalue is
/// called as one. Discards their values: `here.join` returns them. Work and span: the sum and the maximum of theirs.
/// Rethrows the first exception and drops the functions not yet begun.
template <fork_join Here, class... F>
  requires(task_of<F, Here> && ...)
void invoke(Here& here, F&&... f) {
  if constexpr (sizeof...(F) > 0) {
    plain_call<Here> const all[] = {untyped_call<Here, F>(f)...};
    run_calls<Here>(here, all);
  }
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::invoke;

}}  // namespace skua::v0
