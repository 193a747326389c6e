// SPDX-License-Identifier: MIT
// oneTBB's mutexes; compiled and run against oneTBB and against Skua, as forms.cpp.
#include <gtest/gtest.h>
#include <oneapi/tbb.h>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/rw_mutex.h>

#include <atomic>

namespace {

constexpr int turns = 2000;

template <class Mutex>
class mutexes : public ::testing::Test {};
using all_mutexes = ::testing::Types<tbb::spin_mutex, tbb::queuing_mutex, tbb::mutex, tbb::speculative_spin_mutex,
                                     tbb::spin_rw_mutex, tbb::queuing_rw_mutex, tbb::rw_mutex>;
TYPED_TEST_SUITE(mutexes, all_mutexes);

TYPED_TEST(mutexes, let_one_in_at_a_time) {
  TypeParam mutex;
  long sum = 0;
  tbb::parallel_for(0, turns, [&](int i) {
    typename TypeParam::scoped_lock const lock(mutex);
    sum += i;
  });
  EXPECT_EQ(sum, long{turns} * (turns - 1) / 2);
  typename TypeParam::scoped_lock lock;
  lock.acquire(mutex);
  typename TypeParam::scoped_lock other;
  EXPECT_FALSE(other.try_acquire(mutex));
  lock.release();
  EXPECT_TRUE(other.try_acquire(mutex));
  static_assert(!TypeParam::is_recursive_mutex);
}

template <class Mutex>
class rw_mutexes : public ::testing::Test {};
using all_rw_mutexes =
    ::testing::Types<tbb::spin_rw_mutex, tbb::queuing_rw_mutex, tbb::rw_mutex, tbb::speculative_spin_rw_mutex>;
TYPED_TEST_SUITE(rw_mutexes, all_rw_mutexes);

TYPED_TEST(rw_mutexes, let_readers_in_together_and_writers_alone) {
  using lock = typename TypeParam::scoped_lock;
  TypeParam mutex;
  long a = 0;
  long b = 0;
  std::atomic<int> wrong{0};
  tbb::parallel_for(0, turns, [&](int i) {
    lock l(mutex, i % 4 == 0);
    if (i % 4 == 0) {
      ++a;
      ++b;
      l.downgrade_to_reader();
    }
    if (a != b) ++wrong;
    if (i % 64 == 1) {
      l.upgrade_to_writer();
      if (a != b) ++wrong;
      a += 2;
      b += 2;
    }
  });
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(a, turns / 4 + 2 * ((turns + 62) / 64));
  EXPECT_EQ(a, b);
}

TYPED_TEST(rw_mutexes, change_from_reader_to_writer) {
  using lock = typename TypeParam::scoped_lock;
  TypeParam mutex;
  lock reader(mutex, false);
  EXPECT_TRUE(reader.upgrade_to_writer());
  EXPECT_TRUE(reader.downgrade_to_reader());
  reader.release();
  EXPECT_TRUE(reader.try_acquire(mutex, true));
  static_assert(TypeParam::is_rw_mutex);
}

TEST(null_mutex, guards_nothing_at_all) {
  tbb::null_mutex one;
  tbb::null_mutex::scoped_lock const lock(one);
  tbb::null_rw_mutex two;
  tbb::null_rw_mutex::scoped_lock const writer(two, true);
  tbb::null_rw_mutex::scoped_lock const other(two);
  static_assert(!tbb::null_mutex::is_rw_mutex && tbb::null_rw_mutex::is_rw_mutex);
}

}  // namespace
