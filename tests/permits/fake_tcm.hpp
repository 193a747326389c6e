// SPDX-License-Identifier: MIT
// A Thread Composability Manager that a test drives: each permit gets as many threads as the test offers, at any time.
#pragma once

#include <cstdint>

namespace fake_tcm {

/// From now on each active permit has as many threads, or as many as it asks for if those are fewer. Calls back those whose grant changes. At first: 1024.
void offer(std::uint32_t threads);

/// What the library refuses from now on.
enum class refuses : std::uint8_t { nothing, clients, permits };
void refuse(refuses what);

struct seen {
  int connects = 0;
  int disconnects = 0;
  int asks = 0;
  int releases = 0;
  int active = 0;      ///< permits, now
  int registered = 0;  ///< threads, now
  int asked_most = 0;  ///< the last request
  bool was_bound = false;
  char const* misuse = nullptr;  ///< the first call that the interface forbids
};
[[nodiscard]] seen now();

}  // namespace fake_tcm
