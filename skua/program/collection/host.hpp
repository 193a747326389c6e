// SPDX-License-Identifier: MIT
// What a task collection needs from the machine that runs it. machine/ranks implements it over MPI and without.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 {

/// A task of another rank threw.
struct remote_error : error {
  remote_error(std::uint32_t rank, std::string const& said)
      : error("rank " + std::to_string(rank) + ": " + said), rank_(rank) {}
  /// Which one.
  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }

 private:
  std::uint32_t rank_;
};

/// A rank died, and the job cannot go on. Every rank that lives throws it.
struct rank_lost : error {
  rank_lost(std::uint32_t rank, std::string const& said) : error(said), rank_(rank) {}
  /// Which one.
  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }

 private:
  std::uint32_t rank_;
};

/// What becomes of the tasks of a rank that dies within process(). Rank 0 must live in any case.
enum class lost_tasks : std::uint8_t {
  fail,  ///< nothing is prepared: the job ends as the launcher wants it
  /// Other ranks run again what it ran and held, so each task counts once. Tasks must give the same result wherever they run, spawn the
  /// same tasks in the same order, and keep their results with the rank that ran them until process() ends.
  run_again,
  drop,  ///< they are not run again, so none runs twice; the report counts those that may be missing
};

/// What a task says of itself. null: it had nothing to do, and need not run in the next iterations. [retentive-hpdc12 7.1]
enum class task_outcome : std::uint8_t { done, null };

/// Where restore() seeds what was executed: on the rank that executed it, or on the one that added it first.
enum class placement_of_tasks : std::uint8_t { retained, original };

struct collection_options {
  /// For messages; collections of one communicator have different names.
  std::string name = "tasks";
  /// The most tasks that may wait on one rank, or in each of its workers' queues if it has several; process() fails with a resource_error beyond it.
  std::uint64_t limit = std::uint64_t{1} << 40;
  /// False: every rank runs what it has.
  bool steals = true;
  /// Of the victims; each rank draws its own from it.
  std::uint64_t seed = 1;
  /// Costs a copy of all tasks on another rank and of those that are stolen. Under Open MPI the job must run with --enable-recovery.
  lost_tasks on_loss = lost_tasks::fail;
};

/// Of one process(), over all ranks. Times in seconds.
struct collection_report {
  std::uint32_t iteration = 0;
  std::uint32_t ranks = 0;       ///< that live
  std::uint32_t workers = 0;     ///< of all ranks
  std::uint64_t tasks = 0;       ///< executed
  std::uint64_t kept = 0;        ///< in the records: neither null nor spawned
  std::uint64_t attempted = 0;   ///< steals, over all ranks
  std::uint64_t successful = 0;  ///< those that brought tasks
  std::uint64_t moved = 0;       ///< tasks that they brought
  std::uint64_t run_again = 0;   ///< tasks that ran again because a rank died; spawned ones not counted
  std::uint64_t dropped = 0;     ///< tasks that may be missing because a rank died; those that they spawn not counted
  double seconds = 0;            ///< of the slowest rank's process()
  double mean_busy = 0;          ///< time in tasks, mean of the workers
  double most_busy = 0;          ///< and of the rank that had most, mean of its workers
  /// How much less time an ideal balance would take, in parts of `seconds`: 1 - mean_busy / seconds.
  [[nodiscard]] double idle_share() const noexcept { return seconds > 0 ? 1 - mean_busy / seconds : 0; }
};

/// "ideal balance would run 27 % faster; stealing moved 312 of 132,788 tasks".
[[nodiscard]] std::string in_words(collection_report const& r);

namespace runtime {

/// What a task function may ask of its surroundings.
class collection_site {
 public:
  [[nodiscard]] virtual std::uint32_t rank() const noexcept = 0;
  [[nodiscard]] virtual std::uint32_t ranks() const noexcept = 0;
  /// Which worker of the rank runs the task, and how many there are.
  [[nodiscard]] virtual std::uint32_t worker() const noexcept = 0;
  [[nodiscard]] virtual std::uint32_t workers() const noexcept = 0;
  /// Answers thieves. Long tasks call it now and then where no other thread does.
  virtual void progress() = 0;
  /// Adds a copy of a task to the collection. Throws resource_error at the limit.
  virtual void spawn(std::span<std::byte const> task) = 0;

 protected:
  ~collection_site() = default;
};

/// The type of the tasks, and the function of this rank. Two ranks agree if name, size and alignment are equal.
struct task_binding {
  std::size_t bytes =
      0;  ///< of each; of serialized tasks, which have any size, those of the type that they are made of
  bool is_serialized = false;
  std::size_t alignment = 0;
  std::string_view type;
  char const* name = nullptr;  ///< of the function, for traces; a literal
  void* function = nullptr;
  task_outcome (*run)(void* function, collection_site& here, std::span<std::byte> task) = nullptr;
};

/// One collection on one rank. Its functions do what those of task_collection say.
class collection_engine {
 public:
  virtual ~collection_engine() = default;
  /// Tasks of several threads may add at once: `add` instead of `reserve` and `commit`. Serialized tasks are always added so.
  [[nodiscard]] virtual bool has_threads() const noexcept = 0;
  /// Adds a copy. Any thread where there are threads. Throws resource_error at the limit.
  virtual void add(std::span<std::byte const> task) = 0;
  /// Memory for a task; `commit` adds it. Throws resource_error at the limit.
  [[nodiscard]] virtual void* reserve() = 0;
  virtual void commit() = 0;
  virtual void process() = 0;
  virtual void stealing(bool on) = 0;
  virtual void restore(placement_of_tasks where) = 0;
  virtual void rebalance(std::string_view how) = 0;
  [[nodiscard]] virtual bool rebalance_if_due(std::string_view how) = 0;
  virtual void checkpoint(std::string const& path, std::span<std::byte const> state) = 0;
  [[nodiscard]] virtual std::vector<std::byte> restart(std::string const& path) = 0;
  [[nodiscard]] virtual collection_report report() = 0;
  [[nodiscard]] virtual std::uint64_t recorded() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t waiting() const noexcept = 0;
};

class collection_host {
 public:
  /// Collective. Throws usage_error on every rank if the ranks make different ones.
  [[nodiscard]] virtual std::unique_ptr<collection_engine> make_collection(collection_options const& options,
                                                                           task_binding const& binding) = 0;

 protected:
  ~collection_host() = default;
};

}  // namespace runtime
}}  // namespace skua::v0
