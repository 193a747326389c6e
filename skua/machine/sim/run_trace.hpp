// SPDX-License-Identifier: MIT
// The engine's view of a trace: events in virtual time, a track per simulated worker. The engine knows no file. Meaning
// of the events: skua/parts/trace/event.hpp; docs/traces.md, "Simulated runs".
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "skua/machine/sim/costs.hpp"
#include "skua/machine/sim/lanes.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/trace/trace_file.hpp"
#include "skua/policy/call_choice.hpp"
#include "skua/program/task_tree.hpp"

namespace skua { inline namespace v0 { namespace sim {

/// For one run. All its times are ticks since the run began. Cost: 5 ns per event.
class run_trace {
 public:
  /// `to` is virtual, has a track for each worker of the run, and outlives this; ticks_per_ns as in the rules of the run.
  run_trace(trace::trace_file& to, std::uint32_t workers, tick ticks_per_ns);

  void note(tick at, worker_id w, trace::event e) noexcept {
    e.ticks = at / ticks_per_ns_;
    tracks_[index(w)].note_at(e);
  }
  /// The run begins, under this policy.
  void begins(std::string_view policy) noexcept;

  /// The policy has put another scheduler in force.
  void changes_scheduler(tick at, worker_id w, policies::scheduler_note const& done) noexcept;
  /// The run has ended, and the policy has chosen these.
  void ends(tick at, std::span<policies::call_choice const> choices);

  /// From now on the worker works, schedules, idles or sleeps; does nothing if it did so already.
  void acts(tick at, worker_id w, trace::kind activity) noexcept {
    if (std::exchange(now_[index(w)], activity) != activity)
      note(at, w, {.what = activity, .value = attempts_[index(w)]});
  }
  void attempts_steal(worker_id w) noexcept { ++attempts_[index(w)]; }
  void leaf(tick at, worker_id w, task_tree const& program, tree_node_id id) noexcept;
  /// The program's marks that precede this node in a recorded tree.
  void marks_before(tick at, worker_id w, task_tree const& program, tree_node_id id) noexcept;

  /// A live program continues; its marks get this time.
  void program_runs(tick at) noexcept { program_at_ = at; }
  void mark(worker_id w, char const* name, std::uint64_t number) noexcept {
    note(program_at_, w, {.what = trace::kind::mark, .other = tracks_[index(w)].name(name), .value = number});
  }

  // The same for its flows (program/flow/flow_trace.hpp).
  [[nodiscard]] std::uint32_t next_flow() noexcept { return file_.next_flow(); }
  [[nodiscard]] std::uint32_t name(std::string_view text) noexcept { return file_.add_name(text); }
  [[nodiscard]] tick program_at() const noexcept { return program_at_; }
  void note_of_program(tick at, worker_id w, trace::event e, char const* name) noexcept {
    if (name != nullptr) e.other = tracks_[index(w)].name(name);
    note(at, w, e);
  }

  [[nodiscard]] std::uint64_t ns_of(tick t) const noexcept { return t / ticks_per_ns_; }
  /// The trace's number of an entry of a lane: that of its task, or of the first task of the rest of a group.
  [[nodiscard]] static std::uint64_t id_of(item const& it) noexcept {
    return it.content == item::kind::frame ? id_of_frame(it.fiber) : it.node;
  }
  [[nodiscard]] static std::uint64_t id_of_frame(fiber_id f) noexcept { return (std::uint64_t{1} << 32) + f; }

 private:
  trace::trace_file& file_;
  std::vector<trace::track> tracks_;
  std::vector<trace::kind> now_;         ///< by worker: its activity
  std::vector<std::uint64_t> attempts_;  ///< by worker: to steal
  tick const ticks_per_ns_;
  tick program_at_ = 0;
};

}}}  // namespace skua::v0::sim
