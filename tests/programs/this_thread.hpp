// SPDX-License-Identifier: MIT
// Which thread a test runs on, for comparisons across a wait, a join or a call.
//
// std::this_thread::get_id() cannot tell: the C library declares pthread_self() const, so a compiler may ask once in a
// function and compare the answer with itself, although the flow has moved to another thread meanwhile. For the same reason
// nobody keeps the address of a thread_local over a switch (skua/parts/context/current.hpp).
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

namespace skua { inline namespace v0 { namespace testing {

/// The kernel's number of the calling thread. Never 0.
[[gnu::noinline]] inline long this_thread_number() noexcept { return ::syscall(SYS_gettid); }

}}}  // namespace skua::v0::testing
