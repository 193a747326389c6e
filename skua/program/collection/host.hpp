// SPDX-License-Identifier: MIT
// The interface between a task collection and the machine that runs it. machine/ranks implements it, with MPI and
// without.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/program/collection/rank_report.hpp"

namespace skua { inline namespace v0 {

/// A task of another rank threw.
struct remote_error : error {
  remote_error(std::uint32_t rank, std::string const& said)
      : error("rank " + std::to_string(rank) + ": " + said), rank_(rank) {}
  /// The rank whose task threw.
  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }

 private:
  std::uint32_t rank_;
};

/// A rank died. Every living rank throws it.
struct rank_lost : error {
  rank_lost(std::uint32_t rank, std::string const& said, bool can_go_on = false)
      : error(said), rank_(rank), can_go_on_(can_go_on) {}
  /// The rank that died.
  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
  /// True: every living rank got it from the same collective call, and task_collection::recover() has the dead rank's tasks. False: the
  /// job cannot go on; later calls throw it again.
  [[nodiscard]] bool can_go_on() const noexcept { return can_go_on_; }

 private:
  std::uint32_t rank_;
  bool can_go_on_;
};

/// What happens to the tasks of a rank that dies during process(). No mode survives the death of rank 0.
enum class lost_tasks : std::uint8_t {
  fail,  ///< there is no recovery: the launcher decides how the job ends
  /// Other ranks run the tasks again that the rank had run or held, so each task counts once. A task must give the same
  /// result on every rank, spawn the same tasks in the same order, and keep its results on the rank that ran it until
  /// process() ends.
  run_again,
  drop,  ///< no rank runs them again, so no task runs twice; the report counts the tasks that may be missing
};

/// Whom an idle rank asks for tasks.
enum class steal_victims : std::uint8_t {
  random,  ///< ranks that are drawn, first of its node, again and again
  /// Four that are drawn; then its buddies, at most log2(ranks) others, each of which remembers it. It sleeps until one of them sends it tasks.
  /// An idle period costs a fixed number of messages, however long it is; tasks that few ranks have reach the others later. [saraswat-et-al-11]
  lifelines,
};

/// The outcome of a task. null: it had no work, and need not run in the next iterations. [retentive-hpdc12 7.1]
enum class task_outcome : std::uint8_t { done, null };

/// Where restore() seeds the executed tasks: on the rank that executed them, or where they were before their first process(): on the rank
/// that added them, or to which rebalance() moved them before it.
enum class placement_of_tasks : std::uint8_t { retained, original };

struct collection_options {
  /// The name in messages; collections of one communicator that live at once must have
  /// different names; else making the second one throws usage_error on every rank.
  std::string name = "tasks";
  /// The largest number of tasks that may wait on one rank, or in each of its workers' queues if it has several
  /// workers. Beyond it process() fails with a resource_error. restore() seeds all tasks that the rank has executed, even if
  /// they are more.
  std::uint64_t limit = std::uint64_t{1} << 40;
  /// False: ranks do not steal; each runs its own tasks.
  bool steals = true;
  /// The seed of the random choice of victims; each rank derives its own from it.
  std::uint64_t seed = 1;
  /// The same on every rank. Lifelines need lost_tasks::fail: else making the collection throws usage_error on every rank.
  steal_victims victims = steal_victims::random;
  /// Recovery costs a copy of all tasks on another rank, and a copy of the stolen tasks. Under Open MPI the job must
  /// run with --enable-recovery.
  lost_tasks on_loss = lost_tasks::fail;
  /// Of what the bytes of a task mean. Change it with the task's type, or with its `serialize`: a checkpoint of another
  /// version is refused, and ranks of different versions make no collection.
  std::uint64_t version = 0;
  /// True: each task's footprint is measured, the bytes of matrices that it gets, puts and adds to, by owner. restore(how) and rebalance(how)
  /// then prefer, for each task, the rank that owns most of them. Costs 72 bytes per task and a search among the workers per transfer; between
  /// iterations all footprints travel to rank 0.
  bool footprints = false;
  /// That preference lifts no rank above (1 + this) times the average load, nor above the largest load without it. 0 to 1.
  double footprint_tolerance = 0.02;
};

/// The report of one process(), over all ranks. Times in seconds.
struct collection_report {
  std::uint32_t iteration = 0;
  std::uint32_t ranks = 0;       ///< living ranks
  std::uint32_t workers = 0;     ///< of all ranks
  std::uint64_t tasks = 0;       ///< executed
  std::uint64_t kept = 0;        ///< tasks in the records: neither null nor spawned
  std::uint64_t attempted = 0;   ///< attempts to steal, over all ranks
  std::uint64_t successful = 0;  ///< attempts that returned tasks
  std::uint64_t moved = 0;       ///< tasks that were stolen
  std::uint64_t run_again = 0;   ///< tasks that ran again because a rank died; spawned ones not counted
  std::uint64_t dropped = 0;     ///< tasks that may be missing because a rank died; those that they spawn not counted
  std::uint64_t times_heard =
      0;  ///< of other ranks' tasks that one rank received in the last balancing, at most: what it had to see
  std::uint64_t remote_bytes = 0;     ///< of matrices, that tasks moved between ranks: got, put and accumulated
  std::uint64_t needed = 0;           ///< with footprints: bytes of all tasks' footprints
  std::uint64_t needed_remotely = 0;  ///< of them, those of other ranks than where the task ran; a cache moves fewer
  double seconds = 0;                 ///< of the slowest rank's process()
  double mean_busy = 0;               ///< time in tasks, mean of all workers
  double most_busy = 0;               ///< time in tasks of the busiest rank, mean of its workers
  std::string start = {};  ///< of restore(how): `how`, or what auto chose for this process(), and why; else empty
  /// The fraction of `seconds` that an ideal balance would save: 1 - mean_busy / seconds.
  [[nodiscard]] double idle_share() const noexcept { return seconds > 0 ? 1 - mean_busy / seconds : 0; }
};

/// Returns, for example, "ideal balance would run 27 % faster; stealing moved 312 of 132,788 tasks".
[[nodiscard]] std::string in_words(collection_report const& r);

namespace runtime {

/// The machine's part of a task_site.
class collection_site {
 public:
  [[nodiscard]] virtual std::uint32_t rank() const noexcept = 0;
  [[nodiscard]] virtual std::uint32_t ranks() const noexcept = 0;
  /// The worker of the rank that runs the task; the number of workers of the rank.
  [[nodiscard]] virtual std::uint32_t worker() const noexcept = 0;
  [[nodiscard]] virtual std::uint32_t workers() const noexcept = 0;
  /// Answers thieves. Long tasks should call it from time to time where no other thread answers.
  virtual void progress() = 0;
  /// Adds a copy of a task to the collection. Throws resource_error at the limit.
  virtual void spawn(std::span<std::byte const> task) = 0;

 protected:
  ~collection_site() = default;
};

/// Receives the parts of a task that splits.
class task_parts {
 public:
  /// Was split off, and runs later. `divides`: it can split, too.
  virtual void part(std::span<std::byte const> task, bool divides) = 0;
  /// What is left of the task, which runs now.
  virtual void rest(std::span<std::byte const> task) = 0;

 protected:
  ~task_parts() = default;
};

/// The type of the tasks, and this rank's function. Two ranks agree if name, size and alignment of the type are equal.
struct task_binding {
  std::size_t bytes = 0;  ///< size of the task type; serialized tasks may have any size
  bool is_serialized = false;
  std::size_t alignment = 0;
  std::string_view type;
  char const* name = nullptr;  ///< of the function, for traces; a literal
  void* function = nullptr;
  task_outcome (*run)(void* function, collection_site& site, std::span<std::byte> task) = nullptr;
  /// True if the task can split; null: no task can.
  bool (*divides)(std::span<std::byte const> task) = nullptr;
  /// Splits a task that can until what is left of it cannot. The same parts in the same order for the same bytes.
  void (*split)(std::span<std::byte const> task, task_parts& to) = nullptr;
};

/// One collection on one rank. Functions are documented at task_collection.
class collection_engine {
 public:
  virtual ~collection_engine() = default;
  /// True if several threads may add tasks at once. Then, and for serialized tasks, call `add` instead of `reserve` and
  /// `commit`.
  [[nodiscard]] virtual bool has_threads() const noexcept = 0;
  /// Adds a copy. Any thread if has_threads(). Throws resource_error at the limit.
  virtual void add(std::span<std::byte const> task) = 0;
  /// Returns memory for a task, which `commit` adds. Throws resource_error at the limit.
  [[nodiscard]] virtual void* reserve() = 0;
  virtual void commit() = 0;
  virtual void process() = 0;
  virtual void stealing(bool on) = 0;
  virtual void restore(placement_of_tasks where) = 0;
  virtual void restore_as(std::string_view how) = 0;
  virtual void rebalance(std::string_view how) = 0;
  [[nodiscard]] virtual bool rebalance_if_due(std::string_view how) = 0;
  virtual void checkpoint(std::string const& path, std::span<std::byte const> state) = 0;
  [[nodiscard]] virtual std::vector<std::byte> restart(std::string const& path) = 0;
  /// True: the tasks of the last process() wait. False, only if `may_be_emptied`: no task waits on any rank.
  virtual bool recover(bool may_be_emptied) = 0;
  [[nodiscard]] virtual collection_report report() = 0;
  [[nodiscard]] virtual ranks_report report_by_rank() = 0;
  [[nodiscard]] virtual rank_report own_report() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t recorded() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t waiting() const noexcept = 0;
  /// As add, with the task's work. Also for plain tasks without threads. Throws usage_error for a work that is none.
  virtual void add_weighed(std::span<std::byte const> task, double work) = 0;
};

class collection_host {
 public:
  /// Collective. Throws usage_error on every rank if the ranks make different collections.
  [[nodiscard]] virtual std::unique_ptr<collection_engine> make_collection(collection_options const& options,
                                                                           task_binding const& binding) = 0;

 protected:
  ~collection_host() = default;
};

}  // namespace runtime
}}  // namespace skua::v0
