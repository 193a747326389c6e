// SPDX-License-Identifier: MIT
#include "skua/parts/context/block_cache.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/current.hpp"

namespace {

using skua::runtime::block_cache, skua::runtime::block_pool, skua::runtime::give_block, skua::runtime::take_block;
using skua::runtime::dice;

/// While it lives, the calling thread has a cache.
class with_cache {
 public:
  explicit with_cache(block_pool& pool) : cache_(pool) {
    record_.blocks = &cache_;
    skua::runtime::set_current_thread(&record_);
  }
  ~with_cache() { skua::runtime::set_current_thread(nullptr); }
  with_cache(with_cache const&) = delete;
  with_cache& operator=(with_cache const&) = delete;

 private:
  block_cache cache_;
  skua::runtime::thread_record record_;
};

struct piece {
  unsigned char* at;
  std::size_t bytes;
  unsigned char mark;
};

piece marked(std::size_t bytes, unsigned char mark) {
  auto* const at = static_cast<unsigned char*>(take_block(bytes));
  std::memset(at, mark, bytes);
  return {at, bytes, mark};
}
/// Gives it back; false if another thread has written to it.
bool intact(piece const& p) {
  bool right = true;
  for (std::size_t i = 0; i < p.bytes; ++i) right = right && p.at[i] == p.mark;
  give_block(p.at, p.bytes);
  return right;
}

struct small : skua::runtime::in_block {
  std::uint64_t words[3] = {};
};
struct alignas(256) wide : skua::runtime::in_block {
  std::uint64_t words[3] = {};
};

}  // namespace

TEST(block_cache, blocks_do_not_overlap_and_are_aligned) {
  block_pool pool;
  with_cache const mine(pool);
  std::vector<piece> all;
  for (std::size_t bytes = 1; bytes <= 700; ++bytes) {
    all.push_back(marked(bytes, static_cast<unsigned char>(bytes)));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all.back().at) % alignof(std::max_align_t), 0U);
  }
  for (piece const& p : all) EXPECT_TRUE(intact(p)) << p.bytes << " bytes";
}

TEST(block_cache, a_thread_gets_back_what_it_gave) {
  if (skua::runtime::under_asan || skua::runtime::under_tsan) GTEST_SKIP() << "a sanitizer's own allocator is used";
  block_pool pool;
  with_cache const mine(pool);
  void* const first = take_block(40);
  give_block(first, 40);
  void* const again = take_block(64);  // of the same size class
  EXPECT_EQ(first, again);
  give_block(again, 64);
}

TEST(block_cache, objects_of_any_alignment) {
  auto const a = std::make_unique<small>();
  auto const b = std::make_unique<wide>();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.get()) % 256, 0U);
  EXPECT_NE(static_cast<void*>(a.get()), static_cast<void*>(b.get()));
}

// Each thread makes blocks that any thread may free, in bursts that pass through the depot; then the threads end.
TEST(block_cache, blocks_travel_between_threads) {
  std::uint64_t const seed = 20261122;
  block_pool pool;
  std::mutex lock;
  std::vector<piece> exchanged;
  std::atomic<int> damaged{0};
  for (int round = 0; round < 3; ++round) {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        std::optional<with_cache> mine;
        if (t > 0) mine.emplace(pool);  // the first one has no cache
        dice roll(seed + t);
        std::vector<piece> own;
        for (int i = 0; i < 20'000; ++i) {
          own.push_back(marked(1 + roll.below(600), static_cast<unsigned char>(roll.below(256))));
          if (own.size() < 300) continue;
          std::lock_guard const hold(lock);
          own.swap(exchanged);
          while (own.size() > 100) {
            if (!intact(own.back())) ++damaged;
            own.pop_back();
          }
        }
        for (piece const& p : own) damaged += intact(p) ? 0 : 1;
      });
    }
  }
  for (piece const& p : exchanged) damaged += intact(p) ? 0 : 1;
  EXPECT_EQ(damaged.load(), 0) << "seed " << seed;
}
