// SPDX-License-Identifier: MIT
// What arms learns in one pool is there in the next one.
#include "skua/machine/threads/engine/history/history_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "skua/program/flow/flow.hpp"
#include "skua/skua.hpp"

namespace {

namespace fs = std::filesystem;

/// An empty folder that lives as long as this.
class folder {
 public:
  folder() {
    std::string name = (fs::temp_directory_path() / "skua_history_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~folder() { fs::remove_all(path_); }
  folder(folder const&) = delete;
  folder& operator=(folder const&) = delete;
  [[nodiscard]] std::string file(char const* name) const { return path_ / name; }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

std::string text_of(std::string const& path) {
  std::ostringstream all;
  all << std::ifstream(path).rdbuf();
  return all.str();
}

std::size_t times_in(std::string const& text) {
  std::size_t n = 0;
  for (auto at = text.find("\"type\""); at != std::string::npos; at = text.find("\"type\"", at + 1)) ++n;
  return n;
}

/// Runs teams one by one; returns how many ran with each width.
std::map<std::uint32_t, int> run_teams(std::string const& history, int n) {
  skua::pool pool({.workers = 2, .policy = "arms", .history = history, .topology = "package:1 core:2"});
  std::map<std::uint32_t, int> widths;
  pool.run([&](auto& here) {
    for (int i = 0; i < n; ++i) {
      here.team(skua::task_type{7}, skua::address::at(0.1), [&](auto& team) {
        if (team.member() == 0) ++widths[team.width()];
        team.barrier();
      });
    }
  });
  return widths;
}

std::string refusal(std::string const& path) {
  try {
    skua::pool const pool({.workers = 2, .policy = "arms", .history = path});
  } catch (skua::usage_error const& wrong) {
    return wrong.what();
  }
  return "none";
}

TEST(history_file, a_second_run_begins_with_what_the_first_learnt) {
  folder const directory;
  std::string const file = directory.file("times.json");
  EXPECT_EQ(run_teams(file, 10).size(), 2U) << "nothing is known: each width is tried";
  std::string const first = text_of(file);
  EXPECT_NE(first.find("\"type\":7"), std::string::npos) << first;
  EXPECT_EQ(run_teams(file, 1).size(), 1U);
  EXPECT_GE(times_in(text_of(file)), times_in(first)) << "what was known is still there";
  EXPECT_EQ(directory.files(), 1U) << "no draft is left";
}

TEST(history_file, other_policies_leave_it_alone) {
  folder const directory;
  std::string const file = directory.file("times.json");
  std::string const text = R"({"workers": 2, "times": []})";
  std::ofstream(file) << text;
  {
    skua::pool pool({.workers = 2, .policy = "random", .history = file});
    pool.run([](auto&) {});
  }
  EXPECT_EQ(text_of(file), text);
}

TEST(history_file, mistakes_are_refused_when_the_pool_is_made) {
  folder const directory;
  EXPECT_NE(refusal(directory.file("no/such/folder")).find("cannot be written: No such file"), std::string::npos);
  EXPECT_NE(refusal(directory.file("")).find("Is a directory"), std::string::npos);
  std::string const broken = directory.file("broken.json");
  std::ofstream(broken) << "{\"workers\": 2, ";
  EXPECT_EQ(refusal(broken), "pool option history: " + broken +
                                 ": no JSON from byte 16 on; allowed: a file that a run of arms has written");
  std::string const other = directory.file("other.json");
  std::ofstream(other) << R"({"workers": 3, "times": [{"type": 1, "address": 0, "leader": 0, "width": 1, "ns": 5}]})";
  EXPECT_NE(refusal(other).find("is of 3 workers, but there are 2"), std::string::npos) << refusal(other);
  EXPECT_EQ(directory.files(), 2U);
}

TEST(history_file, a_file_that_cannot_be_replaced_is_noted) {
  folder const directory;
  std::string const file = directory.file("times.json");
  skua::runtime::history_file const history("SKUA_HISTORY", file);
  fs::create_directory(file);
  ::testing::internal::CaptureStderr();
  history.write(2, {{.ns = 5}});
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("was not written: "), std::string::npos);
  EXPECT_EQ(directory.files(), 1U) << "no draft is left";
}

/// Files end after 4 KiB, as on a disk that is full then. What is said goes to a file, too, and is shorter.
TEST(history_file, a_file_that_takes_no_text_is_noted) {
  folder const directory;
  std::string const file = directory.file("times.json");
  std::ofstream(file) << R"({"workers": 2, "times": []})";
  std::string const before = text_of(file);
  skua::runtime::history_file const history("SKUA_HISTORY", file);
  rlimit room{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &room), 0);
  rlimit const little{4096, room.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  ::testing::internal::CaptureStderr();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  history.write(2, std::vector<skua::policies::known_time>(1000, {.ns = 5}));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &room), 0);
  std::signal(SIGXFSZ, handler);
  std::string const said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("was not written: File too large"), std::string::npos) << said;
  EXPECT_EQ(text_of(file), before);
  EXPECT_EQ(directory.files(), 1U) << "no draft is left";
}

TEST(history_file, is_the_target_of_a_link_and_no_fifo) {
  folder const directory;
  std::string const link = directory.file("link");
  fs::create_symlink("target", link);
  skua::runtime::history_file const history("SKUA_HISTORY", link);
  history.write(2, {{.ns = 5}});
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(times_in(text_of(directory.file("target"))), 1U);
  std::string const fifo = directory.file("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_NE(refusal(fifo).find("which cannot be written: it is no regular file"), std::string::npos) << refusal(fifo);
  EXPECT_TRUE(fs::is_fifo(fifo));
  EXPECT_EQ(directory.files(), 3U);
}

}  // namespace
