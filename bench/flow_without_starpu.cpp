// SPDX-License-Identifier: MIT
#include "bench/flow.hpp"

namespace skua::bench::flows {

runner starpu() noexcept { return nullptr; }

}  // namespace skua::bench::flows
