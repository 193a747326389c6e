// SPDX-License-Identifier: MIT
// Calls several functions in parallel.
#pragma once

#include <utility>

#include "skua/program/algorithm/body.hpp"
#include "skua/program/cancel.hpp"

namespace skua {

/// Calls f(here) or f() for every f, each once, in any order; no function at all is fine. Discards their values:
/// `here.join` returns them. Work and span: the sum and the maximum of theirs. Rethrows the first exception and drops
/// the functions not yet begun.
template <fork_join Here, class... F>
  requires(body_of<F, Here> && ...)
void invoke(Here& here, F&&... f) {
  if constexpr (sizeof...(F) == 1) {
    throw_if_stopped(here);
    (call_body(here, f), ...);
  } else if constexpr (sizeof...(F) > 1) {
    here.join([&f](Here& h) { static_cast<void>(call_body(h, f)); }...);
  }
}

}  // namespace skua
