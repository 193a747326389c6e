// SPDX-License-Identifier: MIT
// What arms and auto learn in one pool is there in the next one, if it is of the same program, machine and workers.
#include "skua/machine/threads/engine/history/history_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "skua/machine/threads/engine/core/region.hpp"
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
                                 ": no JSON from byte 16 on; allowed: a file that a run of arms or auto has written");
  std::string const other = directory.file("other.json");
  std::ofstream(other) << R"({"workers": 3, "times": [{"type": 1, "address": 0, "leader": 0, "width": 1, "ns": 5}]})";
  EXPECT_NE(refusal(other).find("is of 3 workers, but there are 2"), std::string::npos) << refusal(other);
  EXPECT_EQ(directory.files(), 2U);
}

TEST(history_file, a_file_that_cannot_be_replaced_is_noted) {
  folder const directory;
  std::string const file = directory.file("times.json");
  skua::runtime::history_file const history({.value = file, .source = "SKUA_HISTORY"});
  fs::create_directory(file);
  ::testing::internal::CaptureStderr();
  history.write({{.ns = 5}}, {});
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("was not written: "), std::string::npos);
  EXPECT_EQ(directory.files(), 1U) << "no draft is left";
}

/// Files end after 4 KiB, as on a disk that is full then. What is said goes to a file, too, and is shorter.
TEST(history_file, a_file_that_takes_no_text_is_noted) {
  folder const directory;
  std::string const file = directory.file("times.json");
  std::ofstream(file) << R"({"workers": 2, "times": []})";
  std::string const before = text_of(file);
  skua::runtime::history_file const history({.value = file, .source = "SKUA_HISTORY"});
  rlimit room{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &room), 0);
  rlimit const little{4096, room.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  ::testing::internal::CaptureStderr();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  history.write(std::vector<skua::policies::known_time>(1000, {.ns = 5}), {});
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
  skua::runtime::history_file const history({.value = link, .source = "SKUA_HISTORY"});
  history.write({{.ns = 5}}, {});
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(times_in(text_of(directory.file("target"))), 1U);
  std::string const fifo = directory.file("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_NE(refusal(fifo).find("which cannot be written: it is no regular file"), std::string::npos) << refusal(fifo);
  EXPECT_TRUE(fs::is_fifo(fifo));
  EXPECT_EQ(directory.files(), 3U);
}

// ---- what auto has chosen ------------------------------------------------------------------------------------------------

using choices = std::vector<skua::policies::call_choice>;

/// A call site, called `n` times under auto; returns what is known of it at the end.
choices call_repeatedly_with(skua::pool_options options, int n) {
  options.workers = 2;
  options.policy = "auto";
  options.topology = "package:1 core:2";
  skua::pool pool(options);
  for (int i = 0; i < n; ++i) {
    pool.run([](auto& here) { here.join([](auto&) {}, [](auto&) {}); });
  }
  return skua::runtime::root_region_of(pool).choices();
}
/// GCC names a lambda by the function around it, Clang by its file and line.
bool names_call_repeatedly(std::string const& text) {
  return text.find("call_repeatedly") != std::string::npos || text.find("history_file_test.cpp:") != std::string::npos;
}
choices call_repeatedly(std::string const& history, int n) { return call_repeatedly_with({.history = history}, n); }

/// What a pool with SKUA_HISTORY prints; how often its call site was called in earlier runs goes into `earlier`.
std::string said_with_variable(std::string const& file, std::uint64_t& earlier) {
  ::setenv("SKUA_HISTORY", file.c_str(), 1);
  ::testing::internal::CaptureStderr();
  choices const known = call_repeatedly_with({}, 1);
  ::unsetenv("SKUA_HISTORY");
  earlier = known.size() == 1 ? known[0].earlier_calls : 99;
  return ::testing::internal::GetCapturedStderr();
}

std::string replaced(std::string text, std::string const& from, std::string const& to) {
  auto const at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(history_of_auto, a_second_run_goes_on_where_the_first_has_stopped) {
  folder const directory;
  std::string const file = directory.file("calls.json");
  choices const first = call_repeatedly(file, 7);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].calls, 7U);
  EXPECT_FALSE(first[0].is_of_earlier_run());
  choices const second = call_repeatedly(file, 3);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].calls, 10U);
  EXPECT_EQ(second[0].earlier_calls, 7U);
  EXPECT_TRUE(second[0].is_of_earlier_run());
  EXPECT_GE(second[0].groups, first[0].groups);
  EXPECT_TRUE(names_call_repeatedly(second[0].call)) << second[0].call;
}

TEST(history_of_auto, a_measured_choice_is_in_force_from_the_first_call_on) {
  folder const directory;
  std::string const file = directory.file("calls.json");
  call_repeatedly(file, 3);
  std::string const text = text_of(file);
  std::ofstream(file) << replaced(replaced(text, "\"scheduler\":\"adws\"", "\"scheduler\":\"hierarchical\""),
                                  "\"first\"", "\"measured\"");
  choices const then = call_repeatedly(file, 1);
  ASSERT_EQ(then.size(), 1U);
  EXPECT_EQ(then[0].scheduler, "hierarchical");
  EXPECT_TRUE(then[0].is_of_earlier_run());
}

TEST(history_of_auto, calls_that_are_not_made_and_times_stay_in_the_file) {
  folder const directory;
  std::string const file = directory.file("calls.json");
  call_repeatedly(file, 3);
  run_teams(file, 10);
  std::string const both = text_of(file);
  EXPECT_TRUE(names_call_repeatedly(both)) << both;
  EXPECT_GT(times_in(both), 0U);
  call_repeatedly(file, 3);
  std::string const after = text_of(file);
  EXPECT_EQ(times_in(after), times_in(both));
  EXPECT_NE(after.find("\"calls\":6,"), std::string::npos) << after;
}

TEST(history_of_auto, of_another_run_is_refused_if_code_chose_it_and_else_noted_and_left_alone) {
  folder const directory;
  std::string const file = directory.file("calls.json");
  call_repeatedly(file, 3);
  std::string const good = text_of(file);
  std::string const program = skua::runtime::name_of_program();
  struct wrong {
    std::string from, to, why;
  };
  for (wrong const& w : {wrong{"\"program\": \"" + program, "\"program\": \"other", "is of the program other"},
                         wrong{"workers on 2 cores", "workers on 7 cores", "is of another machine ("},
                         wrong{"\"workers\": 2", "\"workers\": 5", "is of 5 workers, but there are 2"},
                         wrong{"\"version\": 2", "\"version\": 9", "is of a newer version, 9"}}) {
    std::string const foreign = replaced(good, w.from, w.to);
    std::ofstream(file) << foreign;
    try {
      call_repeatedly(file, 1);
      ADD_FAILURE() << w.why;
    } catch (skua::usage_error const& e) {
      std::string const said = e.what();
      EXPECT_TRUE(said.starts_with("pool option history: " + file + " is of ")) << said;
      EXPECT_NE(said.find(w.why), std::string::npos) << said;
      EXPECT_NE(said.find("; allowed: "), std::string::npos) << said;
    }
    std::uint64_t earlier = 99;
    std::string const note = said_with_variable(file, earlier);
    EXPECT_TRUE(note.starts_with("skua: note: SKUA_HISTORY: " + file + " " + w.why)) << note;
    EXPECT_TRUE(note.ends_with("; it is not used, and stays as it is\n")) << note;
    EXPECT_EQ(earlier, 0U) << w.why;
    EXPECT_EQ(text_of(file), foreign) << w.why;
  }
  EXPECT_EQ(directory.files(), 1U) << "no draft is left";
}

TEST(history_of_auto, calls_of_another_build_are_noted_and_replaced) {
  folder const directory;
  std::string const file = directory.file("calls.json");
  call_repeatedly(file, 3);
  std::string const good = text_of(file);
  std::size_t const at = good.find("\"build\":\"");
  ASSERT_NE(at, std::string::npos) << good;
  std::string const this_build = good.substr(at, good.find(',', at) - at);
  std::ofstream(file) << replaced(good, "\"build\":\"", "\"build\":\"0");
  std::uint64_t earlier = 99;
  std::string const note = said_with_variable(file, earlier);
  EXPECT_EQ(note, "skua: note: SKUA_HISTORY: " + file +
                      ": 1 of 1 calls are of another build of this program or of a library; they are not used\n");
  EXPECT_EQ(earlier, 0U);
  std::string const after = text_of(file);
  EXPECT_NE(after.find("\"calls\":1,"), std::string::npos) << after;
  EXPECT_NE(after.find(this_build), std::string::npos) << after;
}

TEST(history_of_auto, calls_of_a_library_that_is_not_loaded_stay_in_the_file) {
  folder const directory;
  std::string const file = directory.file("calls.json");
  call_repeatedly(file, 3);
  std::string const good = text_of(file);
  std::ofstream(file) << replaced(good, "\"module\":\"", "\"module\":\"plugin_");
  EXPECT_EQ(call_repeatedly(file, 1)[0].earlier_calls, 0U);
  std::string const after = text_of(file);
  EXPECT_NE(after.find("\"module\":\"plugin_"), std::string::npos) << after;
  EXPECT_NE(after.find("\"calls\":1,"), std::string::npos) << after;
}

TEST(history_of_auto, an_unknown_scheduler_is_named) {
  folder const directory;
  std::string const file = directory.file("calls.json");
  call_repeatedly(file, 3);
  std::string const good = text_of(file);
  std::ofstream(file) << replaced(good, "\"scheduler\":\"adws\"", "\"scheduler\":\"fast\"");
  try {
    call_repeatedly(file, 1);
    ADD_FAILURE() << "accepted";
  } catch (skua::usage_error const& e) {
    EXPECT_EQ(std::string(e.what()),
              "pool option history: " + file +
                  " has a call under 'fast', which is no scheduler of auto; allowed: adws, random, hierarchical");
  }
}

}  // namespace
