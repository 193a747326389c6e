// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/core/first_touches.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace skua { inline namespace v0 { namespace runtime { namespace {

constexpr std::uint64_t later = 1'000'000'000;  ///< than any period

/// True at the first of 1000 looks that sees nothing. The process has one thread, and this touches no new memory.
bool comes_to_rest(first_touches& watch, std::uint64_t& now) {
  for (int look = 0; look < 1000; ++look) {
    if (!watch.seen(now += later)) return true;
  }
  return false;
}

class new_pages {
 public:
  new_pages()
      : at_(static_cast<char*>(
            mmap(nullptr, 16 * page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~new_pages() { munmap(at_, 16 * page()); }
  new_pages(new_pages const&) = delete;
  new_pages& operator=(new_pages const&) = delete;
  void touch() { *static_cast<char volatile*>(at_ + page() * next_++) = 1; }

 private:
  static std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
  char* at_;
  std::size_t next_ = 0;
};

TEST(first_touches, are_assumed_until_two_looks_have_seen_none) {
  first_touches watch(2);
  EXPECT_TRUE(watch.seen(1));
}

TEST(first_touches, are_seen_in_two_periods_and_then_no_more) {
  first_touches watch(2);
  new_pages memory;
  std::uint64_t now = 0;
  ASSERT_TRUE(comes_to_rest(watch, now));
  memory.touch();
  EXPECT_FALSE(watch.seen(now + 1)) << "before the next look";
  EXPECT_TRUE(watch.seen(now += later));
  EXPECT_TRUE(watch.seen(now += later));
  EXPECT_TRUE(comes_to_rest(watch, now));
}

}}}}  // namespace skua::v0::runtime
