// SPDX-License-Identifier: MIT
#include "apps/owned_array.hpp"

#include "apps/app.hpp"
#include "skua/skua.hpp"

namespace skua::apps {

void distribute(std::span<owned_array const> all, layout const& map) {
  if (!runtime::why_distribution_is_pointless(map).empty()) return;
  std::vector<memory::numa_id> const homes = memory::homes_of(map);
  for (owned_array const& each : all) {
    if (each.memory->homes() != homes) each.memory->distribute(each.shares(), map);
  }
}

std::vector<owned_range> ranges_of(std::span<owned_array const> all,
                                   std::span<std::span<std::byte const> const> unowned) {
  std::vector<owned_range> ranges;
  for (owned_array const& each : all) {
    auto const begin = reinterpret_cast<std::uintptr_t>(each.memory->bytes().data());
    for (memory::share const& part : each.shares()) {
      std::size_t const size = each.memory->element_bytes();
      if (part.count > 0)
        ranges.push_back({.address = begin + part.first * size, .bytes = part.count * size, .owner = part.place});
    }
  }
  for (std::span<std::byte const> const each : unowned) {
    if (!each.empty())
      ranges.push_back({.address = reinterpret_cast<std::uintptr_t>(each.data()), .bytes = each.size(), .owner = {}});
  }
  return ranges;
}

void app::place_data(pool& workers) { distribute(owned(workers.places()), workers.layout()); }

}  // namespace skua::apps
