// SPDX-License-Identifier: MIT
// The water as a picture: every particle covers a square (a cube) a little larger than its share of space.
#include <algorithm>
#include <cmath>

#include "apps/sph/problem.hpp"

namespace skua::apps::sph {
namespace {

constexpr double pixels_per_spacing = 2;
constexpr double side_in_spacings = 1.3;  ///< of a particle: water has no holes
constexpr float grey_of_walls = 0.35F;

/// The covered share of each pixel.
class canvas {
 public:
  canvas(std::size_t width, std::size_t height) : width_(width), height_(height), covered_(width * height, 0.0F) {}

  /// Adds a particle's square around (x, y); y points up. Cuts off what lies outside.
  void cover(double x, double y) {
    double const half = side_in_spacings * pixels_per_spacing / 2;
    for_cells(x - half, x + half, width_, [&](std::size_t i, double across) {
      for_cells(y - half, y + half, height_, [&](std::size_t j, double up) {
        covered_[(height_ - 1 - j) * width_ + i] += static_cast<float>(across * up);
      });
    });
  }
  [[nodiscard]] float at(std::size_t pixel) const noexcept { return covered_[pixel]; }

 private:
  /// Calls f(cell, overlap) for the unit cells that [low, high) overlaps.
  template <class F>
  static void for_cells(double low, double high, std::size_t cells, F f) {
    low = std::max(low, 0.0);
    high = std::min(high, static_cast<double>(cells));
    for (double cell = std::floor(low); cell < high; ++cell) {
      f(static_cast<std::size_t>(cell), std::min(cell + 1, high) - std::max(cell, low));
    }
  }

  std::size_t width_;
  std::size_t height_;
  std::vector<float> covered_;
};

}  // namespace

template <std::size_t D>
picture picture_of(problem<D> const& p) {
  sph::tank<D> const& t = p.tank();
  vec<D> const corner = t.within().low;
  auto const pixels = [](int spacings) { return static_cast<std::size_t>(spacings * pixels_per_spacing); };
  std::size_t const width = pixels(t.inside.high[0] - t.inside.low[0] + 2 * wall_layers);
  std::size_t const height = pixels(t.inside.high[D - 1] - t.inside.low[D - 1] + wall_layers);
  double const depth = D == 2 ? 1 : t.inside.high[1] - t.inside.low[1];

  canvas water(width, height);
  canvas walls(width, height);
  for (body<D> const& b : p.now().bodies) {
    double const x = ((b.at[0] - corner[0]) / t.spacing + 0.5) * pixels_per_spacing;
    double const y = ((b.at[D - 1] - corner[D - 1]) / t.spacing + 0.5) * pixels_per_spacing;
    (b.id < p.water() ? water : walls).cover(x, y);
  }
  picture shown{.width = width, .height = height, .grey = std::vector<float>(width * height)};
  for (std::size_t i = 0; i < shown.grey.size(); ++i) {
    auto const share = static_cast<float>(depth);
    shown.grey[i] = std::max(std::min(1.0F, water.at(i) / share), grey_of_walls * std::min(1.0F, walls.at(i) / share));
  }
  return shown;
}

template picture picture_of(problem<2> const& p);
template picture picture_of(problem<3> const& p);

}  // namespace skua::apps::sph
