// SPDX-License-Identifier: MIT
#include "skua/parts/queue/fork_deque.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template class fork_deque<real_sync>;

}}}  // namespace skua::v0::runtime
