// SPDX-License-Identifier: MIT
// Checks the answer of sph: it has the bits of the serial run, and it obeys the laws
// of physics, which no scheduler knows.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "apps/sph/problem.hpp"

namespace skua::apps::sph {
namespace {

/// Leapfrog conserves energy up to an error that swings with the sound waves; viscosity only
/// removes energy. Relative to the start.
constexpr double energy_gain_allowed = 1e-4;
/// Sums in another order, and opposite forces that meet in a sum, differ by rounding only. Relative to the summands.
constexpr double rounding_allowed = 1e-12;
constexpr std::size_t samples = 24;

template <class... Args>
std::string text(char const* format, Args... args) {
  char line[256];
  std::snprintf(line, sizeof line, format, args...);
  return line;
}

template <class T>
bool same_bits(T const& a, T const& b) noexcept {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <std::size_t D>
double length(vec<D> const& a) noexcept {
  return std::sqrt(dot(a, a));
}

}  // namespace

template <std::size_t D>
double problem<D>::energy() const noexcept {
  // Velocities lag half a step behind, except before the first step.
  double const behind = steps_ == 1 ? 0 : now_.water.time_step() / 2;
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    sum += fluid<D>::elastic_energy(now_.states[i].density);
    body<D> const& b = now_.bodies[i];
    if (b.id >= set_.water) continue;
    vec<D> velocity = b.velocity;
    add(velocity, behind, now_.accelerations[i]);
    velocity[D - 1] -= behind * gravity;
    sum += dot(velocity, velocity) / 2 + gravity * b.at[D - 1];
  }
  return now_.water.mass() * sum;
}

template <std::size_t D>
std::string problem<D>::wrong() const {
  std::string const found = different();
  return found.empty() ? unphysical() : found;
}

template <std::size_t D>
std::string problem<D>::different() const {
  for (std::size_t i = 0; i < size(); ++i) {
    char const* const what = !same_bits(now_.bodies[i], right_.bodies[i])                 ? "position or velocity"
                             : !same_bits(now_.states[i], right_.states[i])               ? "density"
                             : !same_bits(now_.accelerations[i], right_.accelerations[i]) ? "acceleration"
                                                                                          : nullptr;
    if (what != nullptr) {
      return text("sph: the %s of particle %zu of %zu, in the order of the tree, is not that of the serial run", what,
                  i, size());
    }
  }
  return {};
}

template <std::size_t D>
std::string problem<D>::unphysical() const {
  box<D> const within = tank_.within();
  std::vector<bool> seen(size(), false);
  vec<D> sum{};
  double pushed = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    body<D> const& b = now_.bodies[i];
    if (b.id >= size() || seen[b.id])
      return text("sph: mass is not conserved: particle %zu is twice there or unknown", i);
    seen[b.id] = true;
    if (!within.contains(b.at) || !std::isfinite(b.at[D - 1])) {
      return text("sph: particle %zu has left the tank", static_cast<std::size_t>(b.id));
    }
    if (b.id >= set_.water && !same_bits(b.at, set_.at[b.id])) {
      return text("sph: particle %zu of the walls has moved", static_cast<std::size_t>(b.id));
    }
    add(sum, 1, now_.accelerations[i]);
    pushed += length(now_.accelerations[i]);
  }
  if (!(length(sum) <= rounding_allowed * pushed)) {
    return text("sph: momentum is not conserved: inner forces add up to %g of %g N", length(sum) * now_.water.mass(),
                pushed * now_.water.mass());
  }
  double const left = energy();
  if (!(left <= energy_at_start_ * (1 + energy_gain_allowed)) || !(left >= energy_at_rest())) {
    return text("sph: energy is not conserved: %.9g J at the start, %.9g J now, %.9g J when the water has come to rest",
                energy_at_start_, left, energy_at_rest());
  }
  for (std::size_t n = 0; n < samples; ++n) {
    std::string const found = not_as_brute_force(n * (size() - 1) / (samples - 1));
    if (!found.empty()) return found;
  }
  return {};
}

template <std::size_t D>
double problem<D>::energy_at_rest() const noexcept {
  double height = 1;
  double base = 1;
  for (std::size_t d = 0; d < D; ++d) {
    height *= tank_.water.high[d] - tank_.water.low[d];
    if (d != D - 1) base *= tank_.inside.high[d] - tank_.inside.low[d];
  }
  height *= tank_.spacing / base;
  return now_.water.mass() * static_cast<double>(water()) * gravity * height / 2;
}

template <std::size_t D>
std::string problem<D>::not_as_brute_force(std::size_t i) const {
  fluid<D> const& water = now_.water;
  body<D> const& self = now_.bodies[i];
  double density = 0;
  vec<D> acceleration{};
  double pushed = 0;
  for (std::size_t j = 0; j < size(); ++j) {
    vec<D> const apart = self.at - now_.bodies[j].at;
    double const squared = dot(apart, apart);
    if (squared >= water.radius() * water.radius()) continue;
    density += water.mass() * water.weight(squared);
    double const approach = dot(self.velocity - now_.bodies[j].velocity, apart);
    double const push = water.mass() * water.push(squared, now_.states[i].pressure + now_.states[j].pressure, approach);
    add(acceleration, push, apart);
    pushed += std::abs(push) * length(apart);
  }
  bool const dense = std::abs(density - now_.states[i].density) <= rounding_allowed * density;
  bool const forced = length(acceleration - now_.accelerations[i]) <= rounding_allowed * pushed;
  if (dense && forced) return {};
  return text("sph: the %s of particle %zu differs from the sum over all particles", dense ? "acceleration" : "density",
              static_cast<std::size_t>(self.id));
}

template class problem<2>;
template class problem<3>;

}  // namespace skua::apps::sph
