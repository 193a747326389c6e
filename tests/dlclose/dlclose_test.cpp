// SPDX-License-Identifier: MIT
// A program that knows nothing of Skua loads a plugin, lets it work in parallel, and unloads it. Nothing stays behind,
// neither a thread nor code, and the plugin can be loaded again.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <thread>

namespace {

auto threads_of_this_process() {
  std::filesystem::directory_iterator const tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

auto files_of_this_process() {
  std::filesystem::directory_iterator const files("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

TEST(dlclose, the_plugins_pool_ends_with_the_plugin) {
  std::thread([] {}).join();  // a sanitizer's own thread comes with the first one
  auto const at_first = threads_of_this_process();
  auto const files_at_first = files_of_this_process();
  for (int i = 0; i < 5; ++i) {
    void* const plugin = ::dlopen(SKUA_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(plugin, nullptr) << ::dlerror();
    auto* const sum = reinterpret_cast<int (*)(int)>(::dlsym(plugin, "plugin_sum"));
    ASSERT_NE(sum, nullptr) << ::dlerror();
    EXPECT_EQ(sum(1000), 499'500);
    EXPECT_GT(threads_of_this_process(), at_first) << "the plugin has workers";
    EXPECT_EQ(::dlclose(plugin), 0) << ::dlerror();
    EXPECT_EQ(threads_of_this_process(), at_first) << "and joins them";
    EXPECT_EQ(files_of_this_process(), files_at_first) << "and shares no memory any more";
    EXPECT_EQ(::dlopen(SKUA_PLUGIN, RTLD_NOW | RTLD_NOLOAD), nullptr) << "the plugin was unloaded";
  }
}

TEST(dlclose, a_program_may_fork_once_the_plugin_is_gone) {
  void* const plugin = ::dlopen(SKUA_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(plugin, nullptr) << ::dlerror();
  auto* const sum = reinterpret_cast<int (*)(int)>(::dlsym(plugin, "plugin_sum"));
  ASSERT_NE(sum, nullptr) << ::dlerror();
  EXPECT_EQ(sum(1000), 499'500);
  ASSERT_EQ(::dlclose(plugin), 0) << ::dlerror();
  pid_t const child = ::fork();
  if (child == 0) ::_exit(0);
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the handlers of fork() went with the plugin";
}

TEST(dlclose, a_program_may_end_with_the_plugin_loaded) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto load_and_exit = [] {
    void* const plugin = ::dlopen(SKUA_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    auto* const sum = reinterpret_cast<int (*)(int)>(::dlsym(plugin, "plugin_sum"));
    std::exit(sum(10) == 45 ? 0 : 1);
  };
  EXPECT_EXIT(load_and_exit(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
