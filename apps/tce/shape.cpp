// SPDX-License-Identifier: MIT
#include "apps/tce/shape.hpp"

#include <algorithm>

#include "apps/checks.hpp"

namespace skua::apps::tce {

index_space::index_space(extents const& per_representation, std::uint32_t tile) {
  require_between("tce: the tile", std::int64_t{tile}, 1, std::int64_t{1} << 30);
  for (std::uint32_t r = 0; r < representations; ++r) {
    for (std::uint32_t done = 0; done < per_representation[r]; done += tile) {
      sizes_.push_back(std::min(tile, per_representation[r] - done));
      firsts_.push_back(extent_ + done);
      representations_.push_back(r);
    }
    extent_ += per_representation[r];
  }
}

}  // namespace skua::apps::tce
