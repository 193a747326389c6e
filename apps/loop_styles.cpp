// SPDX-License-Identifier: MIT
#include "apps/loop_styles.hpp"

#include <CLI/CLI.hpp>
#include <array>

#include "apps/checks.hpp"

namespace skua::apps {
namespace {

constexpr std::array<std::string_view, 3> schedules{"static", "dynamic", "tasks"};               // as openmp_schedule
constexpr std::array<std::string_view, 4> partitioners{"auto", "static", "affinity", "simple"};  // as tbb_partitioner

}  // namespace

void loop_styles::add_to(CLI::App& command) {
  command.add_option("--openmp", openmp_word_, "the OpenMP twin's schedule: static, dynamic, tasks")
      ->capture_default_str();
  command.add_option("--tbb", tbb_word_, "the oneTBB twin's partitioner: auto, static, affinity, simple")
      ->capture_default_str();
}

void loop_styles::read(std::string_view app) {
  std::string const name(app);
  schedule_ = static_cast<openmp_schedule>(require_one_of(name + ": --openmp", schedules, openmp_word_));
  partitioner_ = static_cast<tbb_partitioner>(require_one_of(name + ": --tbb", partitioners, tbb_word_));
}

void loop_styles::add_to(nlohmann::json& facts) const {
  facts["openmp_schedule"] = openmp_word_;
  facts["tbb_partitioner"] = tbb_word_;
}

}  // namespace skua::apps
