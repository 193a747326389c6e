// SPDX-License-Identifier: MIT
// OMP_DISPLAY_ENV and omp_display_env: the control variables as the environment has set them, on stderr, in libgomp's form. [OpenMP 5.0, 6.12]
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>

#include "skua/openmp/binding.hpp"
#include "skua/openmp/places.hpp"

namespace omp = skua::openmp;

namespace {

constexpr std::int32_t no_limit = 0x7fffffff;

char const* text_of(bool on) { return on ? "TRUE" : "FALSE"; }

std::string text_of(omp::loop_schedule const& s) {
  static constexpr std::array kinds{"STATIC", "DYNAMIC", "GUIDED", "AUTO"};
  bool const is_fixed = s.kind == omp::loop_kind::fixed;
  std::string text = s.is_monotonic == is_fixed ? "" : s.is_monotonic ? "MONOTONIC:" : "NONMONOTONIC:";
  text += kinds.at(static_cast<std::size_t>(s.kind) - 1);
  bool const has_chunk = s.kind != omp::loop_kind::automatic && s.chunk != (is_fixed ? 0 : 1);
  return has_chunk ? text + ',' + std::to_string(s.chunk) : text;
}

/// Each item's text, with commas between them.
template <class Items, class Text>
std::string list(Items const& items, Text const& text_of_item) {
  std::string all;
  for (auto const& item : items) all += (all.empty() ? "" : ",") + std::string(text_of_item(item));
  return all;
}

char const* name_of(omp::proc_bind b) {
  static constexpr std::array names{"FALSE", "TRUE", "MASTER", "CLOSE", "SPREAD"};
  return names.at(static_cast<std::size_t>(b));
}

char const* name_of(omp::offload o) {
  static constexpr std::array names{"DEFAULT", "MANDATORY", "DISABLED"};
  return names.at(static_cast<std::size_t>(o));
}

std::string threads_of(omp::settings const& s) {
  if (s.threads_of_level.empty()) return std::to_string(s.initial.threads);
  return list(s.threads_of_level, [](std::uint32_t n) { return std::to_string(n); });
}

std::string allocator_of(omp::settings const& s) {
  return std::string(omp::allocator_names.at(s.initial.allocator - 1));
}

std::string environment_text(omp::settings const& s, bool is_verbose) {
  std::string text = "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n";
  auto const line = [&text](std::string_view name, std::string const& value) {
    text.append("  ").append(name).append(" = '").append(value).append("'\n");
  };
  auto const number = [&line](std::string_view name, std::uint64_t n) { line(name, std::to_string(n)); };
  omp::control const& v = s.initial;
  line("_OPENMP", "201511");
  line("OMP_DYNAMIC", text_of(v.is_dynamic));
  line("OMP_NESTED", text_of(v.max_active_levels > 1));
  line("OMP_NUM_THREADS", threads_of(s));
  line("OMP_SCHEDULE", text_of(v.run_time));
  line("OMP_PROC_BIND", list(s.bind_of_level, [](omp::proc_bind b) { return name_of(b); }));
  line("OMP_PLACES", list(s.places, [](auto const& p) { return omp::text_of_place(p); }));
  number("OMP_STACKSIZE", s.stack_bytes);
  line("OMP_WAIT_POLICY", s.policy == omp::waiting::active ? "ACTIVE" : "PASSIVE");
  number("OMP_THREAD_LIMIT", v.thread_limit == no_limit ? 0xffff'ffffu : v.thread_limit);
  number("OMP_MAX_ACTIVE_LEVELS", static_cast<std::uint64_t>(v.max_active_levels));
  number("OMP_NUM_TEAMS", static_cast<std::uint64_t>(v.teams));
  number("OMP_TEAMS_THREAD_LIMIT", static_cast<std::uint64_t>(v.teams_thread_limit));
  line("OMP_CANCELLATION", text_of(s.can_cancel));
  number("OMP_DEFAULT_DEVICE", static_cast<std::uint64_t>(v.default_device));
  number("OMP_MAX_TASK_PRIORITY", static_cast<std::uint64_t>(s.max_task_priority));
  line("OMP_DISPLAY_AFFINITY", text_of(s.displays_affinity));
  line("OMP_AFFINITY_FORMAT", s.affinity_format);
  line("OMP_ALLOCATOR", allocator_of(s));
  line("OMP_TARGET_OFFLOAD", name_of(s.targets));
  if (is_verbose) {
    line("GOMP_CPU_AFFINITY", "");
    number("GOMP_STACKSIZE", s.stack_bytes);
  }
  return text + "OPENMP DISPLAY ENVIRONMENT END\n";
}

/// The thread that loads the library is bound before main, so that all threads which it starts are. A process without these variables reads nothing.
[[gnu::constructor]] void begin_with_the_environment() {
  bool is_asked = false;
  for (char const* const name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "OMP_DISPLAY_ENV"})
    is_asked = is_asked || std::getenv(name) != nullptr;
  if (!is_asked) return;
  omp::settings const& s = omp::the_settings();
  if (!s.places.empty()) static_cast<void>(omp::position_here());
  if (s.environment == omp::settings::display::none) return;
  std::string const text = environment_text(s, s.environment == omp::settings::display::verbose);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

extern "C" {

void omp_display_env(int is_verbose) {
  std::string const text = environment_text(omp::the_settings(), is_verbose != 0);
  std::fwrite(text.data(), 1, text.size(), stderr);
}
void omp_display_env_(std::int32_t const* is_verbose) { omp_display_env(*is_verbose); }
void omp_display_env_8_(std::int64_t const* is_verbose) { omp_display_env(*is_verbose != 0); }

}  // extern "C"
