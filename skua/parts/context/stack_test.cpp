// SPDX-License-Identifier: MIT
#include "skua/parts/context/stack.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/valgrind.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

constexpr std::size_t kib = 1024;

std::size_t resident_pages(stack const& s) {
  auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> in_core(s.bytes() / page);
  EXPECT_EQ(mincore(s.low(), s.bytes(), in_core.data()), 0);
  std::size_t n = 0;
  for (unsigned char const c : in_core) n += c & 1U;
  return n;
}

TEST(stack, sizes_are_rounded_up_to_pages_and_aligned) {
  auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  stack_pool pool(100'001);
  EXPECT_EQ(pool.stack_bytes(), (100'001 + page - 1) / page * page);
  stack* const s = pool.take();
  EXPECT_EQ(s->bytes(), pool.stack_bytes());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(s->top()) % page, 0U);
  EXPECT_EQ(s->top() - s->low(), static_cast<std::ptrdiff_t>(s->bytes()));
  std::memset(s->low(), 0x5a, s->bytes());  // all of it is usable
  pool.give(s);
}

TEST(stack, guard_lies_right_below_the_usable_bytes) {
  stack_pool pool(64 * kib);
  stack* const s = pool.take();
  auto const low = reinterpret_cast<std::uintptr_t>(s->low());
  EXPECT_TRUE(s->guard().contains(low - 1));
  EXPECT_TRUE(s->guard().contains(low - guard_bytes));
  EXPECT_FALSE(s->guard().contains(low - guard_bytes - 1));
  EXPECT_FALSE(s->guard().contains(low));
  pool.give(s);
}

TEST(stack, senseless_sizes_are_named) {
  for (std::size_t const bytes :
       {std::size_t{0}, std::size_t{1}, smallest_stack_bytes - 1, largest_stack_bytes + 1, ~std::size_t{0}}) {
    try {
      stack_pool const pool(bytes);
      ADD_FAILURE() << bytes << " was accepted";
    } catch (usage_error const& e) {
      EXPECT_NE(std::string(e.what()).find("SKUA_STACK"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find(std::to_string(bytes)), std::string::npos) << e.what();
    }
  }
  EXPECT_NO_THROW(stack_pool{smallest_stack_bytes});
  EXPECT_NO_THROW(stack_pool{largest_stack_bytes});
}

TEST(stack_pool, warmest_stack_is_lent_first) {
  stack_pool pool(64 * kib);
  stack* const a = pool.take();
  stack* const b = pool.take();
  EXPECT_NE(a, b);
  pool.give(a);
  pool.give(b);
  EXPECT_EQ(pool.take(), b);
  EXPECT_EQ(pool.take(), a);
  pool.give(a);
  pool.give(b);
}

TEST(stack_pool, counts_live_peak_and_free) {
  stack_pool pool(64 * kib);
  std::vector<stack*> lent;
  for (int i = 0; i < 10; ++i) lent.push_back(pool.take());
  EXPECT_EQ(pool.count().live, 10U);
  EXPECT_EQ(pool.count().free, 0U);
  for (stack* const s : lent) pool.give(s);
  EXPECT_EQ(pool.count().live, 0U);
  EXPECT_EQ(pool.count().peak, 10U);
  EXPECT_EQ(pool.count().free, 10U);
  pool.trim();
  EXPECT_EQ(pool.count().free, 0U);
}

TEST(stack_pool, thousands_are_distinct_and_surplus_is_unmapped) {
  stack_pool pool;  // 8 MiB each: 32 GiB of address space, 4 pages touched
  std::set<stack*> lent;
  for (int i = 0; i < 4000; ++i) {
    stack* const s = pool.take();
    EXPECT_TRUE(lent.insert(s).second);
    s->top()[-1] = std::byte{1};
  }
  EXPECT_EQ(pool.count().live, 4000U);
  for (stack* const s : lent) pool.give(s);
  EXPECT_EQ(pool.count().free, stack_pool::kept_free);
}

TEST(stack_pool, deep_stack_gives_its_memory_back) {
  stack_pool pool;
  stack* const s = pool.take();
  std::memset(s->top() - (1024 * kib), 1, 1024 * kib);
  EXPECT_GE(resident_pages(*s), 256U);
  pool.give(s);
  EXPECT_LE(resident_pages(*s), stack_pool::warm_bytes / static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
}

TEST(stack_pool, threads_take_and_give_without_sharing_a_stack) {
  stack_pool pool(64 * kib);
  auto const storm = [&pool](unsigned char mark) {
    std::vector<stack*> mine;
    for (int round = 0; round < 300; ++round) {
      for (int i = 0; i < 5; ++i) {
        mine.push_back(pool.take());
        std::memset(mine.back()->top() - 64, mark, 64);
      }
      for (stack* const s : mine) {
        ASSERT_EQ(s->top()[-1], std::byte{mark});
        ASSERT_EQ(s->top()[-64], std::byte{mark});
        pool.give(s);
      }
      mine.clear();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned char t = 1; t <= 4; ++t) threads.emplace_back(storm, t);
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(pool.count().live, 0U);
  EXPECT_LE(pool.count().peak, 20U);
}

TEST(stack_cache, keeps_a_few_and_passes_the_rest_on) {
  stack_pool pool(64 * kib);
  {
    stack_cache cache(pool);
    std::vector<stack*> lent;
    for (std::size_t i = 0; i < stack_cache::kept + 3; ++i) lent.push_back(cache.take());
    for (stack* const s : lent) cache.give(s);
    EXPECT_EQ(pool.count().free, 3U);
    EXPECT_EQ(pool.count().live, stack_cache::kept);
    EXPECT_EQ(cache.take(), lent[stack_cache::kept - 1]);
    cache.give(lent[stack_cache::kept - 1]);
    cache.flush();
    EXPECT_EQ(pool.count().live, 0U);
    lent.assign(1, cache.take());
    cache.give(lent[0]);
  }
  EXPECT_EQ(pool.count().live, 0U) << "a cache gives its stacks back when it ends";
}

/// Takes stacks until the kernel refuses; exits with 0 if the refusal explains itself and the pool can still be used.
[[noreturn]] void exhaust(stack_pool& pool, char const* limit) {
  std::vector<stack*> lent;
  try {
    for (;;) lent.push_back(pool.take());
  } catch (resource_error const& e) {
    std::string const what = e.what();
    bool const explained = what.find(limit) != std::string::npos && what.find("SKUA_STACK") != std::string::npos;
    bool const counted = pool.count().live == lent.size();
    pool.give(lent.back());
    lent.back() = pool.take();
    for (stack* const s : lent) pool.give(s);
    pool.trim();
    bool const empty = pool.count().live == 0 && pool.count().free == 0;
    std::fputs(what.c_str(), stderr);
    _exit(explained && counted && empty && !lent.empty() ? 0 : 1);
  }
}

/// Emulators of other processors accept the limit and forget it.
bool address_space_can_be_limited() {
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  rlimit some = before;
  some.rlim_cur = rlim_t{1} << 46;
  rlimit now{};
  bool const set = setrlimit(RLIMIT_AS, &some) == 0 && getrlimit(RLIMIT_AS, &now) == 0 && now.rlim_cur == some.rlim_cur;
  setrlimit(RLIMIT_AS, &before);
  return set;
}

[[noreturn]] void exhaust_address_space() {
  rlim_t const bytes = rlim_t{2} << 30;
  rlimit limit{};
  limit.rlim_cur = limit.rlim_max = bytes;
  setrlimit(RLIMIT_AS, &limit);
  stack_pool pool;
  exhaust(pool, "2097152 KiB");
}

TEST(stack_pool_DeathTest, address_space_limit_is_a_clear_error) {
  if (under_asan || under_tsan) GTEST_SKIP() << "sanitizers need the address space themselves";
  if (valgrind::running()) GTEST_SKIP() << "Valgrind needs the address space itself";
  if (!address_space_can_be_limited()) GTEST_SKIP() << "RLIMIT_AS has no effect here";
  EXPECT_EXIT(exhaust_address_space(), ::testing::ExitedWithCode(0),
              "cannot map another stack of 8192 KiB \\(Cannot allocate memory\\)");
}

TEST(stack_pool_DeathTest, mapping_limit_is_a_clear_error) {
  if (under_asan || under_tsan) GTEST_SKIP() << "sanitizers need mappings themselves";
  if (valgrind::running()) GTEST_SKIP() << "Valgrind has its own limit";
  std::size_t most = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> most;
  if (most == 0 || most > 200'000) GTEST_SKIP() << "vm.max_map_count = " << most << " is too large to be reached here";
  EXPECT_EXIT(
      {
        stack_pool pool(smallest_stack_bytes);
        exhaust(pool, "vm.max_map_count");
      },
      ::testing::ExitedWithCode(0), "a stack takes 2 mappings");
}

}}}}  // namespace skua::v0::runtime
