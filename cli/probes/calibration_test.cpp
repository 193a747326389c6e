// SPDX-License-Identifier: MIT
// What a calibration that is interrupted leaves. What it measures is tested with the command: tests/cli.
#include "cli/probes/calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/text/interrupt.hpp"
#include "skua/machine/sim/model/machine_models.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

machine_shape const small{
    .packages = 1, .nodes = 1, .shared = 1, .cores = 1, .pus = 1, .private_bytes = 1 << 20, .shared_bytes = 8 << 20};

calibrated interrupted_before(std::size_t figure) {
  return calibrate(small, "it", 3, [=](std::size_t done, std::size_t, std::string_view) {
    if (done == figure) throw interruption{};
  });
}

TEST(interrupted_calibration, keeps_what_it_measured_and_names_what_is_missing) {
  std::size_t planned = 0;
  std::vector<std::string> begun;
  calibrated const found = calibrate(small, "it", 3, [&](std::size_t done, std::size_t all, std::string_view key) {
    planned = all;
    begun.emplace_back(key);
    if (done == 2) throw interruption{};
  });
  EXPECT_EQ(begun, (std::vector<std::string>{"clock_ghz", "flops_per_ns", "hidden_share"}));
  EXPECT_EQ(found.done, 2U);
  EXPECT_EQ(found.missing.size(), planned - 2);
  EXPECT_EQ(found.missing.front(), "core.hidden_share");
  EXPECT_NE(std::ranges::find(found.missing, "prices.wake_up_ns"), found.missing.end());
  EXPECT_EQ(std::ranges::find(found.missing, "core.clock_ghz"), found.missing.end());
  EXPECT_NE(found.model.find("# clock_ghz = { value = "), std::string::npos) << found.model;
  EXPECT_EQ(found.model.find("hidden_share ="), std::string::npos) << found.model;
  EXPECT_EQ(found.model.find("send_ns ="), std::string::npos) << "what is assumed says nothing of this machine";
  EXPECT_NE(found.model.find("prices.wake_up_ns"), std::string::npos) << found.model;
}

TEST(interrupted_calibration, is_no_model) {
  std::string const text = interrupted_before(1).model;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) EXPECT_EQ(text[at], '#') << text;
  EXPECT_THROW(static_cast<void>(sim::machine_model::parse(text, "it")), usage_error);
}

TEST(interrupted_calibration, leaves_nothing_before_the_first_figure) {
  EXPECT_THROW(static_cast<void>(interrupted_before(0)), interruption);
}

}  // namespace
}  // namespace skua::cli
