// SPDX-License-Identifier: MIT
// Nothing that a worker does needs memory: the allocator of this test program fails on the threads that a test names.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>

#include "skua/machine/threads/team/gambling_for_test.hpp"
#include "skua/skua.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/this_thread.hpp"

namespace {

using skua::testing::this_thread_number;

enum class refused : std::uint8_t { nobody, workers, everybody };
std::atomic<refused> refuses{refused::nobody};
long const main_thread = this_thread_number();

void* memory(std::size_t bytes, std::size_t alignment) {
  refused const whom = refuses.load();
  bool const refuse = whom == refused::everybody || (whom == refused::workers && this_thread_number() != main_thread);
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
void meet_a_worker(skua::region_handle& in) {
  in.run([](auto& h) {
    std::atomic<int> here{0};
    auto const meet = [&](auto&) {
      here.fetch_add(1);
      while (here.load() < 2) std::this_thread::yield();
    };
    h.join(meet, meet);
  });
}

TEST(without_memory, workers_learn_of_a_region_that_opens) {
  skua::pool pool({.workers = 2});
  shortage const of_memory(refused::workers);
  for (int i = 0; i < 20; ++i) {
    auto const region = pool.open_region("random");
    meet_a_worker(*region);
  }
}

TEST(without_memory, a_region_closes) {
  skua::pool pool({.workers = 2});
  for (int i = 0; i < 20; ++i) {
    auto region = pool.open_region("random");
    auto const other = pool.open_region("random");
    meet_a_worker(*region);
    {
      shortage const of_memory(refused::everybody);
      region.reset();
      meet_a_worker(*other);
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
  EXPECT_EQ(pool.open_region("random")->run([](auto& h) { return fib(h, 10); }), 55);
}

TEST(without_memory, tasks_that_would_run_on_a_team_run_alone) {
  skua::pool pool({.workers = 3});
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto const region = pool.open_region([=](skua::policies::policy_setup const& from) {
      return std::make_unique<skua::testing::gambling>(from.where, seed, true);
    });
    std::atomic<int> ran{0};
    region->run([&](auto& h) {
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

}  // namespace
