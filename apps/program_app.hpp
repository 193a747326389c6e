// SPDX-License-Identifier: MIT
// The common part of apps whose program is written once against `fork_join`: it runs on a pool, serially, in the
// recorder and in virtual time.
#pragma once

#include <concepts>
#include <cstdint>

#include "apps/app.hpp"
#include "skua/machine/sim/here.hpp"
#include "skua/program/recorder.hpp"
#include "skua/program/serial.hpp"
#include "skua/skua.hpp"

namespace skua::apps {

/// Derived has `template <fork_join Here> void program(Here& here, std::uint32_t places)`: the whole run. The program
/// may distribute the work over this many places; 0: there are none. If Derived is also an openmp_twin, a tbb_twin or
/// mapped, the app offers that.
template <class Derived>
class program_app : public app, public serial_elision, public simulable {
 public:
  [[nodiscard]] serial_elision* elision() final { return this; }
  [[nodiscard]] simulable* simulation() final { return this; }
  [[nodiscard]] openmp_twin* openmp() final { return offered<openmp_twin>(); }
  [[nodiscard]] tbb_twin* tbb() final { return offered<tbb_twin>(); }
  [[nodiscard]] mapped* maps() final { return offered<mapped>(); }
  [[nodiscard]] ranks_program* ranks() final { return offered<ranks_program>(); }

  void run_skua(pool& workers) final {
    place_data(workers);
    workers.run([&](auto& here) { self().program(here, workers.layout().places()); });
  }
  void run_serial() final {
    serial here;
    self().program(here, 0);
  }
  void run_recorded(recorder& here, std::uint32_t places) final { self().program(here, places); }
  void run_simulated(sim::here& here, std::uint32_t places) final { self().program(here, places); }

 private:
  friend Derived;
  program_app() = default;
  Derived& self() noexcept { return static_cast<Derived&>(*this); }

  template <class Wanted>
  Wanted* offered() noexcept {
    if constexpr (std::derived_from<Derived, Wanted>) {
      return &self();
    } else {
      return nullptr;
    }
  }
};

}  // namespace skua::apps
