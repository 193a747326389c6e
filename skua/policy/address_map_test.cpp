// SPDX-License-Identifier: MIT
#include "skua/policy/address_map.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace skua { inline namespace v0 { namespace policies { namespace {

TEST(address_map, the_bits_of_a_key_are_the_logarithm_of_four_times_the_workers_rounded_up) {
  std::uint32_t const workers[] = {1, 2, 3, 4, 5, 8, 9, 32, 48, 65'536};
  std::uint32_t const bits[] = {2, 3, 4, 4, 5, 5, 6, 7, 8, 18};
  for (std::size_t i = 0; i < std::size(workers); ++i) EXPECT_EQ(address_map(workers[i]).bits(), bits[i]) << workers[i];
}

TEST(address_map, the_relative_location_of_figure_4_maps_to_worker_1_of_8) {
  static_assert(address_map(8).worker_of(address::at(0.125)) == worker_id{1});
  static_assert(address_map(8).key_of(address::at(0.125)) == 4);
}

TEST(address_map, every_worker_has_four_to_eight_keys_in_the_order_of_the_workers) {
  for (std::uint32_t const workers : {1U, 2U, 3U, 5U, 7U, 8U, 31U, 48U, 100U}) {
    address_map const map(workers);
    std::vector<int> keys(workers);
    std::uint32_t last = 0;
    for (std::uint32_t key = 0; key < map.keys(); ++key) {
      std::uint32_t const w = index(map.worker_of(key));
      ASSERT_LT(w, workers);
      EXPECT_GE(w, last);
      last = w;
      ++keys[w];
    }
    for (int const n : keys) {
      EXPECT_GE(n, 4);
      EXPECT_LE(n, 8);
    }
    EXPECT_EQ(map.worker_of(address::at(1)), worker_id{workers - 1});
    EXPECT_EQ(map.worker_of(address::at(0)), worker_id{0});
  }
}

TEST(address_map, the_middle_of_some_workers_maps_to_the_middle_one) {
  for (std::uint32_t const workers : {1U, 2U, 3U, 5U, 7U, 8U, 31U, 48U, 100U, 65'536U}) {
    address_map const map(workers);
    std::uint32_t const step = workers > 1000 ? 97 : 1;
    for (std::uint32_t first = 0; first < workers; first += step) {
      for (std::uint32_t count = 1; first + count <= workers && count < 9; ++count)
        EXPECT_EQ(map.worker_of(map.middle_of(worker_id{first}, count)), worker_id{first + count / 2}) << workers;
    }
  }
}

}}}}  // namespace skua::v0::policies
