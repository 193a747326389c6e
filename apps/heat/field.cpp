// SPDX-License-Identifier: MIT
#include "apps/heat/field.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <vector>

#include "skua/parts/base/dice.hpp"

namespace skua::apps::heat {
namespace {

constexpr std::size_t lattice_cells = 40;  ///< between two points of the landscape's lattice

using index = std::ptrdiff_t;

index rows_of(field const& f) noexcept { return static_cast<index>(f.rows()); }
index columns_of(field const& f) noexcept { return static_cast<index>(f.columns()); }

}  // namespace

field field_of(picture const& shown) {
  field f(shown.height, shown.width);
  for (index i = 0; i < rows_of(f); ++i) {
    float const* const grey = shown.grey.data() + static_cast<std::size_t>(i) * shown.width;
    std::transform(grey, grey + shown.width, f.row(i), [](float g) { return 1.0F + g; });
  }
  frame(f);
  return f;
}

picture picture_of(field const& f) {
  picture shown{.width = f.columns(), .height = f.rows(), .grey = {}};
  shown.grey.reserve(shown.width * shown.height);
  for (index i = 0; i < rows_of(f); ++i) {
    std::transform(f.row(i), f.row(i) + columns_of(f), std::back_inserter(shown.grey),
                   [](float t) { return t - 1.0F; });
  }
  return shown;
}

field landscape(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  std::size_t const across = columns / lattice_cells + 2;
  std::vector<float> heights(across * (rows / lattice_cells + 2));
  runtime::dice random(seed);
  for (float& height : heights) height = static_cast<float>(random.unit());

  field f(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    float const* const above = heights.data() + i / lattice_cells * across;
    float const* const below = above + across;
    float const down = static_cast<float>(i % lattice_cells) / static_cast<float>(lattice_cells);
    for (std::size_t j = 0; j < columns; ++j) {
      std::size_t const l = j / lattice_cells;
      float const right = static_cast<float>(j % lattice_cells) / static_cast<float>(lattice_cells);
      float const high = above[l] + right * (above[l + 1] - above[l]);
      float const low = below[l] + right * (below[l + 1] - below[l]);
      f.row(static_cast<index>(i))[j] = 1.0F + (high + down * (low - high));
    }
  }
  frame(f);
  return f;
}

void copy(field const& from, field& to) {
  for (index i = -1; i <= rows_of(from); ++i) std::copy_n(from.row(i) - 1, columns_of(from) + 2, to.row(i) - 1);
}

void frame(field& f) {
  index const rows = rows_of(f);
  index const columns = columns_of(f);
  for (index i = 0; i < rows; ++i) {
    f.row(i)[-1] = f.row(i)[0];
    f.row(i)[columns] = f.row(i)[columns - 1];
  }
  std::copy_n(f.row(0) - 1, columns + 2, f.row(-1) - 1);
  std::copy_n(f.row(rows - 1) - 1, columns + 2, f.row(rows) - 1);
}

void plain_step(field const& from, field& to) {
  for (index i = 0; i < rows_of(from); ++i) {
    for (index j = 0; j < columns_of(from); ++j) {
      float const vertical = from.row(i - 1)[j] + from.row(i + 1)[j];
      float const horizontal = from.row(i)[j - 1] + from.row(i)[j + 1];
      float const centre = from.row(i)[j];
      to.row(i)[j] = centre + diffusivity * ((vertical + horizontal) - 4.0F * centre);
    }
  }
}

std::string difference(field const& got, field const& right) {
  for (index i = 0; i < rows_of(right); ++i) {
    if (std::memcmp(got.row(i), right.row(i), right.columns() * sizeof(float)) == 0) continue;
    index j = 0;
    while (std::memcmp(got.row(i) + j, right.row(i) + j, sizeof(float)) == 0) ++j;
    char text[128];
    std::snprintf(text, sizeof text, "cell (%td, %td) is %.9g, right is %.9g", i, j, static_cast<double>(got.row(i)[j]),
                  static_cast<double>(right.row(i)[j]));
    return text;
  }
  return {};
}

std::uint64_t checksum(field const& f) {
  std::uint64_t sum = 0xcbf2'9ce4'8422'2325ULL;
  for (index i = 0; i < rows_of(f); ++i) {
    for (index j = 0; j < columns_of(f); ++j) {
      auto const bits = std::bit_cast<std::uint32_t>(f.row(i)[j]);
      for (int byte = 0; byte < 4; ++byte) sum = (sum ^ ((bits >> (8 * byte)) & 255U)) * 0x100'0000'01b3ULL;
    }
  }
  return sum;
}

}  // namespace skua::apps::heat
