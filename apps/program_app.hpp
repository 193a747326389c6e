// SPDX-License-Identifier: MIT
// The common part of all apps: one program, written once against `fork_join`, runs on a pool, serially, in the recorder
// and in virtual time.
#pragma once

#include <cstdint>

#include "apps/app.hpp"
#include "skua/machine/sim/here.hpp"
#include "skua/program/recorder.hpp"
#include "skua/program/serial.hpp"
#include "skua/skua.hpp"

namespace skua::apps {

/// Derived has `template <fork_join Here> void program(Here& here, std::uint32_t places)`: the whole run. The program
/// may deal the work out over so many places; 0: there are none.
template <class Derived>
class program_app : public app {
 public:
  void run_skua(pool& workers) final {
    place_data(workers);
    workers.run([&](auto& here) { self().program(here, workers.map().places()); });
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
};

}  // namespace skua::apps
