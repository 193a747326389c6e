// SPDX-License-Identifier: MIT
#include "skua/parts/base/nearest_name.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace skua { inline namespace v0 { namespace runtime { namespace {

TEST(nearest_name, suggests_only_what_is_near) {
  std::vector<std::string_view> const known{"random", "hierarchical", "adws"};
  EXPECT_EQ(nearest_name("ransom", known), "random");
  EXPECT_EQ(nearest_name("hierachical", known), "hierarchical");
  EXPECT_EQ(nearest_name("awds", known), "adws");
  EXPECT_EQ(nearest_name("steal", known), "");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name("random", {}), "");
}

}}}}  // namespace skua::v0::runtime
