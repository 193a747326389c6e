// SPDX-License-Identifier: MIT
// The part of the protocol checker that checks: one worker's calls, and its policy's answers, against protocol.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "skua/parts/base/platform.hpp"
#include "skua/policy/policy.hpp"
#include "skua/policy/protocol_checker.hpp"
#include "skua/policy/protocol_tables.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// One worker's state in protocol.md, and the calls that may follow.
class alignas(runtime::cache_line_bytes) checked_worker final : public worker_policy {
 public:
  checked_worker(worker_policy& inner, worker_id self, std::uint32_t workers, policy_needs const& needs,
                 protocol_tables& tables, protocol_checks const& checks)
      : inner_(inner), self_(self), workers_(workers), needs_(needs), tables_(tables), checks_(checks) {}

  task_tag meet(task_tag& task, double total_work, std::uint64_t n) noexcept override;
  task_tag mark(task_tag& parent, hint const& hint) noexcept override;
  placement place(task_tag& task, cause why) noexcept override;
  void leave(task_tag const& task, task_tag const& group) noexcept override;
  probe next_probe() noexcept override;
  void learn(event const& seen) noexcept override;
  [[nodiscard]] bool sees_forks() const noexcept override { return inner_.sees_forks(); }
  [[nodiscard]] bool preempts() const noexcept override { return inner_.preempts(); }
  [[nodiscard]] bool calls_instead(std::uint64_t weight, std::uint64_t queued) const noexcept override {
    return inner_.calls_instead(weight, queued);
  }
  [[nodiscard]] std::span<worker_id const> lines_read() const noexcept override { return inner_.lines_read(); }
  [[nodiscard]] bool is_choosy() const noexcept override { return inner_.is_choosy(); }
  [[nodiscard]] bool admits_node(std::uint64_t first_word) const noexcept override {
    bool const yes = inner_.admits_node(first_word);
    admitted_ = admitted_ || yes;
    return yes;
  }
  [[nodiscard]] bool admits(std::uint64_t first_word) const noexcept override {
    bool const yes = inner_.admits(first_word);
    admitted_ = admitted_ || yes;
    return yes;
  }

  [[nodiscard]] std::vector<std::string> const& breaches() const noexcept { return breaches_; }

 private:
  enum class state : std::uint8_t { idle, probing, in_hands, running, leaving };

  /// An exposed group that was met on this worker.
  struct exposed {
    enum class stage : std::uint8_t { placing, local, going_on };
    task_tag task;   ///< that met it
    task_tag group;  ///< as the policy gave it
    task_tag rest;   ///< what marks have left of it
    std::uint64_t children;
    stage now = stage::placing;
    task_tag child{};  ///< that was kept
    std::uint64_t placed = 0;
  };
  struct marked {
    task_tag parent;  ///< before
    task_tag rest;    ///< after
    task_tag child;
  };

  // The machine's side.
  void check_search() noexcept;
  /// What this worker took was placed on another worker.
  [[nodiscard]] bool has_sent_away() const noexcept {
    return now_ == state::in_hands && was_placed_ &&
           (last_to_.worker != self_ || last_to_.width > 1 || is_refused_next_);
  }
  void check_place(task_tag const& task, cause why) noexcept;
  void check_child(task_tag const& task) noexcept;
  void check_in_hands(task_tag const& task, bool is_from_there) noexcept;
  void check_leave(task_tag const& task, task_tag const& group) noexcept;
  void goes_on(char const* activity) noexcept;
  void learnt(probed const& p) noexcept;
  void learnt(begun const& b) noexcept;
  void learnt(returned const& r) noexcept;
  void learnt(waiting const& w) noexcept;
  void learnt(ended const& e) noexcept;
  void learnt(part_ended const& p) noexcept;
  void learnt(team_ended const& t) noexcept;
  void learnt(ordered_here const& o) noexcept;
  void learnt(spawning const& s) noexcept;
  void learnt(found_beside const& f) noexcept;
  void learnt(rested const& r) noexcept;
  void note_placed(task_tag const& task, placement const& to, cause why) noexcept;
  void note_child(task_tag const& task, bool is_new, bool is_recording) noexcept;
  void require(bool holds, char const* otherwise) noexcept {
    if (checks_.of_machine && !holds) [[unlikely]]
      breach(otherwise);
  }
  void require_handed_out(task_tag const& t) noexcept;
  /// The worker is idle: a frame that is ready for it now precedes any task.
  void note_idle() noexcept {
    if (checks_.of_machine) owed_ = ready_frame();
  }
  [[nodiscard]] std::uint64_t ready_frame() const noexcept {
    return tables_.machine == nullptr ? 0 : tables_.machine->ready_frame(self_);
  }
  task_tag const& hand_out(task_tag const& t) noexcept {
    if (checks_.of_machine) tables_.hand_out(t);
    return t;
  }

  // The policy's side.
  [[nodiscard]] std::string fault_of(probe const& p) const;
  [[nodiscard]] std::string fault_of(placement const& to, cause why) const;
  [[nodiscard]] placement harmless(cause why) const noexcept {
    if (why == cause::bypassed) return {.worker = self_, .lane = lane::local};
    return {.worker = self_, .lane = why == cause::preempted ? lane::spawned : lane::inbox};
  }
  void breach(std::string const& what) noexcept;

  worker_policy& inner_;
  worker_id const self_;
  std::uint32_t const workers_;
  policy_needs const needs_;
  protocol_tables& tables_;
  protocol_checks const checks_;

  state now_ = state::idle;
  probe asked_{};                  ///< the last answer of next_probe
  mutable bool admitted_ = false;  ///< a steal was admitted since then
  bool needs_place_ = false;       ///< what is in hands was stolen, or comes from outside
  bool was_placed_ = false;        ///< what is in hands; `last_to_` says where
  bool is_refused_next_ = false;   ///< it was a team that could not be formed: the task may go to a lane of this worker
  bool is_frame_ = false;          ///< what is in hands is known to be a frame
  bool has_waited_ = false;        ///< at least one fiber has waited here: it may go on here without `begun`
  bool began_open_ = false;        ///< the running fiber began with an open group: it may wait for it in place
  bool is_waiting_ = false;        ///< leaving: because of a wait
  bool knows_all_ = false;         ///< the running fiber began here: its groups are in exposed_
  std::optional<marked> marked_;   ///< marked, but not placed yet
  std::optional<task_tag> running_;  ///< the tag of the running task; none: of a group that was met elsewhere
  std::optional<task_tag> held_;  ///< the last node that `unblocked` sent to `local`, if the machine may go on with it
  task_tag resumed_{};            ///< as the last place(resumed) left it
  task_tag last_{};               ///< the tag that was placed last, where, and why
  placement last_to_{};
  cause last_why_ = cause::forked;
  std::uint64_t refusals_ = 0;
  std::uint64_t owed_ = 0;        ///< the frame that was ready for this worker when it became idle; 0: none
  std::vector<exposed> exposed_;  ///< of the running fiber, the youngest last
  std::vector<std::string> breaches_;
};

}}}  // namespace skua::v0::policies
