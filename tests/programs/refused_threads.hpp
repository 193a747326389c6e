// SPDX-License-Identifier: MIT
// For tests of what happens where the system refuses a thread.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>

#include <cstddef>

namespace skua { inline namespace v0 { namespace testing {

/// While it lives, new threads want stacks that no address space has room for. Not where a sanitizer makes the threads.
class threads_are_refused {
 public:
  threads_are_refused() {
    ::pthread_getattr_default_np(&before_);
    ::pthread_attr_t huge;
    ::pthread_attr_init(&huge);
    ::pthread_attr_setstacksize(&huge, std::size_t{1} << 50);
    EXPECT_EQ(::pthread_setattr_default_np(&huge), 0);
    ::pthread_attr_destroy(&huge);
  }
  ~threads_are_refused() {
    EXPECT_EQ(::pthread_setattr_default_np(&before_), 0);
    ::pthread_attr_destroy(&before_);
  }
  threads_are_refused(threads_are_refused const&) = delete;
  threads_are_refused& operator=(threads_are_refused const&) = delete;

 private:
  ::pthread_attr_t before_{};
};

}}}  // namespace skua::v0::testing
