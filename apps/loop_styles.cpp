// SPDX-License-Identifier: MIT
#include "apps/loop_styles.hpp"

#include <array>

#include "apps/checks.hpp"

namespace skua::apps {
namespace {

constexpr std::array<std::string_view, 3> schedules{"static", "dynamic", "tasks"};               // as openmp_schedule
constexpr std::array<std::string_view, 4> partitioners{"auto", "static", "affinity", "simple"};  // as tbb_partitioner

}  // namespace

void loop_styles::add_to(std::vector<option>& options) {
  options.push_back(
      {"--openmp", &openmp_word_, one_of(schedules), "schedule of the OpenMP twin: static, dynamic or tasks"});
  options.push_back(
      {"--tbb", &tbb_word_, one_of(partitioners), "partitioner of the oneTBB twin: auto, static, affinity or simple"});
}

std::span<std::string_view const> loop_styles::openmp_words() noexcept { return schedules; }
std::span<std::string_view const> loop_styles::tbb_words() noexcept { return partitioners; }

void loop_styles::choose_openmp(std::string_view word) {
  schedule_ = static_cast<openmp_schedule>(require_one_of("OpenMP's schedule", schedules, word));
}

void loop_styles::choose_tbb(std::string_view word) {
  partitioner_ = static_cast<tbb_partitioner>(require_one_of("oneTBB's partitioner", partitioners, word));
}

void loop_styles::as_asked() {
  choose_openmp(openmp_word_);
  choose_tbb(tbb_word_);
}

void loop_styles::add_to(json_value& facts) const {
  facts["openmp_schedule"] = schedules[static_cast<std::size_t>(schedule_)];
  facts["tbb_partitioner"] = partitioners[static_cast<std::size_t>(partitioner_)];
}

}  // namespace skua::apps
