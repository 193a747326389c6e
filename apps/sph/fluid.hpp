// SPDX-License-Identifier: MIT
// The forces between two particles of water: weakly compressible SPH after M. Becker, M. Teschner, "Weakly compressible
// SPH for free surface flows", SCA 2007. Density by summation, Tait's equation of state, artificial viscosity.
//
// There are two departures. Pressure is never negative: near a free surface the sum finds too few neighbours, and
// water would clump. The viscosity divides by the density at rest instead of the mean of two densities, from
// which it differs by about 1%.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>

#include "apps/sph/space.hpp"

namespace skua::apps::sph {

inline constexpr double gravity = 9.81;          ///< m/s^2
inline constexpr double density_at_rest = 1000;  ///< kg/m^3
inline constexpr double speed_of_sound =
    31.3;                                 ///< m/s; about ten times the fastest water, so that it hardly compresses
inline constexpr double viscosity = 0.1;  ///< alpha, without a unit
inline constexpr double radius_in_spacings = 2.1;  ///< h: particles farther apart do not interact

/// Water on a lattice of `spacing` metres in D dimensions. All particles have one mass.
template <std::size_t D>
class fluid {
 public:
  fluid() = default;
  explicit fluid(double spacing) noexcept
      : radius_(radius_in_spacings * spacing), mass_(density_at_rest * std::pow(spacing, static_cast<double>(D))),
        scale_((D == 2 ? 10 / (7 * std::numbers::pi) : 1 / std::numbers::pi) /
               std::pow(radius_ / 2, static_cast<double>(D))) {}

  [[nodiscard]] double radius() const noexcept { return radius_; }  ///< of influence, m
  [[nodiscard]] double mass() const noexcept { return mass_; }      ///< of a particle, kg (in 2D per metre of depth)
  /// The longest stable step, s: sound travels 0.4 radii, less for viscosity.
  [[nodiscard]] double time_step() const noexcept { return 0.4 * radius_ / (speed_of_sound * (1 + 0.6 * viscosity)); }

  /// The cubic spline W at a squared distance below radius^2. Its integral over space is 1.
  [[nodiscard]] double weight(double squared) const noexcept {
    double const s = std::sqrt(squared) * 2 / radius_;
    double const rest = 2 - s;
    return scale_ * (s < 1 ? 1 - s * s * (1.5 - 0.75 * s) : 0.25 * rest * rest * rest);
  }

  /// The pressure, Pa, at a density.
  [[nodiscard]] static double pressure(double density) noexcept {
    double const x = density / density_at_rest;
    double const cube = x * x * x;
    return x <= 1 ? 0 : stiffness * (cube * cube * x - 1);
  }
  /// The elastic energy of a kilogram, J: the integral of pressure / density^2.
  [[nodiscard]] static double elastic_energy(double density) noexcept {
    double const x = density / density_at_rest;
    double const cube = x * x * x;
    return x <= 1 ? 0 : stiffness / density_at_rest * (cube * cube / 6 + 1 / x - 7.0 / 6);
  }

  /// The acceleration of particle i by particle j, per mass of j, as a factor of apart = x_i - x_j. `squared` is
  /// |apart|^2, below radius^2; `pressures` is the sum of both p/rho^2; approach is (v_i - v_j) . apart. Exchanging i
  /// and j changes no bit of the factor and only the sign of `apart`: forces are equal and opposite to the last bit.
  [[nodiscard]] double push(double squared, double pressures, double approach) const noexcept {
    double const s = std::sqrt(squared) * 2 / radius_;
    double const rest = 2 - s;
    double const slope = (s < 1 ? 3 - 2.25 * s : 0.75 * rest * rest / s) * scale_ * 4 / (radius_ * radius_);
    double const braking = approach < 0 ? -viscous * radius_ * approach / (squared + 0.01 * radius_ * radius_) : 0;
    return (pressures + braking) * slope;
  }

 private:
  static constexpr double stiffness = density_at_rest * speed_of_sound * speed_of_sound / 7;
  static constexpr double viscous = viscosity * speed_of_sound / density_at_rest;

  double radius_ = 0;
  double mass_ = 0;
  double scale_ = 0;
};

}  // namespace skua::apps::sph
