// SPDX-License-Identifier: MIT
// The deque of real threads, compiled once: a program compiles only what it inlines into its forks.
#include "skua/parts/queue/deque.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template class deque<real_sync>;

}}}  // namespace skua::v0::runtime
