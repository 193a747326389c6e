// SPDX-License-Identifier: MIT
// std::stop_callback for flows.
//
// Two properties of the standard's version concern threads, which flows are not. (1) Removing a callback on the thread that requested the
// stop does not wait for it, because it must have returned. So it has if another flow of this thread requested the stop, but
// ThreadSanitizer, for which flows are threads, knows no edge. (2) If only the program is compiled for ThreadSanitizer, the request runs
// in the program, so registering and removing must be compiled there, too: never in the library.
//
// The function must not wait as a task waits: another flow of the thread might then remove the callback while it runs.
#pragma once

#include <stop_token>
#include <utility>

#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/current.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Calls f() once `token` requests a stop, on the thread that requests it, or at once if it already has.
template <class F>
class stop_listener {
 public:
  [[gnu::always_inline]] stop_listener(std::stop_token token, F f) : token_(std::move(token)), callback_(token_, f) {}
  [[gnu::always_inline]] ~stop_listener() {
    if constexpr (under_tsan) static_cast<void>(thread_number());  // the edge of (1)
  }
  stop_listener(stop_listener const&) = delete;
  stop_listener& operator=(stop_listener const&) = delete;

  [[nodiscard]] std::stop_token const& token() const noexcept { return token_; }

 private:
  std::stop_token token_;
  std::stop_callback<F> callback_;
};

}}}  // namespace skua::v0::runtime
