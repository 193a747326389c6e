// SPDX-License-Identifier: MIT
#include "apps/tce/tile_places.hpp"

namespace skua::apps::tce {

tile_places::tile_places(spaces const& over) : over_(over) {
  std::array<std::size_t, representations> areas{};  // of the pairs (r, s) of each representation
  for (std::uint32_t r = 0; r < over[2]->tiles(); ++r) {
    for (std::uint32_t s = 0; s < over[3]->tiles(); ++s) {
      std::size_t& so_far = areas[pair(2, r, s)];
      before_.push_back(so_far);
      so_far += area(2, r, s);
    }
  }
  rows_.push_back(0);
  for (std::uint32_t p = 0; p < over[0]->tiles(); ++p) {
    for (std::uint32_t q = 0; q < over[1]->tiles(); ++q)
      rows_.push_back(rows_.back() + area(0, p, q) * areas[pair(0, p, q)]);
  }
}

}  // namespace skua::apps::tce
