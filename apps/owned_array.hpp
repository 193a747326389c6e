// SPDX-License-Identifier: MIT
// Which part of an app's memory belongs to which place: stated once, for threads, which move the pages there before a
// run, and for the simulator, which places its pages by it. [numa-ws-2018 III-A]
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "apps/place_range.hpp"
#include "apps/placed_array.hpp"
#include "skua/parts/memory/shares.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/program/task_tree.hpp"

namespace skua::apps {

struct owned_array {
  placed_memory* memory = nullptr;
  std::function<std::vector<memory::share>()>
      shares;  ///< of the elements, all of them, in order; asked when they are needed
};

/// The shares where n things lie in a row, owned as `places` says, and thing i begins with element first_element(i),
/// 0 <= i <= n. Without places the first one gets all.
template <class FirstElement>
[[nodiscard]] std::vector<memory::share> shares_of(place_range const& places, std::size_t n,
                                                   FirstElement const& first_element) {
  if (places.count == 0) return {{.place = place_id{0}, .first = first_element(0), .count = first_element(n)}};
  std::vector<memory::share> all;
  for (std::uint32_t p = places.first; p < places.first + places.count; ++p) {
    std::size_t const begin = first_element(places.first_of(p, n));
    all.push_back({.place = place_id{p}, .first = begin, .count = first_element(places.first_of(p + 1, n)) - begin});
  }
  return all;
}

/// Moves the arrays to their owners, unless they are there already, or where that is pointless. Throws resource_error.
void distribute(std::span<owned_array const> all, layout const& map);

/// The same as ranges of addresses, where the arrays are now; and memory without an owner.
[[nodiscard]] std::vector<owned_range> ranges_of(std::span<owned_array const> all,
                                                 std::span<std::span<std::byte const> const> unowned = {});

}  // namespace skua::apps
