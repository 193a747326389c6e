// SPDX-License-Identifier: MIT
// Task collections, on ranks that are threads of the test and on ranks of MPI: what ranks know of each other comes by messages.
#include "skua/program/collection/task_collection.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/rank_pool.hpp"
#include "skua/ranks.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

struct numbered {
  std::uint32_t id;
  std::uint32_t work;
};

/// Spins, so that others find something to steal.
void work(std::uint32_t units) {
  std::atomic<std::uint32_t> spun{0};
  for (std::uint32_t n = 0; n < units * 100; ++n) spun.fetch_add(1, std::memory_order_relaxed);
}

class collections : public on_each_number_of_ranks {};

TEST_P(collections, run_every_seeded_task_once_in_each_iteration) {
  constexpr std::uint32_t tasks = 500;
  on_ranks(GetParam(), [&](communicator& world) {
    std::vector<double> runs(tasks);
    task_collection<numbered> all(world, {}, [&](numbered const& t) {
      work(t.work);
      ++runs[t.id];
    });
    if (world.rank() == 0) {
      for (std::uint32_t id = 0; id < tasks; ++id) all.add({id, id % 7});
    }
    for (int iteration = 1; iteration <= 5; ++iteration) {
      std::ranges::fill(runs, 0);
      all.process();
      EXPECT_EQ(world.sum(all.num_recorded()), tasks);
      world.sum(runs);
      EXPECT_EQ(std::ranges::count(runs, 1), tasks);
      all.restore();
    }
  });
}

/// Of this thread.
std::chrono::nanoseconds processor_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

TEST_P(collections, that_wait_say_for_whom) {
  ASSERT_EQ(setenv("SKUA_STALL", "20ms", 1), 0);
  std::atomic<bool> here_are_others{false};  // ranks without a task, in this process
  ::testing::internal::CaptureStderr();
  on_ranks(GetParam(), [&](communicator& world) {
    bool const alone = world.size() == 1;
    if (world.rank() > 0) here_are_others = true;
    task_collection<numbered> all(world, {.name = "slow"}, [&](numbered const&) {
      // Processor time: where ranks share processors, the others get theirs meanwhile.
      for (auto const until = processor_time() + std::chrono::milliseconds(alone ? 1 : 300);
           processor_time() < until;) {}
    });
    if (world.rank() == 0) all.add({0, 0});
    world.barrier();  // so that nobody begins after the task
    all.process();
    world.barrier();
  });
  std::string const said = ::testing::internal::GetCapturedStderr();
  unsetenv("SKUA_STALL");
  if (!here_are_others) {
    if (GetParam() == 1) {
      EXPECT_EQ(said, "");
    }
    // With others elsewhere rank 0 may say, on busy processors, that it waits for them to begin.
    EXPECT_EQ(said.find("waits for tasks"), std::string::npos) << said;
    return;
  }
  EXPECT_NE(said.find("no task of 'slow' for "), std::string::npos) << said;
  // Which rank it waits for is chance: a progress thread may have answered for rank 0 that it has no more.
  EXPECT_NE(said.find("round "), std::string::npos) << said;
}

TEST_P(collections, whose_stall_is_no_duration_are_refused) {
  ASSERT_EQ(setenv("SKUA_STALL", "soon", 1), 0);
  on_ranks(GetParam(), [&](communicator& world) {
    EXPECT_THROW((task_collection<numbered>(world, {}, [](numbered const&) {})), usage_error);
  });
  unsetenv("SKUA_STALL");
}

TEST_P(collections, with_no_task_end) {
  on_ranks(GetParam(), [&](communicator& world) {
    task_collection<numbered> none(world, {}, [](numbered const&) { FAIL(); });
    for (int iteration = 0; iteration < 3; ++iteration) {
      none.process();
      none.restore();
    }
    EXPECT_EQ(none.report().tasks, 0U);
  });
}

TEST_P(collections, run_what_their_tasks_spawn_and_do_not_seed_it_again) {
  on_ranks(GetParam(), [&](communicator& world) {
    std::uint64_t nodes = 0;
    task_collection<numbered> tree(world, {}, [&](task_site<numbered>& here, numbered const& t) {
      ++nodes;
      for (std::uint32_t child = 0; child < t.work; ++child) here.spawn({0, t.work - 1});
    });
    if (world.rank() == world.size() - 1) tree.add({0, 6});
    for (int iteration = 1; iteration <= 3; ++iteration) {
      nodes = 0;
      tree.process();
      EXPECT_EQ(world.sum(tree.num_recorded()), 1U);
      EXPECT_EQ(world.sum(nodes), 1957U);  // the sum of 6!/k!
      tree.restore();
    }
  });
}

TEST_P(collections, keep_each_task_with_the_rank_that_ran_it) {
  on_ranks(GetParam(), [&](communicator& world) {
    std::vector<std::uint32_t> ran;
    task_collection<numbered> all(world, {.steals = false}, [&](numbered const& t) { ran.push_back(t.id); });
    for (std::uint32_t n = 0; n < 20; ++n) all.add({world.rank() * 100 + n, 0});
    all.process();
    auto const first = std::exchange(ran, {});
    EXPECT_EQ(first.size(), 20U);
    for (int iteration = 0; iteration < 3; ++iteration) {
      all.restore();
      all.process();
      EXPECT_EQ(std::exchange(ran, {}), first) << "the order of execution is kept";
    }
  });
}

TEST_P(collections, bring_tasks_home_if_they_are_asked_to) {
  on_ranks(GetParam(), [&](communicator& world) {
    std::vector<std::uint32_t> ran;
    task_collection<numbered> all(world, {}, [&](numbered const& t) {
      work(200);
      ran.push_back(t.id);
    });
    if (world.rank() == 0) {
      for (std::uint32_t n = 0; n < 200; ++n) all.add({n, 0});
    }
    for (int iteration = 0; iteration < 2; ++iteration) {
      all.process();
      all.restore(placement_of_tasks::original);
      EXPECT_EQ(all.num_waiting(), world.rank() == 0 ? 200U : 0U);
    }
  });
}

TEST_P(collections, forget_null_tasks) {
  on_ranks(GetParam(), [&](communicator& world) {
    std::uint64_t ran = 0;
    task_collection<numbered> all(world, {}, [&](numbered const& t) {
      ++ran;
      return t.id % 4 == 0 ? task_outcome::done : task_outcome::null;
    });
    for (std::uint32_t n = 0; n < 40; ++n) all.add({n, 0});
    all.process();
    EXPECT_EQ(world.sum(all.num_recorded()), 10U * world.size());
    all.restore();
    ran = 0;
    all.process();
    EXPECT_EQ(world.sum(ran), 10U * world.size());
  });
}

TEST_P(collections, of_one_communicator_do_not_mix) {
  on_ranks(GetParam(), [&](communicator& world) {
    std::uint64_t a_ran = 0;
    std::uint64_t b_ran = 0;
    task_collection<std::uint64_t> b(world, {.name = "b"}, [&](std::uint64_t) { ++b_ran; });
    task_collection<numbered> a(world, {.name = "a"}, [&](numbered const& t) {
      ++a_ran;
      b.add(t.id);  // into the collection that is processed next
    });
    for (std::uint32_t n = 0; n < 30; ++n) a.add({n, 0});
    for (int iteration = 1; iteration <= 4; ++iteration) {
      a.process();
      b.process();
      a.restore();
    }
    EXPECT_EQ(world.sum(a_ran), 120U * world.size());
    EXPECT_EQ(world.sum(b_ran), 120U * world.size());
  });
}

TEST_P(collections, throw_on_every_rank_what_a_task_threw_and_go_on_afterwards) {
  on_ranks(GetParam(), [&](communicator& world) {
    bool breaks = true;
    task_collection<numbered> all(world, {}, [&](numbered const& t) {
      if (breaks && t.id == 7) throw std::logic_error("seven");
    });
    std::uint32_t const guilty = world.size() / 2;
    for (std::uint32_t n = 0; n < 5; ++n) all.add({world.rank() == guilty && n == 3 ? 7U : 1U, 0});
    std::uint64_t own = 0;
    try {
      all.process();
      FAIL() << "rank " << world.rank() << " heard of nothing";
    } catch (std::logic_error const& e) {
      ++own;
      EXPECT_STREQ(e.what(), "seven");
    } catch (remote_error const& e) {
      EXPECT_NE(std::string(e.what()).find("seven"), std::string::npos);
    }
    EXPECT_EQ(world.sum(own), 1U) << "the exception itself, on the rank where it was thrown";
    breaks = false;
    EXPECT_EQ(all.num_recorded(), 0U);
    all.add({7, 0});
    all.process();
    EXPECT_EQ(world.sum(all.num_recorded()), world.size());
  });
}

TEST_P(collections, refuse_in_their_tasks_what_is_collective) {
  on_ranks(GetParam(), [&](communicator& world) {
    task_collection<numbered>* self = nullptr;
    int refused = 0;
    auto const refuses = [&](auto&& f) {
      try {
        f();
      } catch (usage_error const& e) {
        ++refused;
        EXPECT_NE(std::string(e.what()).find("in one of its tasks"), std::string::npos) << e.what();
      }
    };
    task_collection<numbered> all(world, {.name = "nested", .steals = false}, [&](numbered const&) {
      refuses([&] { self->process(); });
      refuses([&] { self->restore(); });
      refuses([&] { self->rebalance("hierarchical"); });
      refuses([&] { static_cast<void>(self->rebalance_if_due("hierarchical")); });
      refuses([&] { self->checkpoint("/dev/null"); });
      refuses([&] { static_cast<void>(self->restart("/dev/null")); });
      refuses([&] { static_cast<void>(self->report()); });
      refuses([&] { self->enable_stealing(true); });
    });
    self = &all;
    all.add({world.rank(), 0});
    all.process();
    EXPECT_EQ(refused, 8);
    EXPECT_EQ(all.report().tasks, world.size());
  });
}

TEST_P(collections, beyond_their_limit_fail_with_a_clear_error) {
  on_ranks(GetParam(), [&](communicator& world) {
    task_collection<numbered> all(world, {.limit = 8}, [](task_site<numbered>& here, numbered const& t) {
      for (std::uint32_t child = 0; child < t.work; ++child) here.spawn({0, 0});
    });
    if (world.rank() == 0) all.add({0, 100});
    EXPECT_THROW(all.process(), error);
  });
}

TEST_P(collections, restore_all_that_a_rank_executed_even_beyond_the_limit) {
  on_ranks(GetParam(), [&](communicator& world) {
    std::uint64_t ran = 0;
    task_collection<numbered> all(world, {.limit = 8, .steals = false}, [&](numbered const&) { ++ran; });
    for (std::uint32_t n = 0; n < 8; ++n) all.add({n, 0});
    all.process();
    for (std::uint32_t n = 0; n < 8; ++n) all.add({n, 0});
    all.restore();
    EXPECT_EQ(all.num_waiting(), 16U);
    all.process();
    EXPECT_EQ(ran, 24U);
    EXPECT_EQ(world.sum(all.num_recorded()), 16U * world.size());
  });
}

TEST_P(collections, differ_between_ranks_only_with_an_error_on_every_rank) {
  if (GetParam() == 1) GTEST_SKIP() << "one rank cannot disagree";
  on_ranks(GetParam(), [&](communicator& world) {
    std::string const name = world.rank() == 1 ? "fock" : "tensor";
    try {
      task_collection<numbered> all(world, {.name = name}, [](numbered const&) {});
      FAIL();
    } catch (usage_error const& e) {
      EXPECT_NE(std::string(e.what()).find("rank 1 has 'fock'"), std::string::npos) << e.what();
    }
  });
}

TEST_P(collections, of_one_name_do_not_live_at_once) {
  on_ranks(GetParam(), [&](communicator& world) {
    auto const make = [&] { task_collection<int>(world, {.name = "twin"}, [](int) {}); };
    auto first = std::make_unique<task_collection<int>>(world, collection_options{.name = "twin"}, [](int) {});
    task_collection<int> const other(world, {.name = "other"}, [](int) {});
    EXPECT_THROW(make(), usage_error);
    EXPECT_THROW(make(), usage_error) << "the refused one is gone, the first is not";
    if (world.size() > 1) {
      if (world.rank() == 0) first.reset();
      EXPECT_THROW(make(), usage_error) << "on rank 0, too";
    }
    first.reset();
    EXPECT_NO_THROW(make());
    EXPECT_NO_THROW(make());
  });
}

/// Larger than the stack of a thread.
struct larger_than_a_stack {
  std::uint32_t id = 0;
  std::array<std::byte, 9'000'000> body{};
};
static_assert(std::is_trivially_copyable_v<larger_than_a_stack>);

TEST_P(collections, have_tasks_that_no_stack_can_hold) {
  if (GetParam() > 2) GTEST_SKIP() << "each rank would need 150 MB; two show it";
  on_ranks(GetParam(), [&](communicator& world) {
    for (bool const threads : {false, true}) {
      std::optional<pool> some;
      std::optional<rank_pool> workers;
      if (threads) workers.emplace(world, some.emplace(1));
      std::atomic<std::uint32_t> ids{0};
      std::atomic<std::uint32_t> wrong{0};
      task_collection<larger_than_a_stack> all(world, {.name = "large"}, [&](larger_than_a_stack const& t) {
        ids += t.id;
        if (t.body.back() != static_cast<std::byte>(t.id)) ++wrong;
      });
      if (world.rank() == 0) {
        auto const task = std::make_unique<larger_than_a_stack>();
        for (task->id = 1; task->id <= 3; ++task->id) {
          task->body.back() = static_cast<std::byte>(task->id);
          all.add(*task);
        }
      }
      all.process();
      all.restore();
      all.process();
      EXPECT_EQ(world.sum(std::uint64_t{ids}), 12U);
      EXPECT_EQ(wrong, 0U);
    }
  });
}

TEST_P(collections, report_what_they_did) {
  on_ranks(GetParam(), [&](communicator& world) {
    task_collection<numbered> all(world, {}, [](numbered const& t) { work(t.work); });
    if (world.rank() == 0) {
      for (std::uint32_t n = 0; n < 100; ++n) all.add({n, 20});
    }
    all.process();
    collection_report const r = all.report();
    EXPECT_EQ(r.iteration, 1U);
    EXPECT_EQ(r.ranks, world.size());
    EXPECT_EQ(r.tasks, 100U);
    EXPECT_EQ(r.kept, 100U);
    EXPECT_GT(r.seconds, 0);
    EXPECT_GE(r.most_busy, r.mean_busy);
    EXPECT_NE(in_words(r).find("ideal balance would run"), std::string::npos);
  });
}

TEST_P(collections, have_tasks_of_any_size_and_alignment) {
  struct one_byte {
    std::uint8_t value;
  };
  struct alignas(16) wide {
    double values[6];
  };
  struct large {
    char text[1 << 20];
  };
  on_ranks(GetParam(), [&](communicator& world) {
    task_collection<one_byte> small(world, {.name = "small"}, [](one_byte const& t) { EXPECT_EQ(t.value, 3); });
    small.add({3});
    small.process();
    task_collection<wide> aligned(world, {.name = "aligned"}, [](wide const& t) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&t) % 16, 0U);
      EXPECT_EQ(t.values[5], 5);
    });
    for (int n = 0; n < 20; ++n) aligned.emplace(wide{{0, 1, 2, 3, 4, 5}});
    aligned.process();
    task_collection<large> huge(world, {.name = "huge"}, [](large const& t) { EXPECT_EQ(t.text[(1 << 20) - 1], 'x'); });
    if (world.rank() == 0) {
      auto one = std::make_unique<large>();
      one->text[(1 << 20) - 1] = 'x';
      for (int n = 0; n < 6; ++n) huge.add(*one);
    }
    huge.process();
  });
}

/// True on all ranks if each of them has tasks after sixty equal ones were measured on the last rank and balanced.
bool all_ranks_get_tasks(communicator& world, char const* how) {
  std::uint64_t ran = 0;
  task_collection<numbered> all(world, {.steals = false}, [&](numbered const& t) {
    work(t.work);
    ++ran;
  });
  if (world.rank() == world.size() - 1) {
    for (std::uint32_t n = 0; n < 60; ++n) all.add({n, 20});
  }
  all.process();
  EXPECT_EQ(all.num_recorded(), world.rank() == world.size() - 1 ? 60U : 0U);
  all.rebalance(how);
  EXPECT_EQ(world.sum(all.num_recorded()), 60U);
  std::uint64_t const without = world.sum(std::uint64_t{all.num_recorded() == 0 ? 1U : 0U});
  all.restore();
  ran = 0;
  all.process();
  EXPECT_EQ(world.sum(ran), 60U);
  double const most = world.max(static_cast<double>(ran));
  EXPECT_TRUE(without > 0 || (most < 60) == (world.size() > 1));
  return without == 0;
}

/// What the system interrupts is measured as long, and one long task may outweigh all others: then the tasks are measured anew. A balancer
/// that leaves ranks without equal tasks does so each time.
TEST_P(collections, are_balanced_by_what_was_measured) {
  on_ranks(GetParam(), [&](communicator& world) {
    for (char const* how : {"centralised", "hierarchical", "hierarchical:arity=2", "tempered"}) {
      int attempts = 20;
      while (attempts > 0 && !all_ranks_get_tasks(world, how)) --attempts;
      EXPECT_GT(attempts, 0) << how;
    }
  });
}

TEST_P(collections, are_balanced_where_it_is_due) {
  on_ranks(GetParam(), [&](communicator& world) {
    task_collection<numbered> all(world, {.steals = false}, [&](numbered const& t) { work(t.work); });
    if (world.rank() == 0) {
      for (std::uint32_t n = 0; n < 60; ++n) all.add({n, 20});
    }
    all.process();
    EXPECT_EQ(all.rebalance_if_due("hierarchical"), world.size() > 1);
    EXPECT_EQ(world.sum(all.num_recorded()), 60U);
    EXPECT_THROW(all.rebalance("perfect"), usage_error);
    all.restore();
    all.process();
    EXPECT_EQ(world.sum(all.num_recorded()), 60U);
  });
}

TEST_P(collections, keep_the_times_of_tasks_that_move) {
  on_ranks(GetParam(), [&](communicator& world) {
    task_collection<numbered> all(world, {.steals = false}, [&](numbered const& t) { work(t.work); });
    if (world.rank() == 0) {
      for (std::uint32_t n = 0; n < 60; ++n) all.add({n, 200});
    }
    all.process();
    all.rebalance("centralised");
    // Without times, those that moved would weigh nothing, and rank 0 would give most of the others away.
    all.rebalance("centralised");
    EXPECT_EQ(world.sum(all.num_recorded()), 60U);
    EXPECT_GT(all.num_recorded(), 0U);
    all.restore(placement_of_tasks::original);
    EXPECT_EQ(all.num_waiting(), world.rank() == 0 ? 60U : 0U);
    all.process();
  });
}

TEST_P(collections, refuse_a_balancer_that_does_not_exist) {
  on_ranks(GetParam(), [&](communicator& world) {
    task_collection<numbered> all(world, {}, [](numbered const&) {});
    all.process();
    EXPECT_THROW(all.rebalance("perfect"), usage_error);
    world.barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(of_ranks, collections, ::testing::ValuesIn(numbers_of_ranks()));

TEST(one_rank, needs_no_network) {
  auto const world = communicator::alone();
  int ran = 0;
  task_collection<int> all(*world, {}, [&](int n) { ran += n; });
  for (int n = 1; n <= 10; ++n) all.add(n);
  all.process();
  EXPECT_EQ(ran, 55);
  all.restore();
  all.process();
  EXPECT_EQ(ran, 110);
}

}}}}  // namespace skua::v0::ranks
