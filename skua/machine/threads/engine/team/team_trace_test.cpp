// SPDX-License-Identifier: MIT
// A trace names the members of teams: whose they are, which one each is, and how many there are.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "skua/parts/trace/trace_reader.hpp"
#include "skua/skua.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

struct meets {
  std::array<std::atomic<std::uint32_t>, 4>& came;
  void operator()(auto& team) const {
    if (team.width() == 4) {
      ++came.at(team.member());
      mark(team.here(), "inside");
    }
    team.barrier();
  }
};

/// Four workers that may only run as one, or all together.
TEST(traced_teams, every_member_begins_and_ends_with_its_number_and_its_tasks_type_place_and_name) {
  std::string where = (std::filesystem::temp_directory_path() / "skua_team_trace_XXXXXX").string();
  std::filesystem::path const folder = ::mkdtemp(where.data());
  std::string const partitions = (folder / "partitions").string();
  std::string const written = (folder / "trace").string();
  std::ofstream(partitions) << "0,1,2,3\n1,4\n1\n1\n1\n";
  std::array<std::atomic<std::uint32_t>, 4> came{};
  {
    pool p({.policy = "arms", .partitions = partitions, .trace = written, .topology = "package:1 core:4"});
    p.run([&](auto& here) {
      flow graph(here);
      for (int i = 0; i < 100; ++i) graph.add_team(task_type{3}, address::at(0.25), meets{came});
      graph.run(here);
    });
  }
  trace::trace_data const all = trace::read_trace(written);
  std::filesystem::remove_all(folder);
  EXPECT_GT(came[0].load(), 0u);
  std::array<std::uint32_t, 4> began{};
  std::uint32_t ended = 0;
  for (auto const& track : all.tracks) {
    std::int64_t inside = 0;  // several: one may park at its barrier, and another one begin
    for (trace::event const& e : track.events) {
      if (e.what == trace::kind::mark) {
        EXPECT_GT(inside, 0);
      }
      if (e.what == trace::kind::member_ended) {
        ++ended;
        --inside;
      }
      if (e.what != trace::kind::member_began) continue;
      ASSERT_LT(e.value, 4u);
      ++began.at(e.value);
      ++inside;
      EXPECT_EQ(e.detail, 3u);
      EXPECT_EQ(e.count, 4u);
      EXPECT_EQ(e.id, address::at(0.25).fraction);
      // GCC names a lambda by the function around it, Clang by its file and line.
      std::string_view const name = all.name(e.other);
      EXPECT_TRUE(name.find("team") != name.npos || name.find("flow.hpp") != name.npos) << name;
    }
  }
  EXPECT_EQ(ended, 4 * came[0].load());
  for (std::size_t m = 0; m < began.size(); ++m) EXPECT_EQ(began.at(m), came.at(m).load());
}

}}}}  // namespace skua::v0::runtime
