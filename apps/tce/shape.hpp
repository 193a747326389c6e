// SPDX-License-Identifier: MIT
// The index spaces of the tensor contraction  C[ijkl] += A[ijab] B[abkl]  as coupled-cluster programs make them. Each index
// belongs to one of four irreducible representations of a point group such as D2, in which products multiply like
// exclusive or. A tile of a tensor is non-zero only if its four representations multiply to 0. [retentive-hpdc12 7.1]
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace skua::apps::tce {

inline constexpr std::size_t representations = 4;
using extents = std::array<std::uint32_t, representations>;

/// An index in tiles. No tile crosses from one representation to the next; the last of each may be smaller.
class index_space {
 public:
  index_space() = default;
  /// Throws usage_error unless the tile is at least 1.
  index_space(extents const& per_representation, std::uint32_t tile);

  [[nodiscard]] std::uint32_t tiles() const noexcept { return static_cast<std::uint32_t>(sizes_.size()); }
  [[nodiscard]] std::uint32_t size(std::uint32_t t) const noexcept { return sizes_[t]; }
  [[nodiscard]] std::uint32_t first(std::uint32_t t) const noexcept { return firsts_[t]; }
  [[nodiscard]] std::uint32_t representation(std::uint32_t t) const noexcept { return representations_[t]; }
  /// Values of the index.
  [[nodiscard]] std::uint32_t extent() const noexcept { return extent_; }

 private:
  std::vector<std::uint32_t> sizes_;
  std::vector<std::uint32_t> firsts_;
  std::vector<std::uint32_t> representations_;
  std::uint32_t extent_ = 0;
};

/// The ranges of i, j, k and l, and of a and b.
struct shape {
  extents outer;
  extents inner;
  std::uint32_t tile;
};

/// The paper's: 470,357 non-zero tiles of C, 2,959,783 products of tiles, 251.4 Tflop; C alone would take 570 GB.
inline constexpr shape paper{.outer{240, 180, 100, 210}, .inner{20, 24, 20, 20}, .tile = 20};
/// A fifth of it in each direction: the same tiles and products, 16.5 Gflop, 0.9 GB.
inline constexpr shape reduced{.outer{48, 36, 20, 42}, .inner{4, 5, 4, 4}, .tile = 4};
/// 3, 2, 1 and 3 tiles of i.
inline constexpr shape small{.outer{12, 7, 4, 10}, .inner{4, 5, 4, 4}, .tile = 4};

inline constexpr std::array<std::string_view, 3> shape_names{"small", "reduced", "paper"};
inline constexpr std::array<shape, 3> shapes{small, reduced, paper};

}  // namespace skua::apps::tce
