// SPDX-License-Identifier: MIT
#include "bench/cholesky.hpp"

namespace skua::bench::choleskies {

runner starpu() noexcept { return nullptr; }

}  // namespace skua::bench::choleskies
