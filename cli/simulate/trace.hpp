// SPDX-License-Identifier: MIT
// skua sim --trace: where a simulated run is written down, event by event (docs/traces.md).
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/text/command.hpp"
#include "skua/machine/sim/run_trace.hpp"
#include "skua/machine/sim/simulator.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/parts/trace/trace_file.hpp"

namespace skua::cli {

class sim_trace_flags {
 public:
  void add_to(parser command);
  [[nodiscard]] bool wanted() const noexcept { return path_.has_value(); }
  [[nodiscard]] std::string const& path() const noexcept { return *path_; }
  /// Throws usage_error.
  [[nodiscard]] std::size_t bytes() const;

 private:
  std::optional<std::string> path_;
  std::optional<std::string> size_;
};

/// The trace of one run, and what gives it to the engine.
class traced_run final : public sim::observer {
 public:
  /// Throws usage_error if the file cannot be written.
  traced_run(sim_trace_flags const& to, std::string_view app, std::string_view policy, std::string_view machine,
             std::uint64_t seed, layout const& where, sim::tick ticks_per_ns);
  /// Removes the file if an exception has ended the run in the middle.
  ~traced_run() override;
  traced_run(traced_run const&) = delete;
  traced_run& operator=(traced_run const&) = delete;
  [[nodiscard]] sim::run_trace* trace() noexcept override { return &events_; }

 private:
  std::unique_ptr<trace::trace_file> file_;
  sim::run_trace events_;
  int const exceptions_ = std::uncaught_exceptions();
};

}  // namespace skua::cli
