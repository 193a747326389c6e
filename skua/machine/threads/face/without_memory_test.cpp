// SPDX-License-Identifier: MIT
// Nothing that a worker does needs memory: the allocator of this test program fails on the threads that a test names.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "skua/machine/threads/engine/history/history_file.hpp"
#include "skua/machine/threads/engine/team/gambling_for_test.hpp"
#include "skua/skua.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/this_thread.hpp"

namespace {

using skua::testing::this_thread_number;

enum class refused : std::uint8_t { nobody, workers, everybody };
std::atomic<refused> refuses{refused::nobody};
std::atomic<int> refused_so_far{0};
/// How many requests of the main thread are granted before one is refused, and then all again. Negative: all are.
std::atomic<long> granted{-1};
long const main_thread = this_thread_number();

/// If so, the next request is not.
bool is_the_one() { return granted.load() >= 0 && this_thread_number() == main_thread && granted.fetch_sub(1) == 0; }

void* memory(std::size_t bytes, std::size_t alignment) {
  refused const whom = refuses.load();
  bool const refuse =
      whom == refused::everybody || (whom == refused::workers && this_thread_number() != main_thread) || is_the_one();
  if (refuse) refused_so_far.fetch_add(1);
  std::size_t const rounded = (bytes + alignment - 1) / alignment * alignment;
  if (void* const p = refuse ? nullptr : std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded)) return p;
  throw std::bad_alloc{};
}

}  // namespace

// Out of line: where the compiler inlines only one of the two, it calls them a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return memory(bytes, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t a) {
  return memory(bytes, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

using skua::testing::fib;

/// While it lives, `whom` gets no memory.
struct shortage {
  explicit shortage(refused whom) { refuses.store(whom); }
  ~shortage() { refuses.store(refused::nobody); }
  shortage(shortage const&) = delete;
  shortage& operator=(shortage const&) = delete;
};

/// Returns when a worker that is not the caller has run a task of the region.
void meet_a_worker(skua::region const& in) {
  in.run([](auto& h) {
    std::atomic<int> arrived{0};
    auto const meet = [&](auto&) {
      arrived.fetch_add(1);
      while (arrived.load() < 2) std::this_thread::yield();
    };
    h.join(meet, meet);
  });
}

TEST(without_memory, workers_learn_of_a_region_that_opens) {
  skua::pool pool({.workers = 2});
  shortage const of_memory(refused::workers);
  for (int i = 0; i < 20; ++i) {
    auto const region = pool.open_region("random");
    meet_a_worker(region);
  }
}

TEST(without_memory, a_region_closes) {
  skua::pool pool({.workers = 2});
  for (int i = 0; i < 20; ++i) {
    auto region = pool.open_region("random");
    auto const other = pool.open_region("random");
    meet_a_worker(region);
    {
      shortage const of_memory(refused::everybody);
      static_cast<void>(skua::region(std::move(region)));
      meet_a_worker(other);
    }
    EXPECT_EQ(pool.run([](auto& h) { return fib(h, 10); }), 55);
  }
}

TEST(without_memory, a_region_that_cannot_open_changes_nothing) {
  skua::pool pool({.workers = 2});
  {
    shortage const of_memory(refused::everybody);
    EXPECT_THROW(static_cast<void>(pool.open_region("random")), std::bad_alloc);
  }
  EXPECT_EQ(pool.run([](auto& h) { return fib(h, 10); }), 55);
  EXPECT_EQ(pool.open_region("random").run([](auto& h) { return fib(h, 10); }), 55);
}

/// The worker cannot make entries in its lane for all of them.
TEST(without_memory, enqueued_tasks_with_a_strategy_run) {
  skua::pool pool({.workers = 1, .policy = "strategies"});
  std::atomic<bool> is_in{false};
  std::atomic<bool> is_open{false};
  pool.enqueue([&] {
    is_in = true;
    while (!is_open.load()) std::this_thread::yield();
  });
  while (!is_in.load()) std::this_thread::yield();
  std::atomic<int> ran{0};
  for (int i = 0; i < 1000; ++i) pool.enqueue(skua::strategies::deadline{1.0 * i}, [&] { ++ran; });
  int const refused_before = refused_so_far.load();
  {
    shortage const of_memory(refused::workers);
    is_open = true;
    while (ran.load() < 1000) std::this_thread::yield();
  }
  EXPECT_GT(refused_so_far.load(), refused_before);
  pool.drain();
}

TEST(without_memory, tasks_that_would_run_on_a_team_run_alone) {
  skua::pool pool({.workers = 3});
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto const region = pool.open_region([=](skua::policies::policy_setup const& from) {
      return std::make_unique<skua::testing::gambling>(from.layout, seed, true);
    });
    std::atomic<int> ran{0};
    region.run([&](auto& h) {
      h.finish([&](auto& spawner) {
        for (int i = 0; i < 20; ++i) {
          spawner.spawn_team({}, [&](auto& team) { ran += team.member() == 0 ? 1 : 0; }, [](auto&) {});
        }
        refuses.store(refused::everybody);
      });
      refuses.store(refused::nobody);
    });
    EXPECT_EQ(ran, 20);
  }
}

TEST(without_memory, a_pool_that_cannot_be_made_says_so) {
  skua::pool_options const wanted{.workers = 2, .topology = "package:1 core:2"};
  for (long n = 0;; ++n) {
    int const before = refused_so_far.load();
    granted = n;
    try {
      skua::pool const pool(wanted);
    } catch (skua::resource_error const& e) {
      EXPECT_NE(std::string(e.what()).find("address space"), std::string::npos) << e.what();
    }
    granted = -1;
    if (refused_so_far.load() == before) break;
  }
  skua::pool pool({.workers = 2});
  EXPECT_EQ(pool.run([](auto& h) { return fib(h, 10); }), 55);
}

/// A call that finds no place, because another caller has the only one.
template <class Call>
void without_a_place(skua::pool& p, Call&& call) {
  std::atomic<bool> is_inside{false};
  int const before = refused_so_far.load();
  std::thread holder([&] {
    p.run([&](auto&) {
      is_inside = true;
      while (refused_so_far.load() == before) std::this_thread::yield();
    });
  });
  while (!is_inside.load()) std::this_thread::yield();
  call();
  holder.join();
}

/// The list of guests has no room for the one that has run it.
TEST(without_memory, a_call_that_has_run_as_a_guest_has_run) {
  skua::pool pool({.workers = 1});
  int ran = 0;
  without_a_place(pool, [&] {
    bool is_told = false;
    try {
      pool.run([&](auto&) {
        ++ran;
        refuses.store(refused::everybody);
      });
    } catch (std::bad_alloc const&) {
      is_told = true;
    }
    refuses.store(refused::nobody);
    EXPECT_FALSE(is_told);
  });
  EXPECT_EQ(ran, 1);
}

/// There is no memory for a guest.
TEST(without_memory, who_waits_for_a_group_and_can_not_work_blocks_until_others_have) {
  ::setenv("SKUA_WORKERS", "1", 1);
  std::atomic<bool> has_run{false};
  without_a_place(skua::default_pool(), [&] {
    skua::task_group group;
    group.run([&] {
      for (int i = 0; i < 20; ++i) std::this_thread::yield();  // while threads that do not block continue
      has_run = true;
    });
    {
      shortage const of_memory(refused::everybody);
      group.wait();
    }
    EXPECT_TRUE(has_run.load());
  });
}

TEST(without_memory, what_was_learnt_is_not_written_and_that_is_noted) {
  std::string path = ::testing::TempDir() + "skua_history_without_memory_XXXXXX";
  int const file = ::mkstemp(path.data());
  ASSERT_NE(file, -1);
  EXPECT_EQ(::write(file, "{\"workers\": 2, \"times\": []}", 28), 28);
  ::close(file);
  skua::runtime::history_file const history({.value = path, .source = "SKUA_HISTORY"});
  std::vector<skua::policies::known_time> times{{.ns = 5}};
  ::testing::internal::CaptureStderr();
  {
    shortage const of_memory(refused::everybody);
    history.write(std::move(times), {});
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "skua: note: no memory to write the history\n");
  EXPECT_EQ(::unlink(path.c_str()), 0);
}

}  // namespace
