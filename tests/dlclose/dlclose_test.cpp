// SPDX-License-Identifier: MIT
// A program that knows nothing of Skua loads a plugin, lets it work in parallel, and unloads it. Nothing stays behind,
// neither a thread nor code, and the plugin can be loaded again.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
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

/// A plugin into which Skua is linked, and one that brings the shared library.
struct plugin_kind {
  char const* name;
  char const* path;
};
class dlclose : public ::testing::TestWithParam<plugin_kind> {};

template <class F>
F* function_of(void* plugin, char const* name) {
  return reinterpret_cast<F*>(::dlsym(plugin, name));
}

TEST_P(dlclose, the_plugins_pool_ends_with_the_plugin) {
  std::thread([] {}).join();  // a sanitizer's own thread comes with the first one
  auto const at_first = threads_of_this_process();
  auto const files_at_first = files_of_this_process();
  for (int i = 0; i < 5; ++i) {
    void* const plugin = ::dlopen(GetParam().path, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(plugin, nullptr) << ::dlerror();
    auto* const sum = function_of<int(int)>(plugin, "plugin_sum");
    ASSERT_NE(sum, nullptr) << ::dlerror();
    EXPECT_EQ(sum(1000), 499'500);
    EXPECT_GT(threads_of_this_process(), at_first) << "the plugin has workers";
    EXPECT_EQ(::dlclose(plugin), 0) << ::dlerror();
    EXPECT_EQ(threads_of_this_process(), at_first) << "and joins them";
    EXPECT_EQ(files_of_this_process(), files_at_first) << "and shares no memory any more";
    EXPECT_EQ(::dlopen(GetParam().path, RTLD_NOW | RTLD_NOLOAD), nullptr) << "the plugin was unloaded";
  }
}

TEST_P(dlclose, a_program_may_fork_once_the_plugin_is_gone) {
  void* const plugin = ::dlopen(GetParam().path, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(plugin, nullptr) << ::dlerror();
  auto* const sum = function_of<int(int)>(plugin, "plugin_sum");
  ASSERT_NE(sum, nullptr) << ::dlerror();
  EXPECT_EQ(sum(1000), 499'500);
  ASSERT_EQ(::dlclose(plugin), 0) << ::dlerror();
  pid_t const child = ::fork();
  if (child == 0) ::_exit(0);
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the handlers of fork() went with the plugin";
}

TEST_P(dlclose, a_program_may_end_with_the_plugin_loaded) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto load_and_exit = [] {
    void* const plugin = ::dlopen(GetParam().path, RTLD_NOW | RTLD_LOCAL);
    auto* const sum = function_of<int(int)>(plugin, "plugin_sum");
    std::exit(sum(10) == 45 ? 0 : 1);
  };
  EXPECT_EXIT(load_and_exit(), ::testing::ExitedWithCode(0), "");
}

TEST_P(dlclose, what_the_plugin_has_enqueued_runs_before_its_code_is_gone) {
  void* const plugin = ::dlopen(GetParam().path, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(plugin, nullptr) << ::dlerror();
  auto* const enqueue = function_of<void(std::atomic<int>*, int)>(plugin, "plugin_enqueue");
  ASSERT_NE(enqueue, nullptr) << ::dlerror();
  std::atomic<int> sum{0};
  enqueue(&sum, 1000);
  ASSERT_EQ(::dlclose(plugin), 0) << ::dlerror();
  EXPECT_EQ(sum.load(), 499'500);
}

TEST_P(dlclose, a_thread_that_used_the_plugin_may_end_after_it) {
  void* const plugin = ::dlopen(GetParam().path, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(plugin, nullptr) << ::dlerror();
  auto* const sum = function_of<int(int)>(plugin, "plugin_sum");
  ASSERT_NE(sum, nullptr) << ::dlerror();
  std::atomic<bool> used{false};
  std::atomic<bool> closed{false};
  std::thread user([&] {
    EXPECT_EQ(sum(1000), 499'500);
    used = true;
    used.notify_one();
    closed.wait(false);
  });
  used.wait(false);
  EXPECT_EQ(::dlclose(plugin), 0) << ::dlerror();
  closed = true;
  closed.notify_one();
  user.join();
}

INSTANTIATE_TEST_SUITE_P(plugins, dlclose, ::testing::Values(SKUA_PLUGINS),
                         [](auto const& tested) { return std::string(tested.param.name); });

}  // namespace
