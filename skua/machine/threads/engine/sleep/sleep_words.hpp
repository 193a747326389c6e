// SPDX-License-Identifier: MIT
// What those who sleep, wake and lend places tell each other. (sleep.hpp)
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 { namespace runtime {

/// The answer to a caller that asks for a worker's place.
enum class loan : std::uint8_t {
  given,
  soon,     ///< the worker's thread is about to wait
  refused,  ///< the worker's thread is awake, or another caller was faster
};

/// What a searcher that has got a task leaves where it got it.
enum class remains : bool { unknown, more };

/// How a caller leaves a place in which nothing is left.
enum class left_as : bool {
  shut,
  open,  ///< the next caller enters without the lock
};

/// What a worker that falls asleep looks at.
enum class reach : bool {
  own,  ///< what only this worker may take, and what is at hand
  all,  ///< all lanes of all regions: for the last searcher
};

}}}  // namespace skua::v0::runtime
