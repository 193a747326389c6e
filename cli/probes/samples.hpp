// SPDX-License-Identifier: MIT
// How probes measure: they time a loop, verify what it computed, and repeat that (apps/timing.hpp).
#pragma once

#include <string>

#include "apps/timing.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {

using apps::clock, apps::median, apps::ns_between, apps::ns_of, apps::repeated;
using samples = apps::spread;

/// Throws error unless the probe computed what it should: the time of a wrong loop means nothing.
inline void verify(bool right, char const* what) {
  if (!right) throw error("a probe failed its check: " + std::string{what});
}

}  // namespace skua::cli
