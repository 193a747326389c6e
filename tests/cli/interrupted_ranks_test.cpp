// SPDX-License-Identifier: MIT
// Interrupts of runs on ranks: all ranks end with the same iteration, whichever hears the signal, and when. Each test runs in a
// process of its own, because a signal is never taken back. The ranks are threads of it, so each hears the signal at another point of
// its program. Ranks that are processes, of which one hears it: tests/cli/ranks_test.py.
#include "cli/measure/on_ranks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "cli/text/interrupt.hpp"
#include "skua/machine/ranks/transport/loopback.hpp"

namespace skua::cli {
namespace {

constexpr int as_expected = 42;
constexpr std::uint32_t rank_count = 3;
constexpr std::uint32_t iterations = 4;

using operation = std::function<void(std::uint32_t rank, std::uint32_t iteration)>;

/// Iterations without tasks; `within` is called on every rank in each of them, numbered from 1 over all runs.
class iterated final : public apps::app, public apps::ranks_program {
 public:
  explicit iterated(operation within) : within_(std::move(within)) {}

  [[nodiscard]] std::string_view name() const override { return "iterated"; }
  [[nodiscard]] std::string_view about() const override { return "iterations"; }
  [[nodiscard]] std::vector<apps::option> options() override { return {}; }
  void prepare() override {}
  void reset() override {}
  void run_skua(pool&) override {}
  [[nodiscard]] apps::ranks_program* ranks() override { return this; }
  [[nodiscard]] std::string wrong() override { return {}; }
  [[nodiscard]] apps::json_value facts() const override { return {{"iterations", done_}}; }

  void run_on_ranks(communicator& world, apps::ranks_plan const& plan) override {
    for (std::uint32_t i = 0; i < iterations; ++i) {
      if (i > 0 && !plan.goes_on()) return;
      world.barrier();
      plan.tell({.iteration = ++done_}, {});
      within_(world.rank(), done_);
    }
  }

 private:
  operation within_;
  std::uint32_t done_ = 0;
};

/// What the ranks keep of so many runs.
std::vector<ranks_outcome> outcomes(unsigned runs, operation const& within) {
  auto const network =
      std::make_shared<ranks::loopback_network>(rank_count, 0, ranks::disorder{.seed = 1, .delays_one_in = 4});
  std::vector<ranks_outcome> all(rank_count);
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t r = 0; r < rank_count; ++r) {
      threads.emplace_back([&, r] {
        communicator world(ranks::loopback_network::owned_end(network, r));
        iterated own(within);
        all[r] = run_on_ranks(own, world, {}, runs, true, [](collection_report const&) {});
      });
    }
  }
  return all;
}

bool kept(ranks_outcome const& of, std::size_t runs, std::size_t all_iterations) {
  return of.times_s.size() == runs && of.reports.size() == all_iterations && of.wrong.empty() &&
         of.facts.size() == (runs > 0 ? 1U : 0U);
}

[[noreturn]] void interrupt_in(std::uint32_t rank, std::uint32_t iteration) {
  install_signal_handlers();
  auto const all = outcomes(2, [&](std::uint32_t r, std::uint32_t i) {
    if (r == rank && i == iteration) ::raise(SIGINT);
  });
  std::size_t const complete = iteration / iterations;
  for (ranks_outcome const& o : all) {
    if (!kept(o, complete, iteration)) std::_Exit(1);
  }
  std::_Exit(interrupted() ? as_expected : 2);
}

/// Each process begins anew, and not with the state that other tests have left here.
class interrupted_ranks : public ::testing::Test {
 protected:
  interrupted_ranks() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(interrupted_ranks, end_together_after_the_iteration_in_which_any_of_them_heard_it) {
  for (std::uint32_t rank = 0; rank < rank_count; ++rank) {
    for (std::uint32_t const iteration : {1U, 3U, 4U, 5U, 8U}) {  // 4 and 8 are the last ones of a run
      SCOPED_TRACE(fmt::format("rank {}, iteration {}", rank, iteration));
      EXPECT_EXIT(interrupt_in(rank, iteration), ::testing::ExitedWithCode(as_expected), "");
    }
  }
}

[[noreturn]] void interrupt_at_any_time(unsigned seed) {
  install_signal_handlers();
  keep_after_interrupts();
  std::mt19937 dice(seed);
  auto const when = std::chrono::microseconds(dice() % 3000);
  std::jthread const other([when, number = dice() % 2 == 0 ? SIGINT : SIGTERM] {
    std::this_thread::sleep_for(when);
    ::kill(::getpid(), number);
  });
  auto const all = outcomes(100'000, [](std::uint32_t, std::uint32_t) {});
  for (ranks_outcome const& o : all) {
    bool const same = o.times_s.size() == all[0].times_s.size() && o.reports.size() == all[0].reports.size();
    if (!same || o.reports.size() >= 100'000 * iterations) std::_Exit(1);
  }
  std::_Exit(interrupted() ? as_expected : 2);
}

TEST_F(interrupted_ranks, end_together_whenever_the_signal_comes) {
  std::random_device dice;
  for (int round = 0; round < 20; ++round) {
    unsigned const seed = dice();
    SCOPED_TRACE(fmt::format("seed {}", seed));
    EXPECT_EXIT(interrupt_at_any_time(seed), ::testing::ExitedWithCode(as_expected), "");
  }
}

}  // namespace
}  // namespace skua::cli
