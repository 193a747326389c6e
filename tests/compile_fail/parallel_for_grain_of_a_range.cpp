// SPDX-License-Identifier: MIT
// Expected: in this order, or one of them; the grain is the range's
#include "skua/skua.hpp"

int main() {
  skua::parallel_for(skua::blocked_range<int>(0, 10), [](auto const&) {}, skua::grain{4});
}
