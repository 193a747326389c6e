// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/core/thread_options.hpp"

#include <pthread.h>

namespace skua { inline namespace v0 { namespace runtime {

void name_this_thread(std::string const& name) noexcept {
  static_cast<void>(::pthread_setname_np(::pthread_self(), name.c_str()));
}

}}}  // namespace skua::v0::runtime
