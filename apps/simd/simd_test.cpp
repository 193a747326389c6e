// SPDX-License-Identifier: MIT
// The kernels' tests run every variant that this processor can run. Here the others are counted as skipped, so that nobody
// takes them for tested.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "apps/heat/sweep.hpp"
#include "apps/matmul/leaf.hpp"
#include "apps/strassen/sums.hpp"

namespace skua::apps {
namespace {

template <class Variants>
bool has(Variants const& variants, std::string_view name) {
  return std::ranges::any_of(variants, [&](auto const& v) { return v.name == name; });
}

class every_kernel : public ::testing::TestWithParam<char const*> {};

TEST_P(every_kernel, runs_here_with_vectors_of_this_width) {
  std::string_view const width = GetParam();
  bool const runs = has(matmul::leaves(), width);
  EXPECT_EQ(has(heat::sweeps(), width), runs);
  EXPECT_EQ(has(strassen::sums(), width), runs);
  if (!runs)
    GTEST_SKIP() << "this processor has no " << width
                 << ": no test runs the kernels of matmul, heat and strassen for it";
}

INSTANTIATE_TEST_SUITE_P(widths, every_kernel, ::testing::Values("portable", "avx2", "avx512"),
                         [](auto const& p) { return std::string{p.param}; });

}  // namespace
}  // namespace skua::apps
