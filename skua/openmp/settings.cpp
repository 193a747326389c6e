// SPDX-License-Identifier: MIT
#include "skua/openmp/settings.hpp"

#include <sched.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "skua/openmp/last_words.hpp"
#include "skua/openmp/places.hpp"
#include "skua/parts/topology/affinity.hpp"
#include "skua/parts/topology/cgroup.hpp"

namespace skua { inline namespace v0 { namespace openmp {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> number_in(std::string_view text) {
  text = trimmed(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  std::int64_t value = 0;
  auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_word(std::string_view text, std::string_view word) {
  return text.size() == word.size() && ::strncasecmp(text.data(), word.data(), word.size()) == 0;
}

std::optional<bool> truth_in(std::string_view text) {
  if (is_word(text, "true") || is_word(text, "1")) return true;
  if (is_word(text, "false") || is_word(text, "0")) return false;
  return std::nullopt;
}

/// 64k, 2 M, 1g, 100b; kibibytes without a unit.
std::optional<std::uint64_t> bytes_in(std::string_view text) {
  unsigned shift = 10;
  if (!text.empty() && std::isalpha(static_cast<unsigned char>(text.back())) != 0) {
    switch (std::tolower(static_cast<unsigned char>(text.back()))) {
      case 'b': shift = 0; break;
      case 'k': shift = 10; break;
      case 'm': shift = 20; break;
      case 'g': shift = 30; break;
      default: return std::nullopt;
    }
    text.remove_suffix(1);
  }
  auto const n = number_in(text);
  if (!n || *n < 0 || static_cast<std::uint64_t>(*n) > (~std::uint64_t{0} >> shift)) return std::nullopt;
  return static_cast<std::uint64_t>(*n) << shift;
}

std::optional<loop_schedule> schedule_in(std::string_view text) {
  loop_schedule s;
  bool states_order = false;
  if (auto const colon = text.find(':'); colon != std::string_view::npos) {
    std::string_view const order = trimmed(text.substr(0, colon));
    if (!is_word(order, "monotonic") && !is_word(order, "nonmonotonic")) return std::nullopt;
    states_order = true;
    s.is_monotonic = is_word(order, "monotonic");
    text = trimmed(text.substr(colon + 1));
  }
  auto const comma = text.find(',');
  std::string_view const kind = trimmed(text.substr(0, comma));
  if (is_word(kind, "static")) {
    s.kind = loop_kind::fixed;
  } else if (is_word(kind, "dynamic")) {
    s.kind = loop_kind::dynamic;
  } else if (is_word(kind, "guided")) {
    s.kind = loop_kind::guided;
  } else if (is_word(kind, "auto")) {
    s.kind = loop_kind::automatic;
  } else {
    return std::nullopt;
  }
  if (!states_order) s.is_monotonic = s.kind == loop_kind::fixed;
  s.chunk = s.kind == loop_kind::fixed ? 0 : 1;
  if (comma != std::string_view::npos) {
    auto const chunk = number_in(text.substr(comma + 1));
    if (!chunk || *chunk < 0 || *chunk > 0x7fffffff) return std::nullopt;
    if (*chunk > 0 || s.kind == loop_kind::fixed) s.chunk = *chunk;
  }
  return s;
}

/// Calls take(value) with a variable that is set, and reports the variable if it returns false.
template <class Take>
void read_variable(char const* name, Take const& take) {
  char const* const text = std::getenv(name);
  if (text == nullptr) return;
  if (!take(trimmed(text))) say_as_libgomp("Invalid value for environment variable " + std::string(name));
}

template <class To>
auto into(To& to, std::int64_t least, std::int64_t most = 0x7fffffff) {
  return [&to, least, most](std::string_view text) {
    auto const n = number_in(text);
    if (!n || *n < least || *n > most) return false;
    to = static_cast<To>(*n);
    return true;
  };
}
auto into(bool& to) {
  return [&to](std::string_view text) {
    auto const known = truth_in(text);
    if (known) to = *known;
    return known.has_value();
  };
}

std::uint32_t processors_now() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  long count = ::sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : ::sysconf(_SC_NPROCESSORS_ONLN);
  if (auto const quota = runtime::read_cpu_quota().whole_cpus()) count = std::min<long>(count, *quota);
  return static_cast<std::uint32_t>(std::max(count, 1L));
}

bool take_threads(settings& s, std::string_view text) {
  std::vector<std::uint32_t> all;
  for (;;) {
    auto const comma = text.find(',');
    auto const n = number_in(text.substr(0, comma));
    if (!n || *n < 1 || *n > 0x7fffffff) return false;
    all.push_back(static_cast<std::uint32_t>(*n));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  s.initial.threads = all.front();
  if (all.size() > 1) s.threads_of_level = std::move(all);
  return true;
}

void read_levels(settings& s) {
  bool is_nested = false;
  bool const says_nested = std::getenv("OMP_NESTED") != nullptr;
  read_variable("OMP_NESTED", into(is_nested));
  bool const is_list = s.threads_of_level.size() > 1 || s.bind_of_level.size() > 1;
  constexpr std::int32_t supported = 255;
  if (is_nested || (is_list && !says_nested)) s.initial.max_active_levels = supported;
  read_variable("OMP_MAX_ACTIVE_LEVELS", into(s.initial.max_active_levels, 0));
  s.initial.max_active_levels = std::min(s.initial.max_active_levels, supported);
}

bool take_binding(settings& s, std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, proc_bind>, 6> known{{{"false", proc_bind::no},
                                                                                {"true", proc_bind::yes},
                                                                                {"master", proc_bind::primary},
                                                                                {"primary", proc_bind::primary},
                                                                                {"close", proc_bind::close},
                                                                                {"spread", proc_bind::spread}}};
  std::vector<proc_bind> all;
  for (;;) {
    auto const comma = text.find(',');
    std::string_view const word = trimmed(text.substr(0, comma));
    auto const* const found = std::ranges::find_if(known, [&](auto const& k) { return is_word(word, k.first); });
    if (found == known.end()) return false;
    all.push_back(found->second);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  if (all.size() > 1 && std::ranges::any_of(all, [](proc_bind b) { return b <= proc_bind::yes; })) return false;
  s.bind_of_level = std::move(all);
  return true;
}

/// Displays, allocator, devices.
void read_rest(settings& s) {
  read_variable("OMP_DISPLAY_AFFINITY", into(s.displays_affinity));
  if (char const* const format = std::getenv("OMP_AFFINITY_FORMAT")) s.affinity_format = format;
  read_variable("OMP_DISPLAY_ENV", [&s](std::string_view text) {
    auto const known = truth_in(text);
    bool const is_verbose = is_word(text, "verbose");
    if (is_verbose || (known && *known))
      s.environment = is_verbose ? settings::display::verbose : settings::display::standard;
    return is_verbose || known;
  });
  read_variable("OMP_TARGET_OFFLOAD", [&s](std::string_view text) {
    if (is_word(text, "mandatory")) s.targets = offload::mandatory;
    if (is_word(text, "disabled")) s.targets = offload::disabled;
    return is_word(text, "default") || s.targets != offload::allowed;
  });
  read_variable("OMP_ALLOCATOR", [&s](std::string_view text) {
    auto const* const found =
        std::ranges::find_if(allocator_names, [&](std::string_view name) { return is_word(text, name); });
    if (found == allocator_names.end()) return false;
    s.initial.allocator = static_cast<std::uintptr_t>(found - allocator_names.begin()) + 1;
    return true;
  });
}

void read_all(settings& s) {
  s.processors = processors_now();
  s.initial.threads = s.processors;
  read_variable("OMP_NUM_THREADS", [&s](std::string_view text) { return take_threads(s, text); });
  read_variable("OMP_DYNAMIC", into(s.initial.is_dynamic));
  bool says_binding = false;
  read_variable("OMP_PROC_BIND", [&](std::string_view text) { return says_binding = take_binding(s, text); });
  read_levels(s);
  read_variable("OMP_THREAD_LIMIT", into(s.initial.thread_limit, 1));
  read_variable("OMP_SCHEDULE", [&s](std::string_view text) {
    auto const known = schedule_in(text);
    if (known) s.initial.run_time = *known;
    return known.has_value();
  });
  auto const take_stack = [&s](std::string_view text) {
    auto const bytes = bytes_in(text);
    if (bytes) s.stack_bytes = *bytes;
    return bytes.has_value();
  };
  read_variable("GOMP_STACKSIZE", take_stack);
  read_variable("OMP_STACKSIZE", take_stack);
  read_variable("OMP_WAIT_POLICY", [&s](std::string_view text) {
    s.policy = is_word(text, "active") ? waiting::active : is_word(text, "passive") ? waiting::passive : waiting::unset;
    return s.policy != waiting::unset;
  });
  read_variable("OMP_CANCELLATION", into(s.can_cancel));
  read_variable("OMP_MAX_TASK_PRIORITY", into(s.max_task_priority, 0));
  read_variable("OMP_DEFAULT_DEVICE", into(s.initial.default_device, 0));
  read_variable("OMP_NUM_TEAMS", into(s.initial.teams, 1));
  read_variable("OMP_TEAMS_THREAD_LIMIT", into(s.initial.teams_thread_limit, 1));
  read_rest(s);
  char const* const trace = std::getenv("SKUA_TRACE");
  s.is_traced = trace != nullptr && *trace != '\0';
  s.usable = runtime::affinity_of_this_thread();
  if (!says_binding || s.bind_of_level.front() != proc_bind::no) read_places(s, says_binding);
  s.initial.binding = s.places.empty() ? proc_bind::no : s.bind_of_level.front();
}

}  // namespace

settings settings::read() noexcept {
  settings s;
  try {
    read_all(s);
  } catch (std::exception const&) {  // no memory: what was read so far
  }
  return s;
}

settings const& the_settings() noexcept {
  static settings const* const known = new settings(settings::read());  // never destroyed: exit handlers may ask
  return *known;
}

}}}  // namespace skua::v0::openmp
