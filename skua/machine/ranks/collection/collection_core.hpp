// SPDX-License-Identifier: MIT
// A task collection on one rank: its queue, its share of process(), and the record of what it executed.
// program/collection/collection.md has the states. [retentive-hpdc12 4, 6]
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "skua/machine/ranks/collection/checkpoint.hpp"
#include "skua/machine/ranks/collection/claimed_name.hpp"
#include "skua/machine/ranks/collection/collection_state.hpp"
#include "skua/machine/ranks/collection/rank_workers.hpp"
#include "skua/machine/ranks/collection/seeded_times.hpp"
#include "skua/machine/ranks/collection/stall_report.hpp"
#include "skua/machine/ranks/collection/task_record.hpp"
#include "skua/machine/ranks/communicator/communicator_core.hpp"
#include "skua/machine/ranks/matrix/footprint_meter.hpp"
#include "skua/machine/ranks/matrix/matrix_traffic.hpp"
#include "skua/machine/ranks/protocol/process_engine.hpp"
#include "skua/machine/ranks/protocol/recovery_log.hpp"
#include "skua/machine/ranks/queue/split_queue.hpp"
#include "skua/machine/ranks/queue/task_slot.hpp"
#include "skua/policy/balance/balance_choice.hpp"
#include "skua/policy/balance/relocation_pace.hpp"
#include "skua/policy/balance/when_to_balance.hpp"
#include "skua/program/collection/host.hpp"

namespace skua { inline namespace v0 { namespace ranks {

class collection_core final : public runtime::collection_engine {
 public:
  collection_core(communicator_core& core, collection_options const& options, runtime::task_binding const& binding);
  ~collection_core() override;

  [[nodiscard]] bool has_threads() const noexcept override { return workers_.has_threads(); }
  void add(std::span<std::byte const> task) override;
  [[nodiscard]] void* reserve() override;
  void commit() override;
  void process() override;
  void stealing(bool on) override;
  void restore(placement_of_tasks where) override;
  void restore_as(std::string_view how) override;
  void rebalance(std::string_view how) override;
  [[nodiscard]] bool rebalance_if_due(std::string_view how) override;
  void checkpoint(std::string const& path, std::span<std::byte const> state) override;
  [[nodiscard]] std::vector<std::byte> restart(std::string const& path) override;
  bool recover(bool may_be_emptied) override;
  [[nodiscard]] collection_report report() override;
  [[nodiscard]] ranks_report report_by_rank() override;
  [[nodiscard]] rank_report own_report() const noexcept override { return last_; }
  [[nodiscard]] std::uint64_t recorded() const noexcept override { return record_.size(); }
  [[nodiscard]] std::uint64_t waiting() const noexcept override { return workers_.waiting(); }
  void add_weighed(std::span<std::byte const> task, double work) override;

 private:
  void commit_as(bool divides);
  [[nodiscard]] std::uint32_t rank() const noexcept { return network_.rank(); }
  [[nodiscard]] std::uint32_t ranks() const noexcept { return network_.ranks(); }

  [[nodiscard]] collective_call call(operation what, std::string_view detail = {}) const {
    return {.what = what, .collection = number_, .detail = std::string(detail)};
  }
  [[nodiscard]] bool recovers() const noexcept { return shape_.has_identity; }
  [[nodiscard]] bool is_processing() const noexcept { return state_ == collection_state::processing; }
  /// Throws usage_error if called inside one of its tasks.
  void expect_at_rest(char const* call) const;
  /// What hinders this rank from the call, for refuse_if_hindered.
  [[nodiscard]] std::uint64_t hindrance(needs what) const noexcept;
  /// Throws usage_error. `largest`: of the hindrances of all ranks, so that all of them throw.
  void refuse_if_hindered(char const* call, std::uint64_t largest) const;
  /// Both of them. Collective.
  void expect_everywhere(collective_call const& call, char const* name, needs what);
  void balance(collective_call const& call);
  [[nodiscard]] bool prefers_owners() const noexcept;
  [[nodiscard]] std::vector<move_order> near_owners(std::span<move_order const> orders, bool is_retained = false);
  void relocate(collective_call const& call);
  [[nodiscard]] policies::balance::iteration_summary summary(collective_call const& call);
  /// What rebalance() moves, the same on every rank, and of all ranks the largest work if these are waiting tasks, and the largest load.
  /// Collective. Throws usage_error that names the call on every rank if there is nothing.
  struct choice {
    balanced what;
    double largest_work;
    double largest_load;
  };
  [[nodiscard]] choice choose_balanced(collective_call const& call, char const* name);
  /// Of this rank: the times in its record, in ns, or else the works of the tasks that wait.
  [[nodiscard]] double own_load() const;
  void balance(collective_call const& call, choice const& chosen);
  [[nodiscard]] bool is_due(choice const& chosen, double mean);
  void balance_waiting(collective_call const& call, double largest_work);
  void seed_weighed(double largest_work);
  void enter_with_recovery();
  void expect_no_loss() const;
  void abandon_process();
  /// Some tasks that wait, or are recorded, are others than those with which the last process() began.
  [[nodiscard]] bool has_tasks_without_copy() const noexcept { return is_restarted_ || waiting() > restored_; }
  void seed_copies(live_ranks const& live);
  void forget_tasks(live_ranks const& live);
  void begin_anew(std::uint64_t tasks);
  void copy_to_keeper(live_ranks const& live);
  void mended(live_ranks const& live, std::span<std::byte const> lost);
  void serve_until_the_end();
  void run_tasks();
  bool look_around();
  bool look_in_task();
  bool look_for_others();
  void wait_for_work();
  void rest();
  void pass_on_failures();
  void throw_failure();
  void move(collective_call const& call, std::vector<move_order> const& orders);
  void move_from(std::uint64_t givers, std::vector<move_order> const& orders);
  void seed_record(placement_of_tasks where);
  void note_own_figures(matrix_traffic const& moved_before) noexcept;

  claimed_name const name_;
  communicator_core& core_;
  transport& network_;
  collection_options const options_;
  runtime::task_binding const binding_;
  std::uint32_t const number_;
  slot_shape const shape_;
  split_queue queue_;
  process_engine engine_;
  task_record record_;
  recovery_log log_;
  worker_trace traced_;
  std::uint64_t const pool_;  ///< communicator_core::pool_number
  rank_workers workers_;

  std::uint32_t epoch_ = 0;
  collection_state state_ = collection_state::seeding;
  std::uint64_t wall_ns_ = 0;
  std::uint32_t idle_rounds_ = 0;
  stall_report stalled_;
  policies::balance::when_to_balance balancing_;
  policies::balance::balance_choice choice_;
  std::unique_ptr<footprint_meter> meter_;  ///< null: nobody asked for footprints
  policies::balance::relocation_pace relocation_;
  seeded_times seeded_;
  bool is_measured_ = false;       ///< the record is that of a process(), and not of restart()
  std::string start_;              ///< how the next process() starts, or the last one started
  std::uint64_t balance_ns_ = 0;   ///< of the balancing before the next process()
  std::uint64_t times_heard_ = 0;  ///< by this rank in the last balancing
  std::uint64_t kept_ = 0;         ///< by the last process()
  std::uint64_t run_again_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t restored_ = 0;  ///< of the tasks that wait
  bool has_new_tasks_ = false;  ///< some of those with which the last process() began were added since the one before
  bool is_abandoned_ = false;   ///< the last process() did not end
  bool is_restarted_ = false;   ///< restart() has replaced its tasks
  bool steals_ = true;          ///< what the program chose: without restore(how), and after the loss of a rank

  /// Of the calls that move tasks between two process().
  struct balancing_cost {
    std::uint64_t ns = 0;
    std::uint64_t received = 0;  ///< bytes
    std::uint64_t sent = 0;      ///< bytes
  };
  class balancing_clock;
  balancing_cost balancing_cost_;  ///< since the last process()
  rank_report last_;               ///< of the last process(), and of the balancing before it
};

}}}  // namespace skua::v0::ranks
