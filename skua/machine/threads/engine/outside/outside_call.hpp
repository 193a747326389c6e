// SPDX-License-Identifier: MIT
// A function that a program passes to a pool and waits for, without its type, so that compiled code (root.hpp) can call
// it.
#pragma once

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/fork/join/here.hpp"
#include "skua/parts/base/type_text.hpp"
#include "skua/program/children.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class region;

/// call(*this, fiber) calls the function and keeps its value; it throws what the function throws.
struct outside_call {
  void (*call)(outside_call&, fiber&);
  char const* name = nullptr;  ///< for traces
};

/// Runs the call on a region: at once if the caller is a task of that region, else submitted as a root. Throws what the
/// call throws.
void run_in(region& where, outside_call& call);
/// As run_in, for calls whose bodies number their workers themselves. No guest runs it: if no worker's place is free, the thread waits
/// until a worker, or a caller in a worker's place, has run the call as a task (caller.md, "More callers than workers").
void run_in_a_place(region& where, outside_call& call);

/// Runs f(here), or f(), through run(outside_call&). Returns f's value (a copy of the referent if f returns a reference).
/// Its name in traces is the type `Name`.
template <class F, class Run, class Name = F>
auto call_outside(F& f, Run const& run) {
  if constexpr (!std::invocable<F&, here&> && std::invocable<F&>) {
    auto const without_here = [&f](here&) -> decltype(auto) { return f(); };
    return call_outside<decltype(without_here), Run, Name>(without_here, run);
  } else if constexpr (!std::invocable<F&, here&>) {
    static_assert(std::invocable<F&, here&>, "run: the function is called as f() or f(here)");
  } else {
    struct typed_call : outside_call {
      explicit typed_call(F& g) noexcept
          : outside_call{[](outside_call& self, fiber& on) {
                           auto& mine = static_cast<typed_call&>(self);
                           mine.value.emplace(call_keeping_void(mine.function, here_of(on)));
                         },
                         type_text<Name>()},
            function(g) {}
      static value_of<F&, here&> call_keeping_void(F& g, here& here) { return runtime::call(g, here); }
      F& function;
      std::optional<value_of<F&, here&>> value;
    } asked{f};
    run(asked);
    if constexpr (!std::is_void_v<std::invoke_result_t<F&, here&>>) return std::move(*asked.value);
  }
}

}}}  // namespace skua::v0::runtime
