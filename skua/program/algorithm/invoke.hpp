// SPDX-License-Identifier: MIT
// Calls several functions in parallel.
#pragma once

#include <memory>
#include <type_traits>

#include "skua/program/algorithm/body.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/pieces.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A call of f(here) or f() through a pointer, once, with the value category of F. Refers to `f`.
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

/// Calls f(here) or f() once for every f, in any order; takes any number of functions, even none. Calls a function that
/// is passed as an rvalue as an rvalue. Discards the values; `here.join` returns them. Work: the sum of the functions'
/// work. Span: the longest span among them. Rethrows the first exception and drops the functions that have not begun.
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
