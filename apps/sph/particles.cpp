// SPDX-License-Identifier: MIT
#include "apps/sph/particles.hpp"

namespace skua::apps::sph {
namespace {

/// Some of the particles near a leaf, coordinate by coordinate: copied once per leaf,
/// then read for each of its particles.
template <std::size_t D>
class candidates {
 public:
  static constexpr std::size_t most = 256;

  /// Calls meet() for every full load of particles within the radius of the leaf,
  /// and for the rest, in the tree's order.
  template <class Meet>
  void for_each_load(particles<D> const& p, node<D> const& leaf, Meet meet) noexcept {
    box<D> const wide = leaf.around.widened(p.water.radius());
    for (range const& near : p.tree.near_leaves(leaf)) {
      for (std::uint32_t j = near.first; j < near.end; ++j) {
        vec<D> const& at = p.bodies[j].at;
        for (std::size_t d = 0; d < D; ++d) at_[d][count_] = at[d];
        index_[count_] = j;
        count_ += wide.contains(at) ? 1U : 0U;
        if (count_ < most) continue;
        meet();
        count_ = 0;
      }
    }
    meet();
  }

  /// Calls f(squared distance, k) for every candidate k closer than the radius, itself included, in order.
  template <class F>
  void for_each_within(double radius, vec<D> const& at, F f) const noexcept {
    double squared[most];
    for (std::size_t k = 0; k < count_; ++k) {
      double sum = 0;
      for (std::size_t d = 0; d < D; ++d) sum += (at[d] - at_[d][k]) * (at[d] - at_[d][k]);
      squared[k] = sum;
    }
    std::uint32_t close[most + 1];
    std::size_t found = 0;
    for (std::size_t k = 0; k < count_; ++k) {  // without a branch: few are close, and nobody can predict which
      close[found] = static_cast<std::uint32_t>(k);
      found += squared[k] < radius * radius ? 1U : 0U;
    }
    for (std::size_t n = 0; n < found; ++n) f(squared[close[n]], close[n]);
  }

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] vec<D> at(std::size_t k) const noexcept {
    vec<D> point{};
    for (std::size_t d = 0; d < D; ++d) point[d] = at_[d][k];
    return point;
  }
  [[nodiscard]] std::uint32_t index(std::size_t k) const noexcept { return index_[k]; }

 private:
  double at_[D][most];
  std::uint32_t index_[most];
  std::size_t count_ = 0;
};

template <std::size_t D>
void densities(particles<D>& p, node<D> const& leaf) noexcept {
  for (std::uint32_t i = leaf.own.first; i < leaf.own.end; ++i) p.states[i].density = 0;
  candidates<D> near;
  near.for_each_load(p, leaf, [&] {
    for (std::uint32_t i = leaf.own.first; i < leaf.own.end; ++i) {
      double sum = p.states[i].density;
      near.for_each_within(p.water.radius(), p.bodies[i].at,
                           [&](double squared, std::size_t) { sum += p.water.weight(squared); });
      p.states[i].density = sum;
    }
  });
  for (std::uint32_t i = leaf.own.first; i < leaf.own.end; ++i) {
    double const density = p.water.mass() * p.states[i].density;
    p.states[i] = {.density = density, .pressure = fluid<D>::pressure(density) / (density * density)};
  }
}

template <std::size_t D>
void forces(particles<D>& p, node<D> const& leaf) noexcept {
  for (std::uint32_t i = leaf.own.first; i < leaf.own.end; ++i) p.accelerations[i] = {};
  candidates<D> near;
  near.for_each_load(p, leaf, [&] {
    vec<D> velocity[candidates<D>::most];
    double pressure[candidates<D>::most];
    for (std::size_t k = 0; k < near.count(); ++k) {
      velocity[k] = p.bodies[near.index(k)].velocity;
      pressure[k] = p.states[near.index(k)].pressure;
    }
    for (std::uint32_t i = leaf.own.first; i < leaf.own.end; ++i) {
      body<D> const& self = p.bodies[i];
      vec<D> sum = p.accelerations[i];
      near.for_each_within(p.water.radius(), self.at, [&](double squared, std::size_t k) {
        vec<D> const apart = self.at - near.at(k);
        double const approach = dot(self.velocity - velocity[k], apart);
        add(sum, p.water.push(squared, p.states[i].pressure + pressure[k], approach), apart);
      });
      p.accelerations[i] = sum;
    }
  });
  for (std::uint32_t i = leaf.own.first; i < leaf.own.end; ++i) {
    for (double& a : p.accelerations[i]) a *= p.water.mass();
  }
}

}  // namespace

template <std::size_t D>
void interact(particles<D>& p, node<D> const& leaf, pass which) noexcept {
  return which == pass::densities ? densities(p, leaf) : forces(p, leaf);
}

template void interact(particles<2>& p, node<2> const& leaf, pass which) noexcept;
template void interact(particles<3>& p, node<3> const& leaf, pass which) noexcept;

}  // namespace skua::apps::sph
