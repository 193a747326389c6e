// SPDX-License-Identifier: MIT
// Durations that are measured on this machine, while another program takes the processor.
#include "cli/simulate/program.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "apps/program_app.hpp"

namespace skua::cli { namespace {

using namespace std::chrono_literals;

void work_for(std::chrono::microseconds time) {
  auto const end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {}
}

/// Eight leaves of 100 us. In each run another one is interrupted; in every run if there is no calm one.
class interrupted final : public apps::program_app<interrupted> {
 public:
  explicit interrupted(std::chrono::milliseconds always)
      : program_app("interrupted", "leaves that wait for a processor"), always_(always) {}

  template <class Here>
  void program(Here& here, std::uint32_t) {
    for (int i = 0; i < 8; ++i) {
      here.leaf([this, i] {
        work_for(100us);
        std::this_thread::sleep_for(i == run_ % 8 ? 100ms : always_);
      });
    }
  }

 private:
  void build() override {}
  void restore() override { ++run_; }
  [[nodiscard]] std::string check() override { return {}; }

  std::chrono::milliseconds always_;
  int run_ = 0;
};

TEST(measured_leaves, one_that_waited_for_a_processor_in_one_run_counts_as_in_the_others) {
  interrupted app(0ms);
  sim_program const made(app, sim_way::recorded, {}, false);
  ASSERT_EQ(made.content().bare_leaves, 8U);
  EXPECT_TRUE(made.content().measured);
  EXPECT_LT(made.content().assumed.leaf, 12'000'000U) << "one wait of 100 ms in eight leaves is 12.5 ms on average";
}

TEST(measured_leaves, of_runs_that_all_waited_are_called_so) {
  interrupted app(5ms);
  sim_program const made(app, sim_way::recorded, {}, false);
  EXPECT_GT(made.content().wall_over_cpu, busy_from);
}

}}  // namespace skua::cli
