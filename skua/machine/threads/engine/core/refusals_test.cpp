// SPDX-License-Identifier: MIT
// What a pool refuses, with a message that says why, and that unrelated callers get no message.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "skua/machine/threads/engine/core/oversubscription.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/policy/registry.hpp"
#include "skua/skua.hpp"

namespace {

/// A file with this text, for as long as this lives.
class written {
 public:
  explicit written(std::string const& text) {
    int const file = ::mkstemp(name_.data());
    EXPECT_NE(file, -1);
    ::close(file);
    std::ofstream(name_) << text;
  }
  ~written() { ::unlink(name_.c_str()); }
  written(written const&) = delete;
  written& operator=(written const&) = delete;
  [[nodiscard]] std::string const& name() const { return name_; }

 private:
  std::string name_ = (std::filesystem::temp_directory_path() / "skua_refusals_XXXXXX").string();
};

std::string refusal_of_pool(skua::pool_options const& with) {
  try {
    skua::pool const refused(with);
  } catch (skua::usage_error const& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(partitions_of_a_pool, that_cannot_be_read_or_are_of_others_are_refused) {
  EXPECT_EQ(refusal_of_pool({.partitions = "/no/such/file"}),
            "pool option partitions is '/no/such/file': No such file or directory");
  written const two("0,1\n1,2\n1\n");
  EXPECT_EQ(refusal_of_pool({.workers = 3, .partitions = two.name()}),
            "pool option partitions: " + two.name() + " has 2 workers, but code asks for 3; allowed: the same number");
  EXPECT_EQ(refusal_of_pool({.workers = 2, .partitions = two.name(), .topology = "package:1 core:2"}), "accepted");
}

TEST(partitions_of_a_pool, say_where_its_workers_are) {
  written const crossed("1,0\n1,2\n1\n");
  skua::pool const p({.partitions = crossed.name(), .topology = "package:1 core:2"});
  EXPECT_EQ(p.facts().chosen.places.value, "{1},{0}");
  ASSERT_EQ(p.num_workers(), 2U);
  EXPECT_EQ(p.layout().pu_of(skua::worker_id{0}), 1U);
  EXPECT_EQ(p.layout().pu_of(skua::worker_id{1}), 0U);
}

TEST(history_of_a_pool, is_for_regions_of_as_many_workers) {
  written const history(R"({"workers": 2, "times": [{"type": 1, "address": 0, "leader": 0, "width": 1, "ns": 5}]})");
  skua::pool p({.workers = 2, .history = history.name()});
  std::size_t known = 99;
  auto const looks = [&](skua::policies::policy_setup const& from) {
    known = from.known.all.size();
    return skua::policies::policy_named("random")(from);
  };
  static_cast<void>(p.open_region(looks));
  EXPECT_EQ(known, 1U);
  static_cast<void>(p.open_region(looks, 1));
  EXPECT_EQ(known, 0U);
}

TEST(regions, of_a_lost_pool_refuse_to_run_anything) {
  if (skua::runtime::under_tsan) GTEST_SKIP() << "ThreadSanitizer allows no new threads in a child of fork()";
  skua::pool p({.workers = 2});
  auto const region = p.open_region("random");
  pid_t const child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int wrong = 1;
    try {
      region.run([&](auto&) { ::_exit(2); });
    } catch (skua::error const&) {
      wrong = 0;
    }
    ::_exit(wrong);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(oversubscription_of_a_pool, begins_with_one_worker_more_than_processors) {
  using skua::runtime::oversubscription;
  EXPECT_FALSE(oversubscription(2, 2).is_oversubscribed());
  EXPECT_TRUE(oversubscription(3, 2).is_oversubscribed());
  EXPECT_FALSE(oversubscription(2, 3).is_oversubscribed());
  EXPECT_EQ(oversubscription(2, 2).share_of(101), 101U);
  EXPECT_EQ(oversubscription(4, 2).share_of(100), 50U);
}

TEST(oversubscription_of_a_pool, is_looked_at_as_soon_as_it_is_time) {
  constexpr std::uint32_t more_than_any_machine_has = 1'000'000;
  skua::runtime::oversubscription with(more_than_any_machine_has, 0);
  EXPECT_FALSE(with.is_oversubscribed()) << "nobody knows";
  with.watch({static_cast<int>(::gettid())});
  with.look_again(0);
  EXPECT_TRUE(with.is_oversubscribed());
}

}  // namespace
