// SPDX-License-Identifier: MIT
#include "apps/loop_styles.hpp"

#include <array>

#include "apps/checks.hpp"

namespace skua::apps {
namespace {

constexpr std::array<std::string_view, 3> schedules{"static", "dynamic", "tasks"};               // as openmp_schedule
constexpr std::array<std::string_view, 4> partitioners{"auto", "static", "affinity", "simple"};  // as tbb_partitioner

}  // namespace

// The facts of a run are the words in effect, not those that were asked for.
loop_styles::loop_styles(option_table& of, std::string_view openmp)
    : asked_openmp_(of, "--openmp", openmp, schedules, "schedule of the OpenMP twin: static, dynamic or tasks", false),
      asked_tbb_(of, "--tbb", "auto", partitioners, "partitioner of the oneTBB twin: auto, static, affinity or simple",
                 false) {
  of.has_no_effect({"--openmp"}, ~ways::openmp_twin, "it is the schedule of that twin");
  of.has_no_effect({"--tbb"}, ~ways::tbb, "it is the partitioner of that twin");
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
  schedule_ = asked_openmp_;
  partitioner_ = asked_tbb_;
}

void loop_styles::add_to(json_value& facts) const {
  facts["openmp_schedule"] = schedules[static_cast<std::size_t>(schedule_)];
  facts["tbb_partitioner"] = partitioners[static_cast<std::size_t>(partitioner_)];
}

}  // namespace skua::apps
