// SPDX-License-Identifier: MIT
// The common part of apps whose program is written once against `has_finish`: it runs on a pool, serially, in the recorder
// and in virtual time.
#pragma once

#include "apps/app.hpp"
#include "skua/machine/sim/here.hpp"
#include "skua/program/recorder.hpp"
#include "skua/program/serial.hpp"
#include "skua/program/strategy/finish.hpp"
#include "skua/skua.hpp"

namespace skua::apps {

/// Derived has `template <has_finish Here> void program(Here& here)`: the whole run.
template <class Derived>
class finish_app : public app, public serial_elision, public simulable {
 public:
  [[nodiscard]] serial_elision* elision() final { return this; }

  [[nodiscard]] simulable* simulation() override { return this; }
  /// Which tasks there are, or which of them run, depends on the order in which they run.
  [[nodiscard]] bool depends_on_schedule() const final { return true; }

  void run_skua(pool& workers) final {
    workers.run([&](auto& here) { self().program(here); });
  }
  void run_serial() final {
    serial here;
    self().program(here);
  }

  void run_recorded(recorder& here, std::uint32_t) final { self().program(here); }
  void run_simulated(sim::here& here, std::uint32_t) final { self().program(here); }

 private:
  friend Derived;
  finish_app() = default;
  Derived& self() noexcept { return static_cast<Derived&>(*this); }
};

}  // namespace skua::apps
