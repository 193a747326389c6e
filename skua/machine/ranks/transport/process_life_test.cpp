// SPDX-License-Identifier: MIT
// Processes that are there, stopped, dead but not yet collected, and gone.
#include "skua/machine/ranks/transport/process_life.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skua { inline namespace v0 { namespace ranks { namespace {

using life = transport::life;

TEST(process_life, is_what_the_system_says) {
  pid_t const child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  ASSERT_GT(child, 0);
  EXPECT_EQ(life_of_process(child), life::there);
  int status = 0;
  ASSERT_EQ(::kill(child, SIGSTOP), 0);
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  EXPECT_EQ(life_of_process(child), life::stopped);
  ASSERT_EQ(::kill(child, SIGCONT), 0);
  ASSERT_EQ(::waitpid(child, &status, WCONTINUED), child);
  EXPECT_EQ(life_of_process(child), life::there);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(life_of_process(child), life::ended) << "a zombie";
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(life_of_process(child), life::ended) << "nothing is left";
}

TEST(process_life, of_this_process) {
  process_name const own = process_name::own();
  EXPECT_EQ(own.number, ::getpid());
  EXPECT_NE(own.space, 0U);
  EXPECT_EQ(life_of_process(own.number), life::there);
}

}}}}  // namespace skua::v0::ranks
