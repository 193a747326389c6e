// SPDX-License-Identifier: MIT
#include "skua/parts/topology/core_kinds.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "skua/parts/topology/reading.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

/// Kinds whose speed is this part of a faster one's, or more, are as fast as it.
constexpr double alike_from = 0.9;

std::string_view fact_of(core_kind_details const& kind, std::string_view name) {
  auto const at = std::ranges::find(kind.facts, name, [](auto const& fact) { return std::string_view{fact.first}; });
  return at == kind.facts.end() ? std::string_view{} : std::string_view{at->second};
}

/// 0: not known.
double number_of(core_kind_details const& kind, std::string_view name) {
  std::string_view const text = fact_of(kind, name);
  std::uint32_t value = 0;
  auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  return wrong == std::errc{} && end == text.data() + text.size() ? value : 0;
}

double frequency_of(core_kind_details const& kind) {
  double const highest = number_of(kind, "FrequencyMaxMHz");
  double const frequency = highest > 0 ? highest : number_of(kind, "FrequencyBaseMHz");
  return fact_of(kind, "CoreType") == "IntelAtom" ? frequency * small_core_per_cycle : frequency;
}

/// By kind, in any unit; empty: not known.
std::vector<double> known_speeds(std::span<core_kind_details const> kinds) {
  std::vector<double> capacities;
  std::vector<double> frequencies;
  for (core_kind_details const& kind : kinds) {
    capacities.push_back(number_of(kind, "LinuxCapacity"));
    frequencies.push_back(frequency_of(kind));
  }
  auto const is_known = [](std::vector<double> const& all) { return std::ranges::min(all) > 0; };
  auto const differs = [](std::vector<double> const& all) { return std::ranges::min(all) < std::ranges::max(all); };
  if (kinds.size() < 2) return {};
  if (is_known(capacities) && differs(capacities)) return capacities;
  return is_known(frequencies) ? frequencies : std::vector<double>{};
}

/// Each kind gets the speed of the fastest one that it is alike to, as a part of the fastest of all.
void group(std::vector<double>& speeds) {
  std::vector<std::size_t> order(speeds.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, std::greater{}, [&](std::size_t i) { return speeds[i]; });
  double const fastest = speeds[order.front()];
  double first = fastest;
  for (std::size_t const i : order) {
    if (speeds[i] < alike_from * first) first = speeds[i];
    speeds[i] = first / fastest;
  }
}

std::string name_of(std::size_t rank, std::size_t kinds) {
  if (kinds == 1) return {};
  if (rank == 0) return "performance";
  if (rank + 1 == kinds) return "efficiency";
  return kinds == 3 ? "middle" : "middle " + std::to_string(rank);
}

}  // namespace

void set_speeds(std::span<core_kind_details const> kinds, topology_reading& read) {
  std::vector<double> speeds = known_speeds(kinds);
  if (speeds.empty()) return;
  group(speeds);
  std::unordered_map<std::uint32_t, double> of_pu;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    for (std::uint32_t const pu : kinds[k].pus.members()) of_pu.emplace(pu, speeds[k]);
  }
  if (!std::ranges::all_of(read.pus, [&](topology_pu const& pu) { return of_pu.contains(pu.os_index); })) return;
  for (topology_pu& pu : read.pus) pu.speed = of_pu.at(pu.os_index);
}

void set_speeds(std::span<double const> speed_of_pu, topology_reading& read) {
  std::set<double> const distinct(speed_of_pu.begin(), speed_of_pu.end());
  if (distinct.size() < 2) return;
  for (std::size_t i = 0; i < read.pus.size(); ++i) {
    read.pus[i].speed = speed_of_pu[i] / *distinct.rbegin();
    read.pus[i].efficiency = static_cast<int>(std::distance(distinct.begin(), distinct.find(speed_of_pu[i])));
  }
}

std::vector<core_kind> core_kinds_of(topology const& machine) {
  std::map<double, core_kind, std::greater<>> by_speed;
  std::set<std::uint32_t> cores;
  for (std::uint32_t i = 0; i < machine.pus().size(); ++i) {
    topology_pu const& pu = machine.pus()[i];
    core_kind& kind = by_speed[pu.speed];
    kind.pus.insert(pu.os_index);
    std::uint32_t const core = machine.ancestor(i, level::core);
    if (core == no_index || cores.insert(core).second) ++kind.cores;
  }
  std::vector<core_kind> all;
  for (auto& [speed, kind] : by_speed) {
    kind.speed = speed;
    kind.name = name_of(all.size(), by_speed.size());
    all.push_back(std::move(kind));
  }
  return all;
}

std::string core_kinds_text(topology const& machine) {
  std::vector<core_kind> const kinds = core_kinds_of(machine);
  if (kinds.size() < 2) return {};
  std::string text;
  for (core_kind const& kind : kinds) {
    char speed[32] = "";
    if (!text.empty()) std::snprintf(speed, sizeof speed, " (speed %.2g)", kind.speed);
    char const* const cores = !text.empty() ? "" : kind.cores == 1 ? " core" : " cores";
    text += (text.empty() ? "" : ", ") + std::to_string(kind.cores) + cores + " of kind " + kind.name + speed;
  }
  return text;
}

std::string worker_speeds_text(layout const& where) {
  std::map<double, cpu_mask, std::greater<>> by_speed;
  for (std::uint32_t w = 0; w < where.workers(); ++w) by_speed[where.speed_of(worker_id{w})].insert(w);
  if (by_speed.size() < 2) return {};
  std::string text;
  for (auto const& [speed, workers] : by_speed) {
    char number[32];
    std::snprintf(number, sizeof number, text.empty() ? " at speed %.2g" : " at %.2g", speed);
    text += (text.empty() ? "workers " : ", ") + to_text(workers) + number;
  }
  return text;
}

}}}  // namespace skua::v0::runtime
