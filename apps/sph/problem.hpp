// SPDX-License-Identifier: MIT
// sph: a dam breaks. Every step moves the water, sorts it into a tree, and computes the forces between the particles.
// That last part is parallel, over the leaves, with the number of particles as a task's work. [adws-sc19 4.1.1, 5.3]
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "apps/loop_styles.hpp"
#include "apps/picture/picture.hpp"
#include "apps/sph/particles.hpp"
#include "apps/sph/tank.hpp"
#include "apps/tbb_workers.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/mark.hpp"
#include "skua/program/measured_work.hpp"

namespace skua::apps::sph {

/// The tank, its contents now, and the right answer.
template <std::size_t D>
class problem {
 public:
  problem() = default;
  /// Computes the right answer serially: work O(particles * steps). At least one step and one particle per leaf.
  problem(sph::tank<D> const& t, std::size_t steps, std::size_t most_per_leaf);

  [[nodiscard]] std::size_t size() const noexcept { return now_.bodies.size(); }
  [[nodiscard]] std::size_t water() const noexcept { return set_.water; }
  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }
  [[nodiscard]] sph::tank<D> const& tank() const noexcept { return tank_; }
  /// The particles after the last step's forces: positions of that moment, velocities of half a step before.
  [[nodiscard]] particles<D> const& now() const noexcept { return now_; }
  [[nodiscard]] particles<D>& now() noexcept { return now_; }
  /// The time of the last run in both passes of all steps.
  [[nodiscard]] std::chrono::nanoseconds interaction_time() const noexcept { return interaction_time_; }
  /// Joules in the water (in 2D per metre of depth): kinetic, potential and elastic, walls included.
  [[nodiscard]] double energy() const noexcept;
  /// The least energy they can have: the water spread over the floor.
  [[nodiscard]] double energy_at_rest() const noexcept;

  /// Restores the column at rest and drops the answer.
  void reset();

  /// Runs all steps. over_leaves(which) calls interact(now(), leaf, which) once for
  /// every leaf; after() follows each step.
  template <class OverLeaves, class After>
  void run(OverLeaves&& over_leaves, After&& after) {
    for (std::size_t step = 0; step < steps_; ++step) {
      if (step > 0) move(step == 1 ? 0.5 : 1);
      sort();
      auto const begin = std::chrono::steady_clock::now();
      over_leaves(pass::densities);
      over_leaves(pass::forces);
      interaction_time_ += std::chrono::steady_clock::now() - begin;
      after();
    }
  }
  template <class OverLeaves>
  void run(OverLeaves&& over_leaves) {
    run(over_leaves, [] {});
  }

  /// Empty, or one line from different() or unphysical().
  [[nodiscard]] std::string wrong() const;
  /// Describes a bit that differs from the serial run.
  [[nodiscard]] std::string different() const;
  /// Describes a broken law: mass, walls, momentum, energy; or a particle whose density or acceleration is not the sum
  /// over all others. Work O(particles).
  [[nodiscard]] std::string unphysical() const;

 private:
  /// Leapfrog: velocities advance a step, the first time half of one, then positions advance a step.
  void move(double step_of_velocities);
  /// Builds the tree over the particles.
  void sort();
  [[nodiscard]] std::string not_as_brute_force(std::size_t i) const;

  sph::tank<D> tank_;
  particle_set<D> set_;
  std::size_t steps_ = 0;
  double energy_at_start_ = 0;
  particles<D> right_;
  particles<D> now_;
  std::chrono::nanoseconds interaction_time_{};
};

/// The work hints of a node: none; its number of particles, as in the paper; or its time in the last step.
enum class work_hints : std::uint8_t { none, given, measured };

/// One pass below a node; uses `memory` if work is measured. Work O(particles), span O(depth of the tree + a leaf).
template <fork_join Here, std::size_t D>
void visit(Here& here, particles<D>& p, node<D> const& n, pass which, work_hints hints, work::measured& memory) {
  if (n.is_leaf()) {
    body<D> const* const bodies = p.bodies.data() + n.own.first;
    state* const states = p.states.data() + n.own.first;
    vec<D>* const accelerations = p.accelerations.data() + n.own.first;
    std::size_t const count = n.own.size();
    flops const cost{flops_per_particle<D> * static_cast<double>(count)};
    reads const seen{bodies, count * sizeof *bodies};
    if (which == pass::densities) {
      here.leaf(seen, writes{states, count * sizeof *states}, cost, [&] { interact(p, n, which); });
    } else {
      here.leaf(seen, reads{states, count * sizeof *states}, writes{accelerations, count * sizeof *accelerations}, cost,
                [&] { interact(p, n, which); });
    }
    return;
  }
  std::span<node<D> const> const children = p.tree.children(n);
  auto const body = [&p, which, hints](Here& h, node<D> const& child, work::measured& below) {
    visit(h, p, child, which, hints, below);
  };
  auto const unmeasured = [&](Here& h, node<D> const& child) { body(h, child, memory); };
  switch (hints) {
    case work_hints::none: return here.join_each(children, unmeasured);
    case work_hints::given:
      return here.join_each(
          children, [](node<D> const& child) { return work{static_cast<double>(child.own.size())}; }, unmeasured);
    case work_hints::measured: return memory.join_each(here, children, body);
  }
}

/// Calls after() between steps, when no leaf runs.
template <fork_join Here, std::size_t D, class After>
void program(Here& here, problem<D>& p, work_hints hints, After&& after) {
  std::array<work::measured, 2> memory;  // by pass
  std::uint64_t step = 0;
  p.run(
      [&](pass which) {
        if (which == pass::densities) mark(here, "iteration", step++);
        visit(here, p.now(), p.now().tree.root(), which, hints, memory[static_cast<std::size_t>(which)]);
      },
      after);
}
template <fork_join Here, std::size_t D>
void program(Here& here, problem<D>& p, work_hints hints = work_hints::given) {
  program(here, p, hints, [] {});
}

/// A side view, two pixels per lattice point; averages a deep tank over its depth. Water is bright, walls are grey.
template <std::size_t D>
picture picture_of(problem<D> const& p);

/// Over the array of leaves: `of_dynamic` hands out four at a time, as the paper's baseline does; `of_tasks` goes down
/// the tree.
template <std::size_t D>
void with_openmp(unsigned workers, problem<D>& p, openmp_schedule schedule);
template <std::size_t D>
void with_tbb(tbb_workers& workers, unsigned count, problem<D>& p, tbb_partitioner partitioner);

}  // namespace skua::apps::sph
