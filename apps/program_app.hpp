// SPDX-License-Identifier: MIT
// How an app runs, said once for all of them: on a pool, serially, in the recorder, in virtual time, with its twins.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "apps/app_core.hpp"
#include "apps/tbb_workers.hpp"
#include "skua/machine/sim/here.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/program/recorder.hpp"
#include "skua/program/serial.hpp"
#include "skua/program/strategy/finish.hpp"
#include "skua/skua.hpp"

namespace skua::apps {

/// What a program forks with; it decides whether its tasks depend on the schedule and can be recorded.
enum class program_kind : std::uint8_t { tree, finish, flow };

/// Derived has `program(Here& here)` or `program(Here& here, std::uint32_t places)`, the whole run; with `places` it may distribute
/// the work over this many, and 0 means that there are none. It may also have run_alone(), the program that one would write
/// without tasks; openmp_run(unsigned workers) and tbb_run(tbb_workers&, unsigned workers); and be mapped or a ranks_program.
template <class Derived, program_kind Kind>
class runnable_app : public app_core, public serial_elision, public simulable, public openmp_twin, public tbb_twin {
 public:
  [[nodiscard]] serial_elision* elision() final { return this; }
  [[nodiscard]] simulable* simulation() override { return this; }
  [[nodiscard]] openmp_twin* openmp() final {
    constexpr bool has_one = requires(Derived& d) { d.openmp_run(1U); };
    return has_one ? this : nullptr;
  }
  [[nodiscard]] tbb_twin* tbb() final {
    constexpr bool has_one = requires(Derived& d, tbb_workers& w) { d.tbb_run(w, 1U); };
    return has_one ? this : nullptr;
  }
  [[nodiscard]] mapped* maps() final { return offered<mapped>(); }
  [[nodiscard]] ranks_program* ranks() final { return offered<ranks_program>(); }

  void run_skua(pool& workers) final {
    if constexpr (requires(Derived& d, serial& here) { d.program(here, 0U); }) place_data(workers);
    workers.run([&](auto& here) { run_on(here, workers.layout().places()); });
    has_run();
  }
  void run_serial() final {
    if constexpr (requires(Derived& d) { d.run_alone(); }) {
      self().run_alone();
    } else {
      serial here;
      run_on(here, 0);
    }
    has_run();
  }
  void run_openmp([[maybe_unused]] unsigned workers) final {
    if constexpr (requires(Derived& d) { d.openmp_run(1U); }) self().openmp_run(workers);
    has_run();
  }
  void run_tbb([[maybe_unused]] unsigned workers) final {
    if constexpr (requires(Derived& d, tbb_workers& w) { d.tbb_run(w, 1U); }) {
      if (!tbb_workers_) tbb_workers_.emplace();
      self().tbb_run(*tbb_workers_, workers);
    }
    has_run();
  }

  /// Of a finish region: which tasks there are, or which of them run.
  [[nodiscard]] bool depends_on_schedule() const override { return Kind != program_kind::tree; }
  /// A tree of tasks does not say for which others the node of a flow waits.
  [[nodiscard]] bool can_be_recorded() const final { return Kind != program_kind::flow; }
  void run_recorded([[maybe_unused]] recorder& here, [[maybe_unused]] std::uint32_t places) final {
    if constexpr (Kind == program_kind::flow) {
      throw usage_error(std::string(name()) +
                        ": a recorder is given; allowed: live simulation, because its tasks are a graph");
    } else {
      run_on(here, places);
      has_run();
    }
  }
  void run_simulated(sim::here& here, std::uint32_t places) final {
    run_on(here, places);
    has_run();
  }

 protected:
  using app_core::app_core;

 private:
  Derived& self() noexcept { return static_cast<Derived&>(*this); }
  template <class Here>
  void run_on(Here& here, [[maybe_unused]] std::uint32_t places) {
    if constexpr (requires { self().program(here, places); }) {
      self().program(here, places);
    } else {
      self().program(here);
    }
  }
  template <class Wanted>
  Wanted* offered() noexcept {
    if constexpr (std::derived_from<Derived, Wanted>) {
      return &self();
    } else {
      return nullptr;
    }
  }

  std::optional<tbb_workers> tbb_workers_;
};

/// Its program is written against `fork_join`.
template <class Derived>
class program_app : public runnable_app<Derived, program_kind::tree> {
 protected:
  using runnable_app<Derived, program_kind::tree>::runnable_app;
};

/// Its program is written against `has_finish`.
template <class Derived>
class finish_app : public runnable_app<Derived, program_kind::finish> {
 protected:
  using runnable_app<Derived, program_kind::finish>::runnable_app;
};

/// Its program is a flow, and Derived has run_alone().
template <class Derived>
class flow_app : public runnable_app<Derived, program_kind::flow> {
 protected:
  using runnable_app<Derived, program_kind::flow>::runnable_app;
};

/// The functions of a problem's own namespace, for where members have the same names.
inline constexpr auto run_program_of = [](auto& here, auto& problem) { program(here, problem); };
inline constexpr auto run_alone_of = [](auto& problem) { run_alone(problem); };

/// A flow_app whose Problem has reset() and wrong(), and in whose namespace there are program(here, p), run_alone(p) and, for
/// the twins, with_openmp(workers, p) and with_tbb(threads, workers, p). Derived builds it.
template <class Derived, class Problem>
class problem_app : public flow_app<Derived> {
 public:
  template <class Here>
  void program(Here& here) {
    run_program_of(here, *problem_);
  }
  void run_alone() { run_alone_of(*problem_); }
  void openmp_run(unsigned workers)
    requires requires(Problem& p) { with_openmp(1U, p); }
  {
    with_openmp(workers, *problem_);
  }
  void tbb_run(tbb_workers& threads, unsigned workers)
    requires requires(Problem& p) { with_tbb(threads, 1U, p); }
  {
    with_tbb(threads, workers, *problem_);
  }

 protected:
  using flow_app<Derived>::flow_app;
  void restore() override { problem_->reset(); }
  [[nodiscard]] std::string check() override { return problem_->wrong(); }

  std::optional<Problem> problem_;
};

}  // namespace skua::apps
