// SPDX-License-Identifier: MIT
// A pool of workers, and regions of it. Several pools may live at once and nest; there is no process-wide state.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skua/machine/threads/join/here.hpp"
#include "skua/machine/threads/pool/outside_call.hpp"
#include "skua/machine/threads/worker/worker_counters.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/settings.hpp"
#include "skua/parts/context/stack.hpp"
#include "skua/parts/topology/layout.hpp"

namespace skua {

/// What a program may choose for a pool. Whatever it leaves out comes from the environment (SKUA_WORKERS, SKUA_POLICY,
/// SKUA_PLACES, SKUA_PIN, SKUA_SPIN, SKUA_STACK; OMP_NUM_THREADS and OMP_PLACES where the first two are unset), and
/// else from the machine: workers = min(affinity mask, cgroup quota).
struct pool_options {
  std::optional<std::uint32_t> workers = {};
  std::optional<std::string> policy = {};  ///< a name of `skua list`
  std::optional<std::string> places = {};  ///< OMP_PLACES grammar
  std::optional<bool> pin = {};
  std::optional<std::chrono::nanoseconds> spin = {};  ///< how long an idle worker searches before it sleeps
  std::optional<std::size_t> stack_bytes = {};        ///< per stack; touched pages only
  /// Pretend to be another machine: a description like "package:4 numa:1 l3:1 core:16", or the path of a file that hwloc's
  /// lstopo has written; what ends in ".xml" or contains a "/" is a path.
  std::optional<std::string> topology = {};
  bool scatter = false;  ///< spread workers over the machine instead of packing them
};

/// Everything that was decided for a pool, for people. `skua doctor` prints it.
struct pool_facts {
  runtime::settings chosen;
  std::string why_workers;
  std::vector<std::string> pins;  ///< per worker
};

namespace runtime {
class pool_core;
class leaf_log;
class region;
}  // namespace runtime

/// A policy over some workers of a pool. Closes when it is destroyed; no `run` may be under way then.
class region_handle {
 public:
  region_handle(runtime::pool_core& c, std::shared_ptr<runtime::region> r) noexcept;
  ~region_handle();
  region_handle(region_handle const&) = delete;
  region_handle& operator=(region_handle const&) = delete;

  /// As pool::run.
  template <class F>
  auto run(F&& f) {
    return runtime::call_outside(f, [this](runtime::outside_call& c) { run_here(c); });
  }
  [[nodiscard]] std::uint32_t workers() const noexcept;
  [[nodiscard]] std::string_view policy() const noexcept;

 private:
  void run_here(runtime::outside_call& c) const;

  runtime::pool_core& core_;
  std::shared_ptr<runtime::region> region_;
};

class pool {
 public:
  /// Starts the workers. Throws usage_error for a choice that makes no sense (it names the option or the variable), and
  /// resource_error if threads or memory cannot be had.
  explicit pool(pool_options const& options = {});
  /// Joins the workers. No `run` may be under way. It leaves everything as it is in a child of fork(), because the
  /// threads stayed behind, and in a task of its own, which ends the process: exit() destroys static pools.
  ~pool();
  pool(pool const&) = delete;
  pool& operator=(pool const&) = delete;

  /// f(here) on the pool: returns its value, throws what it throws. Callable from any thread, also from tasks of this
  /// pool (then f is called at once) and of others (then the caller's worker goes on with other work meanwhile).
  /// Cost from outside: two thread switches.
  template <class F>
  auto run(F&& f) {
    return runtime::call_outside(f, [this](runtime::outside_call& c) { run_here(c); });
  }

  /// A region of the first `workers` workers (0: all) under another policy. Throws usage_error for a policy that does not
  /// exist and for more workers than there are.
  [[nodiscard]] std::unique_ptr<region_handle> open_region(std::string_view policy, std::uint32_t workers = 0);

  [[nodiscard]] std::uint32_t workers() const noexcept;
  [[nodiscard]] std::string_view policy() const noexcept;
  /// The whole map: which worker sits where, who is near whom.
  [[nodiscard]] layout const& map() const noexcept;

  // Places, for `at{..}`: workers that share a cache or a memory (SKUA_PLACES; by default an L3 cache).

  /// How many there are, at least one; they are place_id{0}, place_id{1}, ...
  [[nodiscard]] std::uint32_t places() const noexcept;
  /// The workers of a place, at least one: neighbouring numbers, ascending. Every worker is in exactly one place. Throws
  /// usage_error if there is no such place.
  [[nodiscard]] std::span<worker_id const> workers_of(place_id p) const;
  /// The place of a worker. Throws usage_error if there is no such worker.
  [[nodiscard]] place_id place_of(worker_id w) const;
  [[nodiscard]] pool_facts facts() const;

  /// What each worker did since the pool was made; times until `at`, which may lie a little back, so that the sum of a
  /// worker's times between two calls is the time between them exactly. Cheap; may be called while the pool works.
  [[nodiscard]] std::vector<worker_counters> counters(
      std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now()) const;
  [[nodiscard]] runtime::stack_pool::census stacks() const noexcept;

  /// For what is built on pools.
  [[nodiscard]] runtime::region& root_region() const noexcept { return *root_; }
  [[nodiscard]] runtime::leaf_log& leaves_of(worker_id w) const noexcept;
  /// This process is a child of the one that made the pool: the workers stayed behind.
  [[nodiscard]] bool lost_by_fork() const noexcept;

 private:
  void run_here(runtime::outside_call& c) const;

  pool_facts facts_;
  std::unique_ptr<runtime::pool_core> core_;
  std::shared_ptr<runtime::region> root_;
};

}  // namespace skua
