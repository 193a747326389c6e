// SPDX-License-Identifier: MIT
// Handlers of fork() that are there before any thread is. If the first use of something registered its handlers, a thread could be doing so
// while another one forks: pthread_atfork waits for the fork, and the child for a thread that it does not have.
#pragma once

#include <pthread.h>

namespace skua { inline namespace v0 { namespace runtime {

/// As pthread_atfork. Declare it at namespace scope, with before_static_objects, beside what the handlers use, which must be there without
/// initialisation at run time, or be made by them. Without memory for the handlers, locks may stay taken for ever in a child.
class fork_handlers {
 public:
  using handler = void (*)();
  fork_handlers(handler before, handler in_parent, handler in_child) noexcept {
    static_cast<void>(::pthread_atfork(before, in_parent, in_child));
  }
};

/// For [[gnu::init_priority]]: static objects of programs may make pools, and fork.
inline constexpr int before_static_objects = 1000;

}}}  // namespace skua::v0::runtime
