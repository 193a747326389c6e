// SPDX-License-Identifier: MIT
// The common part of apps whose program is written once against `has_finish`: it runs on a pool and serially. Such programs
// have no task tree before they run, so they can be neither recorded nor replayed.
#pragma once

#include "apps/app.hpp"
#include "skua/program/serial.hpp"
#include "skua/program/strategy/finish.hpp"
#include "skua/skua.hpp"

namespace skua::apps {

/// Derived has `template <has_finish Here> void program(Here& here)`: the whole run.
template <class Derived>
class finish_app : public app, public serial_elision {
 public:
  [[nodiscard]] serial_elision* elision() final { return this; }

  void run_skua(pool& workers) final {
    workers.run([&](auto& here) { self().program(here); });
  }
  void run_serial() final {
    serial here;
    self().program(here);
  }

 private:
  friend Derived;
  finish_app() = default;
  Derived& self() noexcept { return static_cast<Derived&>(*this); }
};

}  // namespace skua::apps
