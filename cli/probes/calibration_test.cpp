// SPDX-License-Identifier: MIT
// What a calibration that is interrupted leaves. What it measures is tested with the command: tests/cli.
#include "cli/probes/calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/probes/machine_facts.hpp"
#include "cli/text/interrupt.hpp"
#include "skua/machine/sim/model/machine_models.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli { namespace {

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
  EXPECT_NE(std::ranges::find(found.missing, "prices.notify_ns"), found.missing.end());
  EXPECT_EQ(std::ranges::find(found.missing, "core.clock_ghz"), found.missing.end());
  EXPECT_NE(found.model.find("# clock_ghz = { value = "), std::string::npos) << found.model;
  EXPECT_EQ(found.model.find("hidden_share ="), std::string::npos) << found.model;
  EXPECT_EQ(found.model.find("send_ns ="), std::string::npos) << "what is assumed says nothing of this machine";
  EXPECT_NE(found.model.find("prices.notify_ns"), std::string::npos) << found.model;
}

TEST(interrupted_calibration, is_no_model) {
  std::string const text = interrupted_before(1).model;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) EXPECT_EQ(text[at], '#') << text;
  EXPECT_THROW(static_cast<void>(sim::machine_model::parse(text, "it")), usage_error);
}

TEST(interrupted_calibration, leaves_nothing_before_the_first_figure) {
  EXPECT_THROW(static_cast<void>(interrupted_before(0)), interruption);
}

/// Whether a calibration measures this figure, or assumes it.
bool is_measured(machine_shape const& shape, std::string const& figure) {
  calibrated const found = calibrate(shape, "it", 3, [](std::size_t done, std::size_t, std::string_view) {
    if (done == 1) throw interruption{};
  });
  return std::ranges::find(found.missing, figure) != found.missing.end();
}

TEST(calibration, measures_what_needs_two_processors_or_cores_only_where_they_are) {
  machine_shape threads = small;  // of one core
  threads.pus = 2;
  machine_shape cores = threads;
  cores.cores = 2;
  EXPECT_FALSE(is_measured(small, "prices.wake_up_ns")) << "the worker that forks is in the sleeper's way";
  EXPECT_TRUE(is_measured(threads, "prices.wake_up_ns"));
  for (std::string const figure : {"transfer.latency_ns", "prices.steal_ns", "prices.miss_ns", "prices.resume_ns"}) {
    EXPECT_FALSE(is_measured(small, figure)) << figure;
    EXPECT_FALSE(is_measured(threads, figure)) << figure;
    EXPECT_TRUE(is_measured(cores, figure)) << figure;
  }
}

TEST(calibration, measures_the_first_level_cache_if_its_size_is_known) {
  auto const measures = [](machine_shape const& shape) {
    calibrated const found = calibrate(shape, "it", 3, [](std::size_t done, std::size_t, std::string_view) {
      if (done == 1) throw interruption{};
    });
    return std::ranges::count(found.missing, "first_level_cache.bytes_per_ns") +
           std::ranges::count(found.missing, "first_level_cache.latency_ns");
  };
  EXPECT_EQ(measures(small), 0);
  machine_shape with = small;
  with.first_level_bytes = 32 << 10;
  EXPECT_EQ(measures(with), 2);
}

/// A folder as the kernel has it, of caches with a level, a type and a size each.
class cache_folder {
 public:
  explicit cache_folder(std::vector<std::array<std::string, 3>> const& caches) {
    std::filesystem::remove_all(path_);
    for (std::size_t i = 0; i < caches.size(); ++i) {
      std::filesystem::path const one = path_ / ("index" + std::to_string(i));
      std::filesystem::create_directories(one);
      std::ofstream(one / "level") << caches[i][0] << '\n';
      std::ofstream(one / "type") << caches[i][1] << '\n';
      std::ofstream(one / "size") << caches[i][2] << '\n';
    }
  }
  cache_folder(cache_folder const&) = delete;
  cache_folder& operator=(cache_folder const&) = delete;
  ~cache_folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::size_t bytes() const { return first_level_bytes_in(path_.string()); }

 private:
  std::filesystem::path path_ = std::filesystem::path(testing::TempDir()) / "skua-caches";
};

TEST(first_level_bytes, are_those_of_the_data_cache) {
  EXPECT_EQ(cache_folder({{"1", "Instruction", "32K"}, {"1", "Data", "48K"}, {"2", "Unified", "2048K"}}).bytes(),
            49152U);
  EXPECT_EQ(cache_folder({{"1", "Unified", "1M"}}).bytes(), 1U << 20);
  EXPECT_EQ(cache_folder({{"1", "Data", "4096"}}).bytes(), 4096U);
}

TEST(first_level_bytes, are_0_if_the_kernel_does_not_say) {
  EXPECT_EQ(cache_folder({}).bytes(), 0U);
  EXPECT_EQ(cache_folder({{"2", "Unified", "2048K"}}).bytes(), 0U);
  EXPECT_EQ(cache_folder({{"1", "Data", "a lot"}}).bytes(), 0U);
  EXPECT_EQ(cache_folder({{"1", "Data", "48G"}}).bytes(), 0U);
}

}}  // namespace skua::cli
