// SPDX-License-Identifier: MIT
#include "apps/sph/problem.hpp"

#include <algorithm>

#include "skua/program/serial.hpp"

namespace skua::apps::sph {

template <std::size_t D>
problem<D>::problem(sph::tank<D> const& t, std::size_t steps, std::size_t most_per_leaf)
    : tank_(t), set_(fill(t)), steps_(1) {
  now_ = {.water = fluid<D>(t.spacing),
          .tree = sph::tree<D>(most_per_leaf),
          .bodies = std::vector<body<D>>(set_.at.size()),
          .states = std::vector<state>(set_.at.size()),
          .accelerations = std::vector<vec<D>>(set_.at.size())};
  serial here;
  reset();
  program(here, *this);
  energy_at_start_ = energy();
  steps_ = steps;
  reset();
  program(here, *this);
  right_ = now_;
  reset();
}

template <std::size_t D>
void problem<D>::reset() {
  for (std::size_t i = 0; i < set_.at.size(); ++i) now_.bodies[i] = {.at = set_.at[i], .velocity = {}, .id = i};
  std::ranges::fill(now_.states, state{});
  std::ranges::fill(now_.accelerations, vec<D>{});
  interaction_time_ = {};
}

template <std::size_t D>
void problem<D>::move(double step_of_velocities) {
  double const step = now_.water.time_step();
  for (std::size_t i = 0; i < size(); ++i) {
    body<D>& b = now_.bodies[i];
    if (b.id >= set_.water) continue;
    add(b.velocity, step_of_velocities * step, now_.accelerations[i]);
    b.velocity[D - 1] -= step_of_velocities * step * gravity;
    add(b.at, step, b.velocity);
  }
}

template <std::size_t D>
void problem<D>::sort() {
  now_.tree.build(now_.bodies, now_.water.radius());
}

template class problem<2>;
template class problem<3>;

}  // namespace skua::apps::sph
