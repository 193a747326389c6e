// SPDX-License-Identifier: MIT
// Teams on threads: a policy of this test gives every moldable task a random partition. Every member runs once, barriers and
// reductions meet, overlapping teams end, exceptions and stops leave no member waiting.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "skua/machine/threads/engine/team/gambling_for_test.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/stack.hpp"
#include "skua/program/serial.hpp"
#include "skua/skua.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::after, skua::flow, skua::worker_id;
using skua::testing::gamble, skua::testing::run_teams, skua::testing::with_teams;

constexpr bool slow = skua::runtime::under_tsan || skua::runtime::under_asan;

/// The same for nodes of one type at one address, so that a model of their times is learnt.
void run_teams_of_type(auto& here, int n, auto&& body) {
  flow graph(here);
  for (int i = 0; i < n; ++i)
    graph.add_team(skua::task_type{1}, skua::address::at(0.5), [&body](auto& team) { body(team); });
  graph.run(here);
}

class teams_under : public skua::testing::under_every_policy {};

}  // namespace

/// The isolated worker comes for no member until its call returns, which waits for the teams.
TEST(teams, leave_out_workers_that_are_isolated) {
  for (std::uint32_t const workers : {2U, 4U}) {
    for (std::uint64_t seed = 1; seed <= (slow ? 3 : 20); ++seed) {
      std::atomic<int> came{0};
      skua::pool pool({.workers = workers});
      pool.open_region(gamble(seed, true)).run([&](auto&) {
        skua::isolate([&](auto& alone) {
          std::atomic<bool> stolen{false};
          alone.join([&](auto&) { skua::testing::wait_until("a thief has come", [&] { return stolen.load(); }); },
                     [&](auto& h) {
                       stolen = true;
                       run_teams(h, 10, [&](auto& team, int) {
                         team.barrier();
                         if (team.member() == 0) ++came;
                       });
                     });
        });
      });
      EXPECT_EQ(came, 10);
    }
  }
}

/// A thread that has a worker's place takes a member while its call waits. When the call has ended the thread leaves, though its member waits
/// for another one: that one waits for the thread.
TEST(teams, do_not_hold_a_caller_that_has_taken_a_member) {
  for (std::uint64_t seed = 1; seed <= (slow ? 3 : 20); ++seed) {
    skua::pool pool({.workers = 2});
    auto region = pool.open_region(gamble(seed, true));
    skua::one_shot<> is_in;
    skua::one_shot<> go;
    skua::one_shot<> has_left;
    std::atomic<long> callers{0};
    std::thread caller([&] {
      callers = skua::testing::this_thread_number();
      region.run([&](auto& h) {
        is_in.set_value();
        go.wait(h);
      });
      has_left.set_value();
    });
    is_in.wait();
    region.run([&](auto& h) {
      std::atomic<bool> met{false};
      while (!met) {
        std::atomic<bool> waits{false};
        run_teams(h, 1, [&](auto& team, int) {
          if (team.width() == 1) return;
          if (skua::testing::this_thread_number() == callers.load()) {
            waits = true;
          } else {
            skua::testing::wait_until("the other member has come", [&] { return waits.load(); });
            go.set_value();
            has_left.wait(team.here());
            met = true;
          }
          team.barrier();
        });
      }
    });
    caller.join();
  }
}

TEST(teams, every_member_runs_once) {
  for (std::uint64_t seed = 1; seed <= (slow ? 3 : 20); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    constexpr int n = 100;
    std::vector<std::atomic<std::uint64_t>> came(n);
    std::vector<std::atomic<std::uint32_t>> widths(n);
    std::atomic<int> wide{0};
    with_teams(4, seed, [&](auto& here) {
      run_teams(here, n, [&](auto& team, int i) {
        auto const at = static_cast<std::size_t>(i);
        came[at].fetch_add(std::uint64_t{1} << (8 * team.member()));
        widths[at].store(team.width());
        if (team.member() == 1) wide.fetch_add(1);
      });
    });
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t expected = 0;
      for (std::uint32_t m = 0; m < widths[i].load(); ++m) expected |= std::uint64_t{1} << (8 * m);
      EXPECT_EQ(came[i].load(), expected) << "team " << i;
    }
    EXPECT_GT(wide.load(), 0);
  }
}

TEST(teams, successors_start_after_all_members_have_ended) {
  for (std::uint64_t seed = 1; seed <= (slow ? 3 : 20); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::atomic<int> inside{0};
    std::atomic<int> wrong{0};
    with_teams(3, seed, [&](auto& here) {
      flow graph(here);
      skua::runtime::node<void> last = graph.add([](auto&) {});
      for (int i = 0; i < 100; ++i) {
        last = graph.add_team(after(last), [&](auto&) {
          inside.fetch_add(1);
          inside.fetch_sub(1);
        });
        last = graph.add(after(last), [&](auto&) { wrong.fetch_add(inside.load()); });
      }
      graph.run(here, 2);
    });
    EXPECT_EQ(wrong.load(), 0);
  }
}

TEST(teams, overlapping_ones_with_barriers_and_reductions_end) {
  for (std::uint64_t seed = 1; seed <= (slow ? 3 : 20); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::atomic<int> wrong{0};
    with_teams(4, seed, [&](auto& here) {
      run_teams(here, 60, [&](auto& team, int i) {
        int const sum = team.reduce(static_cast<int>(team.member()) + i, [](int a, int b) { return a + b; });
        int const w = static_cast<int>(team.width());
        if (sum != w * i + w * (w - 1) / 2) wrong.fetch_add(1);
        for (int k = 0; k < 5; ++k) team.barrier();
        auto const [begin, end] = team.share(10);
        if (team.reduce(end - begin, std::plus<>{}) != 10) wrong.fetch_add(1);
      });
    });
    EXPECT_EQ(wrong.load(), 0);
  }
}

TEST(teams, shared_loops_give_every_element_to_one_member) {
  std::atomic<int> wrong{0};
  with_teams(4, 5, [&](auto& here) {
    flow graph(here);
    std::vector<std::vector<int>> counts(20, std::vector<int>(1000, 0));
    for (auto& mine : counts) {
      graph.add_team([&](auto& team) {
        for (int loop = 0; loop < 6; ++loop) {
          team.for_shared(mine.size(), 7, [&](std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t i = begin; i < end; ++i) ++mine[i];
          });
        }
      });
    }
    graph.run(here);
    for (auto const& mine : counts) wrong.fetch_add(mine != std::vector<int>(1000, 6) ? 1 : 0);
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST(teams, members_fork_and_are_resumed_by_their_own_worker) {
  for (std::uint64_t seed = 1; seed <= (slow ? 2 : 10); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::atomic<int> wrong{0};
    with_teams(4, seed, [&](auto& here) {
      run_teams(here, 30, [&](auto& team, int) {
        worker_id const mine = team.here().worker();
        if (skua::testing::fib(team.here(), 10) != 55) wrong.fetch_add(1);
        team.barrier();
        if (team.width() > 1 && team.here().worker() != mine) wrong.fetch_add(1);
        if (skua::testing::fib(team.here(), 8) != 21) wrong.fetch_add(1);
      });
    });
    EXPECT_EQ(wrong.load(), 0);
  }
}

/// Member 1 holds the other worker until the task has run.
TEST(teams, who_waits_at_a_barrier_lets_its_worker_run_other_tasks) {
  bool met = false;
  for (std::uint64_t seed = 1; !met; ++seed) {
    skua::pool pool({.workers = 2});
    pool.open_region(gamble(seed)).run([&](auto& here) {
      run_teams(here, 1, [&](auto& team, int) {
        if (team.width() == 1) return;
        if (team.member() == 1) {
          met = true;
          std::atomic<bool> ran{false};
          pool.enqueue([&] { ran = true; });
          skua::testing::wait_until("the other worker runs the task", [&] { return ran.load(); });
        }
        team.barrier();
      });
    });
  }
}

TEST(teams, member_that_throws_is_not_waited_for) {
  for (std::uint64_t seed = 1; seed <= (slow ? 3 : 20); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::atomic<int> later{0};
    with_teams(4, seed, [&](auto& here) {
      flow graph(here);
      auto const a = graph.add_team([&](auto& team) {
        team.barrier();
        if (team.member() == team.width() - 1) throw std::runtime_error("member");
        team.barrier();
        team.barrier();
      });
      graph.add(after(a), [&](auto&) { later.fetch_add(1); });
      EXPECT_THROW(graph.run(here), std::runtime_error);
    });
    EXPECT_EQ(later.load(), 0);
  }
}

TEST(teams, stopped_region_drops_those_that_have_not_begun) {
  std::stop_source source;
  std::atomic<int> ran{0};
  with_teams(4, 3, [&](auto& here) {
    flow graph(here);
    auto const a = graph.add([&](auto&) { source.request_stop(); });
    for (int i = 0; i < 20; ++i) graph.add_team(after(a), [&](auto&) { ran.fetch_add(1); });
    EXPECT_THROW(here.with_stop(source.get_token(), [&](auto& h) { graph.run(h); }), skua::cancelled);
  });
  EXPECT_EQ(ran.load(), 0);
}

TEST(teams, regions_of_other_policies_run_beside_them) {
  skua::pool pool({.workers = 3});
  auto region = pool.open_region(gamble(7));
  std::atomic<long> sum{0};
  region.run([&](auto& here) {
    flow graph(here);
    for (int i = 0; i < 40; ++i) {
      graph.add_team([&](auto& team) {
        sum.fetch_add(skua::testing::fib(team.here(), 12));
        team.barrier();
      });
    }
    graph.run(here);
  });
  EXPECT_EQ(sum.load() % 144, 0);
  EXPECT_GE(sum.load(), 40 * 144);
}

TEST(teams, sixty_four_workers_of_four_packages_end_overlapping_teams_on_few_processors) {
  skua::pool pool({.workers = 64, .topology = "package:4 numa:1 l3:1 core:16"});
  auto region = pool.open_region(gamble(11));
  std::atomic<int> wrong{0};
  region.run([&](auto& here) {
    run_teams(here, slow ? 10 : 60, [&](auto& team, int) {
      for (int k = 0; k < 3; ++k) team.barrier();
      if (team.reduce(1U, std::plus<>{}) != team.width()) wrong.fetch_add(1);
    });
  });
  EXPECT_EQ(wrong.load(), 0);
}

/// The address space has no room for another stack: members that wait run nothing of another team on top.
TEST(teams, end_where_stacks_are_refused) {
  if (skua::runtime::under_tsan || skua::runtime::under_asan)
    GTEST_SKIP() << "the sanitizer lives in the address space";
  constexpr std::size_t huge_stack = std::size_t{1} << 40;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    skua::pool pool({.workers = 4, .stack_bytes = huge_stack});
    auto region = pool.open_region(gamble(seed));
    skua::runtime::stack_pool rest(huge_stack);
    std::vector<skua::runtime::stack*> taken;
    while (skua::runtime::stack* const s = rest.try_take()) taken.push_back(s);
    std::atomic<int> wrong{0};
    region.run([&](auto& here) {
      run_teams(here, 60, [&](auto& team, int i) {
        if (skua::testing::fib(team.here(), 9) != 34) wrong.fetch_add(1);
        team.barrier();
        if (i % 3 == 0 && skua::testing::fib(team.here(), 6) != 8) wrong.fetch_add(1);
        if (team.reduce(1U, std::plus<>{}) != team.width()) wrong.fetch_add(1);
      });
    });
    EXPECT_EQ(wrong.load(), 0);
    std::uint64_t in_place = 0;
    for (auto const& w : pool.counters()) in_place += w.waited_in_place;
    EXPECT_GT(in_place, 0U) << "the stacks did run out";
    for (skua::runtime::stack* const s : taken) rest.give(s);
  }
}

TEST_P(teams_under, team_has_at_least_one_member) {
  skua::pool pool(workers(4));
  std::atomic<int> leaders{0};
  std::atomic<int> wrong{0};
  auto const program = [&](auto& here) {
    run_teams(here, 50, [&](auto& team, int) {
      if (team.member() == 0) leaders.fetch_add(1);
      if (team.member() >= team.width()) wrong.fetch_add(1);
      team.barrier();
      if (team.reduce(1U, std::plus<>{}) != team.width()) wrong.fetch_add(1);
    });
  };
  pool.run(program);
  EXPECT_EQ(leaders.load(), 50);
  skua::serial serial;
  program(serial);
  EXPECT_EQ(leaders.load(), 100);
  EXPECT_EQ(wrong.load(), 0);
}

INSTANTIATE_TEST_SUITE_P(policies, teams_under, ::testing::ValuesIn(skua::testing::checked_policies()),
                         skua::testing::policy_in_a_name);

namespace {

/// A file that lives as long as this.
class file_of {
 public:
  explicit file_of(std::string const& text) {
    int const f = ::mkstemp(name_.data());
    EXPECT_EQ(::write(f, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(f);
  }
  ~file_of() { ::unlink(name_.c_str()); }
  file_of(file_of const&) = delete;
  file_of& operator=(file_of const&) = delete;
  [[nodiscard]] std::string const& name() const noexcept { return name_; }

 private:
  std::string name_ = "/tmp/skua_partitions_XXXXXX";
};

std::string refusal_of(std::string const& text) {
  file_of const file(text);
  try {
    skua::pool const pool({.policy = "arms", .partitions = file.name()});
  } catch (skua::usage_error const& wrong) {
    std::string const said = wrong.what();
    return said.substr(said.find(file.name()) + file.name().size());
  }
  return "none";
}

}  // namespace

/// Four workers that may only run as one, or all together.
TEST(partitions_of_a_file, bound_the_widths_of_teams) {
  file_of const file("0,1,2,3\n1,4\n1\n1\n1\n");
  skua::pool pool({.policy = "checked:arms", .partitions = file.name(), .topology = "package:1 core:4"});
  ASSERT_EQ(pool.num_workers(), 4U);
  std::atomic<int> ones{0};
  std::atomic<int> fours{0};
  std::atomic<int> others{0};
  pool.run([&](auto& here) {
    run_teams_of_type(here, 100, [&](auto& team) {
      (team.width() == 1 ? ones : team.width() == 4 ? fours : others).fetch_add(1);
      team.barrier();
    });
  });
  EXPECT_GT(ones.load(), 0);
  EXPECT_GT(fours.load(), 0);
  EXPECT_EQ(fours.load() % 4, 0);
  EXPECT_EQ(ones.load() + fours.load() / 4, 100);
  EXPECT_EQ(others.load(), 0);
}

TEST(partitions_of_a_file, mistakes_are_refused_with_their_line) {
  EXPECT_NE(refusal_of("0,1\n1,3\n1\n").find("line 2"), std::string::npos) << refusal_of("0,1\n1,3\n1\n");
  EXPECT_NE(refusal_of("0,x\n1\n1\n").find("line 1"), std::string::npos);
  EXPECT_NE(refusal_of("0,1\n1\n").find("line 3"), std::string::npos);
  EXPECT_EQ(refusal_of("0\n1\n"), "none");
  EXPECT_THROW(skua::pool({.partitions = "/no/such/file"}), skua::usage_error);
}
