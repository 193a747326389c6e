// SPDX-License-Identifier: MIT
// Kinds of cores in hwloc's XML: efficient and fast ones of a hybrid processor.
#include <algorithm>
#include <optional>
#include <string>
#include <tuple>

#include "skua/parts/topology/core_kinds.hpp"
#include "skua/parts/topology/xml_words.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

/// The key that ranks a kind of core, lowest first: the forced efficiency, Intel's type, the frequency.
std::optional<std::tuple<std::uint64_t, int, std::uint64_t>> rank_of(xml_element const& kind) {
  if (kind.has("forced_efficiency"))
    return std::tuple{xml_number(kind.attribute("forced_efficiency"), "forced_efficiency"), 0, std::uint64_t{0}};
  std::optional<int> type;
  std::uint64_t frequency = 0;
  for (xml_element const& info : kind.children) {
    std::string_view const name = info.attribute("name");
    std::string_view const value = info.attribute("value");
    if (name == "CoreType" && value == "IntelAtom") type = 0;
    if (name == "CoreType" && value == "IntelCore") type = 1;
    if (name == "FrequencyMaxMHz") frequency = xml_number(value, "FrequencyMaxMHz");
    if (name == "FrequencyBaseMHz" && frequency == 0) frequency = xml_number(value, "FrequencyBaseMHz");
  }
  if (!type && frequency == 0) return std::nullopt;
  return std::tuple{std::uint64_t{0}, type.value_or(0), frequency};
}

/// Sorted by rank. As hwloc does: if one kind cannot be ranked, or two rank alike, none is ranked; a single kind has rank 0.
std::vector<xml_element const*> sorted_kinds(xml_element const& root, bool& is_ranked) {
  std::vector<xml_element const*> kinds;
  for (xml_element const& child : root.children) {
    if (child.name == "cpukind") kinds.push_back(&child);
  }
  auto const rank = [](xml_element const* kind) { return rank_of(*kind); };
  std::ranges::sort(kinds, {}, rank);
  is_ranked = kinds.size() < 2 ||
              (rank(kinds.front()).has_value() && std::ranges::adjacent_find(kinds, {}, rank) == kinds.end());
  return kinds;
}

}  // namespace

void collect_core_kinds(xml_element const& root, topology_reading& read, machine_details& details) {
  bool is_ranked = false;
  int efficiency = 0;
  for (xml_element const* const kind : sorted_kinds(root, is_ranked)) {
    core_kind_details made{.efficiency = is_ranked ? efficiency++ : -1};
    cpu_mask const members = xml_set(*kind, "cpuset");
    for (topology_pu& pu : read.pus) {
      if (!members.contains(pu.os_index)) continue;
      made.pus.insert(pu.os_index);
      pu.efficiency = made.efficiency;
    }
    for (xml_element const& info : kind->children) {
      if (info.name == "info")
        made.facts.emplace_back(xml_text(info.attribute("name")), xml_text(info.attribute("value")));
    }
    if (!made.pus.empty()) details.core_kinds.push_back(std::move(made));
  }
  set_speeds(details.core_kinds, read);
}

}}}  // namespace skua::v0::runtime
