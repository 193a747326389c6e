// SPDX-License-Identifier: MIT
// Where the system refuses a thread, a pool's constructor says so, and nothing is left of the pool.
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstddef>
#include <string>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"

namespace {

/// While it lives, new threads want stacks that no address space has room for.
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

TEST(refused_thread, is_an_error_that_says_what_may_help) {
  if (skua::runtime::under_tsan || skua::runtime::under_asan) GTEST_SKIP() << "the sanitizer makes the threads";
  for (int round = 0; round < 3; ++round) {
    threads_are_refused const for_now;
    try {
      skua::pool const pool(2);
      ADD_FAILURE() << "it must throw";
    } catch (skua::resource_error const& e) {
      std::string const text = e.what();
      EXPECT_NE(text.find("cannot start worker 0: "), std::string::npos) << text;
      EXPECT_NE(text.find("SKUA_WORKERS"), std::string::npos) << text;
    }
  }
  EXPECT_EQ(skua::pool(2).run([](auto&) { return 7; }), 7);
}

}  // namespace
