// SPDX-License-Identifier: MIT
#include "skua/openmp/places.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "skua/openmp/last_words.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/topology/place_sets.hpp"
#include "skua/parts/topology/places.hpp"

namespace skua { inline namespace v0 { namespace openmp {

namespace {

using places_list = std::vector<runtime::cpu_mask>;
constexpr std::uint32_t most_processors = 1u << 16;

places_list places_of_words(settings const& s, std::string const& text) {
  runtime::topology const machine = runtime::topology::machine(s.usable);
  places_list all;
  for (runtime::place_set const& place : runtime::places_from(machine, "OMP_PLACES", text)) {
    runtime::cpu_mask& made = all.emplace_back();
    for (std::uint32_t const pu : place.pus) made.insert(machine.pus()[pu].os_index);
  }
  return all;
}

/// Without the processors that may not be used.
std::optional<places_list> usable_of(settings const& s, std::vector<std::vector<std::uint32_t>> const& listed) {
  places_list all;
  for (auto const& place : listed) {
    runtime::cpu_mask made;
    for (std::uint32_t const pu : place) {
      if (s.usable.contains(pu)) made.insert(pu);
    }
    if (!made.empty()) all.push_back(std::move(made));
  }
  if (all.empty()) {
    say_as_libgomp("None of the places contain usable logical CPUs");
    return std::nullopt;
  }
  if (all.size() < listed.size()) {
    say_as_libgomp("Number of places reduced from " + std::to_string(listed.size()) + " to " +
                   std::to_string(all.size()) + " because some places didn't contain any usable logical CPUs");
  }
  return all;
}

std::optional<places_list> places_in(settings const& s, std::string const& text) {
  try {
    runtime::places_spec const spec = runtime::read_places("OMP_PLACES", text);
    if (auto const* const listed = std::get_if<runtime::explicit_places>(&spec)) return usable_of(s, listed->places);
    return places_of_words(s, text);
  } catch (usage_error const&) {
    return std::nullopt;
  }
}

/// n, n-m or n-m:stride, with commas or blanks between them: a place for each processor.
std::optional<places_list> processors_in(settings const& s, std::string_view text) {
  std::vector<std::vector<std::uint32_t>> listed;
  char const* at = text.data();
  char const* const end = at + text.size();
  auto const number = [&](std::uint32_t& n) {
    auto const [behind, wrong] = std::from_chars(at, end, n);
    at = behind;
    return wrong == std::errc{} && n < most_processors;
  };
  auto const skip = [&](std::string_view what) {
    char const* const before = at;
    while (at != end && what.find(*at) != std::string_view::npos) ++at;
    return at != before;
  };
  skip(" \t");
  do {
    std::uint32_t first = 0;
    std::uint32_t stride = 1;
    if (!number(first)) return std::nullopt;
    std::uint32_t last = first;
    if (at != end && *at == '-') {
      ++at;
      if (!number(last) || last < first) return std::nullopt;
      if (at != end && *at == ':') {
        ++at;
        if (!number(stride) || stride == 0) return std::nullopt;
      }
    }
    for (std::uint32_t pu = first; pu <= last; pu += stride) listed.push_back({pu});
    if (listed.size() > most_processors) return std::nullopt;
  } while (skip(" \t,") && at != end);
  return at == end ? usable_of(s, listed) : std::nullopt;
}

}  // namespace

void read_places(settings& s, bool says_binding) {
  std::optional<places_list> found;
  auto const read = [&](char const* name, auto const& parse) {
    char const* const text = std::getenv(name);
    if (text == nullptr || found) return;
    found = parse(s, text);
    if (!found) say_as_libgomp("Invalid value for environment variable " + std::string(name));
  };
  read("OMP_PLACES", [](settings const& t, std::string const& text) { return places_in(t, text); });
  read("GOMP_CPU_AFFINITY", [](settings const& t, std::string_view text) { return processors_in(t, text); });
  if (found && !says_binding) s.bind_of_level = {proc_bind::yes};
  if (!found && s.bind_of_level.front() != proc_bind::no) found = places_of_words(s, "threads");
  if (found) s.places = std::move(*found);
}

std::string text_of_place(runtime::cpu_mask const& place) {
  std::vector<std::uint32_t> const all = place.members();
  std::string text;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t run = 1;
    while (i + run < all.size() && all[i + run] == all[i] + run) ++run;
    text += (text.empty() ? "{" : ",") + std::to_string(all[i]);
    if (run > 1) text += ':' + std::to_string(run);
    i += run;
  }
  return text + '}';
}

std::string places_for_pool(settings const& s) {
  std::string text;
  runtime::cpu_mask seen;
  std::uint32_t count = 0;
  for (runtime::cpu_mask const& place : s.places) {
    for (std::uint32_t const pu : place.members()) seen.insert(pu);
    count += place.size();
    if (seen.size() != count) return "ll_caches";
    text += (text.empty() ? "" : ",") + text_of_place(place);
  }
  return text.empty() ? "ll_caches" : text;
}

}}}  // namespace skua::v0::openmp
