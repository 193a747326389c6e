// SPDX-License-Identifier: MIT
// The common part of apps whose program is a flow: it runs on a pool and live in virtual time. A tree of tasks does not say
// for which others a node waits, so there is nothing to record.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "apps/app.hpp"
#include "skua/machine/sim/here.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/program/recorder.hpp"
#include "skua/skua.hpp"

namespace skua::apps {

/// Derived has `template <class Here> void program(Here& here)`, the whole run, and `void run_alone()`, the program that one
/// would write without tasks. If it is an openmp_twin or a tbb_twin as well, the app offers that.
template <class Derived>
class flow_app : public app, public serial_elision, public simulable {
 public:
  [[nodiscard]] serial_elision* elision() final { return this; }
  [[nodiscard]] simulable* simulation() final { return this; }
  [[nodiscard]] openmp_twin* openmp() final { return offered<openmp_twin>(); }
  [[nodiscard]] tbb_twin* tbb() final { return offered<tbb_twin>(); }

  void run_skua(pool& workers) final {
    workers.run([&](auto& here) { self().program(here); });
  }
  void run_serial() final { self().run_alone(); }

  [[nodiscard]] bool depends_on_schedule() const final { return true; }
  [[nodiscard]] bool can_be_recorded() const final { return false; }
  void run_recorded(recorder&, std::uint32_t) final {
    throw usage_error(std::string(name()) +
                      ": a recorder is given; allowed: live simulation, because its tasks are a graph");
  }
  void run_simulated(sim::here& here, std::uint32_t) final { self().program(here); }

 private:
  friend Derived;
  flow_app() = default;
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
