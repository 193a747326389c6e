// SPDX-License-Identifier: MIT
#include "skua/machine/sim/model/noise.hpp"

#include <gtest/gtest.h>

namespace skua { inline namespace v0 { namespace sim { namespace {

TEST(noise, more_noise_than_time_is_refused) {
  for (noise_options const& much :
       {noise_options{.per_second = 1e6, .duration_ns = 2000}, noise_options{.per_second = 1000, .duration_ns = 1e6},
        noise_options{.per_second = 1, .duration_ns = 0.95e9}}) {
    try {
      noise const made(much, 2, 1);
      ADD_FAILURE() << much.per_second;
    } catch (usage_error const& fault) {
      EXPECT_NE(std::string(fault.what()).find("allowed: at most 90%"), std::string::npos) << fault.what();
    }
  }
}

TEST(noise, the_most_that_is_allowed_makes_work_ten_times_as_long) {
  noise much({.per_second = 900, .duration_ns = 1e6}, 1, 1);
  double const second = 1e12;
  auto const lost = static_cast<double>(much.delay(0, worker_id{0}, static_cast<tick>(second)));
  EXPECT_NEAR(lost / second, 9, 0.5);
}

}}}}  // namespace skua::v0::sim
