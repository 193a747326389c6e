// SPDX-License-Identifier: MIT
// The names that gfortran's code calls, and those of old versions: they answer as C's names do.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

extern "C" {
int omp_get_num_places_(void);
int omp_get_place_num_(void);
int omp_get_proc_bind_(void);
int omp_get_partition_num_places_(void);
int omp_get_place_num_procs_(std::int32_t const*);
int omp_get_place_num_procs_8_(std::int64_t const*);
void omp_set_affinity_format_(char const*, std::size_t);
int omp_get_affinity_format_(char*, std::size_t);
int omp_capture_affinity_(char*, char const*, std::size_t, std::size_t);
std::uintptr_t omp_init_allocator_(std::intptr_t const*, std::int32_t const*, omp_alloctrait_t const*);
std::uintptr_t omp_init_allocator_8_(std::intptr_t const*, std::int64_t const*, omp_alloctrait_t const*);
void omp_destroy_allocator_(std::uintptr_t const*);
void omp_set_default_allocator_(std::uintptr_t const*);
std::uintptr_t omp_get_default_allocator_(void);
}

namespace {

TEST(openmp_fortran, places_are_those_of_c) {
  EXPECT_EQ(omp_get_num_places_(), omp_get_num_places());
  EXPECT_EQ(omp_get_place_num_(), omp_get_place_num());
  EXPECT_EQ(omp_get_proc_bind_(), static_cast<int>(omp_get_proc_bind()));
  EXPECT_EQ(omp_get_partition_num_places_(), omp_get_partition_num_places());
  for (std::int32_t p = -1; p < 3; ++p) {
    std::int64_t const wide = p;
    EXPECT_EQ(omp_get_place_num_procs_(&p), omp_get_place_num_procs(p));
    EXPECT_EQ(omp_get_place_num_procs_8_(&wide), omp_get_place_num_procs(p));
  }
}

TEST(openmp_fortran, texts_are_filled_with_blanks) {
  std::array<char, 64> before{};
  omp_get_affinity_format(before.data(), before.size());
  constexpr std::string_view format = "thread %n";
  omp_set_affinity_format_(format.data(), format.size());
  std::array<char, 12> text{};
  EXPECT_EQ(omp_get_affinity_format_(text.data(), text.size()), 9);
  EXPECT_EQ(std::string(text.data(), text.size()), "thread %n   ");
  EXPECT_EQ(omp_capture_affinity_(text.data(), "a%3nb!", text.size(), 5), 5);
  EXPECT_EQ(std::string(text.data(), text.size()), "a0  b       ");
  EXPECT_EQ(omp_capture_affinity_(text.data(), "0123456789", 4, 10), 10);
  EXPECT_EQ(std::string(text.data(), 6), "0123b ");
  omp_set_affinity_format(before.data());
}

TEST(openmp_fortran, allocators_are_those_of_c) {
  std::intptr_t const space = omp_default_mem_space;
  std::array<omp_alloctrait_t, 1> const traits{{{omp_atk_alignment, 256}}};
  std::int32_t const one = 1;
  std::int64_t const wide = 1;
  std::uintptr_t const made = omp_init_allocator_(&space, &one, traits.data());
  std::uintptr_t const second = omp_init_allocator_8_(&space, &wide, traits.data());
  ASSERT_NE(made, 0u);
  ASSERT_NE(second, 0u);
  std::uintptr_t const before = omp_get_default_allocator_();
  omp_set_default_allocator_(&made);
  EXPECT_EQ(omp_get_default_allocator_(), made);
  void* const block = omp_alloc(10, omp_null_allocator);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 256, 0u);
  omp_free(block, omp_null_allocator);
  omp_set_default_allocator_(&before);
  omp_destroy_allocator_(&made);
  omp_destroy_allocator_(&second);
}

template <class Function>
Function* old_version(char const* name) {
  return reinterpret_cast<Function*>(::dlvsym(RTLD_DEFAULT, name, "OMP_1.0"));
}

TEST(openmp_old_locks, simple_ones_are_taken_once) {
  auto* const init = old_version<void(std::int32_t*)>("omp_init_lock");
  auto* const test = old_version<int(std::int32_t*)>("omp_test_lock_");
  auto* const unset = old_version<void(std::int32_t*)>("omp_unset_lock");
  ASSERT_TRUE(init != nullptr && test != nullptr && unset != nullptr);
  std::int32_t lock = 17;
  init(&lock);
  EXPECT_EQ(test(&lock), 1);
  EXPECT_EQ(test(&lock), 0);
  unset(&lock);
  EXPECT_EQ(test(&lock), 1);
}

TEST(openmp_old_locks, nested_ones_belong_to_threads) {
  struct nested {
    std::int32_t owner, count;
  };
  auto* const init = old_version<void(nested*)>("omp_init_nest_lock");
  auto* const set = old_version<void(nested*)>("omp_set_nest_lock");
  auto* const test = old_version<int(nested*)>("omp_test_nest_lock_");
  auto* const unset = old_version<void(nested*)>("omp_unset_nest_lock");
  ASSERT_TRUE(init != nullptr && set != nullptr && test != nullptr && unset != nullptr);
  struct {
    nested lock{5, 5};
    std::int32_t behind = 12345;
  } here;
  init(&here.lock);
  set(&here.lock);
  EXPECT_EQ(test(&here.lock), 2);
  std::thread([&] { EXPECT_EQ(test(&here.lock), 0); }).join();
  unset(&here.lock);
  std::thread([&] { EXPECT_EQ(test(&here.lock), 0); }).join();
  unset(&here.lock);
  std::thread([&] {
    EXPECT_EQ(test(&here.lock), 1);
    unset(&here.lock);
  }).join();
  int sum = 0;
  auto const add = [&] {
    for (int i = 0; i < 1000; ++i) {
      set(&here.lock);
      ++sum;
      unset(&here.lock);
    }
  };
  std::thread other(add);
  add();
  other.join();
  EXPECT_EQ(sum, 2000);
  EXPECT_EQ(here.behind, 12345);
}

}  // namespace
