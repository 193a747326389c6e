// SPDX-License-Identifier: MIT
// Scheduling allocates nothing: the allocator of this test program counts what the thread that schedules asks for. (Workers that fall
// asleep read files of the kernel now and then, which allocates.)
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "skua/execution/bulk.hpp"
#include "skua/execution/parallel_backend.hpp"
#include "skua/skua.hpp"
#include "tests/execution/small_senders.hpp"
#include "tests/programs/this_thread.hpp"

namespace {
std::atomic<long> counted_thread{0};
std::atomic<std::uint64_t> allocations{0};

void* counted(std::size_t bytes, std::size_t alignment) {
  if (skua::testing::this_thread_number() == counted_thread) ++allocations;
  std::size_t const rounded = (bytes + alignment - 1) / alignment * alignment;
  if (void* const p = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded)) return p;
  throw std::bad_alloc{};
}
}  // namespace

// Out of line: where the compiler inlines only one of the two, it calls them a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t a) {
  return counted(bytes, static_cast<std::size_t>(a));
}
// A sanitizer has this form, too, and its own calls none of these.
[[gnu::noinline]] void* operator new(std::size_t bytes, std::nothrow_t const&) noexcept try {
  return counted(bytes, alignof(std::max_align_t));
} catch (std::bad_alloc const&) {
  return nullptr;
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace skua { inline namespace v0 { namespace {

using testing::ending;
using testing::outcome;
using testing::reporter;
using testing::small_library;
using namespace runtime::senders;

TEST(allocation, operations_have_none) {
  counted_thread = testing::this_thread_number();
  pool one({.workers = 1});
  auto const schedule_and_loop = [&] {
    outcome first;
    auto op = scheduler<small_library>(one).schedule().connect(reporter{&first});
    op.start();
    EXPECT_EQ(first.wait(), ending::value);
    outcome second;
    auto f = [](int) {};
    using before = schedule_sender<small_library>;
    auto loop = bulk_sender<small_library, bulk_form::unchunked, before, int, decltype(f)>(
                    scheduler<small_library>(one).schedule(), one, 100, std::move(f))
                    .connect(reporter{&second});
    loop.start();
    EXPECT_EQ(second.wait(), ending::value);
  };
  schedule_and_loop();  // the pool's own memory
  std::uint64_t const before = allocations;
  EXPECT_GT(before, 0U) << "the counter counts";
  for (int i = 0; i < 1000; ++i) schedule_and_loop();
  counted_thread = 0;
  EXPECT_LT(allocations, before + 20) << "of 2000 operations; the pool may start its extra thread";
  one.drain();
}

}}}  // namespace skua::v0
