// SPDX-License-Identifier: MIT
// One program from the papers: its input, its answer, and how each runtime computes it.
// The `skua` command and the conformance tests know apps only through this interface. Every app runs on a pool; whatever
// else it can do is a small class of its own, and a function of `app` that returns null if this app cannot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/json_value.hpp"
#include "apps/map/task_map.hpp"
#include "apps/option.hpp"
#include "apps/owned_array.hpp"
#include "skua/fwd.hpp"

namespace skua::apps {

class loop_styles;
struct ranks_load;
struct ranks_plan;

/// The same source without a runtime.
class serial_elision {
 public:
  virtual ~serial_elision() = default;
  virtual void run_serial() = 0;
};

/// The same source on workers that exist only in the simulator; the work may be shared out over `places` places.
class simulable {
 public:
  virtual ~simulable() = default;
  virtual void run_recorded(recorder& here, std::uint32_t places) = 0;
  virtual void run_simulated(sim::here& here, std::uint32_t places) = 0;
  /// True if the tree of tasks, or the memory it touches, depends on the schedule. Then a recording will not do.
  [[nodiscard]] virtual bool depends_on_schedule() const { return false; }
  /// False: no tree can represent the waits of its tasks. It is simulated live, and run_recorded throws usage_error.
  [[nodiscard]] virtual bool can_be_recorded() const { return true; }
};

/// The same algorithm with OpenMP.
class openmp_twin {
 public:
  virtual ~openmp_twin() = default;
  virtual void run_openmp(unsigned workers) = 0;
};

/// The same algorithm with oneTBB.
class tbb_twin {
 public:
  virtual ~tbb_twin() = default;
  virtual void run_tbb(unsigned workers) = 0;
};

/// The same problem as task collections over the ranks of a communicator. [retentive-hpdc12 4]
class ranks_program {
 public:
  virtual ~ranks_program() = default;
  /// Before prepare(), which may then make data that lie on all of these ranks: every rank calls both. Only for runs on ranks.
  virtual void expect_ranks(communicator&, ranks_plan const&) {}
  /// Collective. Afterwards every rank has the answer, for wrong() and facts().
  virtual void run_on_ranks(communicator& world, ranks_plan const& plan) = 0;
  /// Collective, after run_on_ranks() if its answer will be checked, on rank 0: what wrong() needs of the other ranks. Not timed.
  virtual void prepare_check(communicator&) {}
  /// What tasks of the last run transferred between ranks by distributed matrices, of all ranks; none: the data do not lie in such.
  [[nodiscard]] virtual std::optional<std::uint64_t> remote_bytes() const { return {}; }
  /// The load that skua sim --ranks simulates, from the options alone, without prepare(); empty tables: none. Throws
  /// usage_error.
  [[nodiscard]] virtual ranks_load load();
};

/// An app that can also draw which worker ran what. [adws-sc19 Figure 1]
class mapped {
 public:
  virtual ~mapped() = default;
  /// One run like run_skua that records every leaf. Not timed. Throws usage_error if the pool is being recorded
  /// already.
  virtual task_map run_mapped(pool& workers) = 0;
};

class app {
 public:
  virtual ~app() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// One line: what it computes, and which paper uses it.
  [[nodiscard]] virtual std::string_view about() const = 0;

  /// The app's own options (--n, --tree, ...): they point to members that hold the defaults and take the values.
  [[nodiscard]] virtual std::vector<option> options() = 0;
  /// Builds the input, and the data that checks the answer. Not timed. Throws usage_error for an impossible input.
  virtual void prepare() = 0;
  /// Restores the input that a run overwrites, and forgets the last answer. Not timed; called before every run.
  virtual void reset() = 0;

  /// The arrays that the place hints refer to, and the owner of each part among `places`. Empty: the program gives no
  /// place hints, or places own nothing.
  [[nodiscard]] virtual std::vector<owned_array> owned(std::uint32_t) { return {}; }
  /// Other memory that prepare() writes and a run uses: it lies where prepare() ran.
  [[nodiscard]] virtual std::vector<std::span<std::byte const>> unowned() { return {}; }
  /// Brings the data of the next runs to the places of this pool that own them, if the pool has several places on several
  /// NUMA nodes. Call it once per map of a pool, before the timed runs; otherwise run_skua does it.
  void place_data(pool& workers);

  /// One run of the program on a pool. Callers time exactly this call, and the run_ functions of the twins below.
  virtual void run_skua(pool& workers) = 0;

  // Null: this app lacks it. runnable_app (program_app.hpp) finds what its subclass has.
  [[nodiscard]] virtual serial_elision* elision() { return nullptr; }
  [[nodiscard]] virtual openmp_twin* openmp() { return nullptr; }
  [[nodiscard]] virtual tbb_twin* tbb() { return nullptr; }
  [[nodiscard]] virtual simulable* simulation() { return nullptr; }
  [[nodiscard]] virtual mapped* maps() { return nullptr; }
  [[nodiscard]] virtual ranks_program* ranks() { return nullptr; }
  /// How the twins spread their loops. Null: they have only one way.
  [[nodiscard]] virtual loop_styles* styles() { return nullptr; }

  /// Checks the answer of the last run. Not timed. Returns an empty string, or one line that describes the error.
  [[nodiscard]] virtual std::string wrong() = 0;
  /// Facts of the last run for the JSON row and for people, e.g. {"nodes": 4112897}.
  [[nodiscard]] virtual json_value facts() const = 0;
};

/// One entry of the list of apps: name and factory.
struct entry {
  std::string_view name;
  std::unique_ptr<app> (*make)();
};

/// All apps, in the order of `skua list`.
std::vector<entry> const& all();

std::unique_ptr<app> make_fib();
std::unique_ptr<app> make_nqueens();
std::unique_ptr<app> make_uts();
std::unique_ptr<app> make_cilksort();
std::unique_ptr<app> make_matmul();
std::unique_ptr<app> make_matmul_z();
std::unique_ptr<app> make_strassen();
std::unique_ptr<app> make_strassen_z();
std::unique_ptr<app> make_heat();
std::unique_ptr<app> make_sph();
std::unique_ptr<app> make_cg();
std::unique_ptr<app> make_hull();
std::unique_ptr<app> make_bipartition();
std::unique_ptr<app> make_sssp();
std::unique_ptr<app> make_puzzle15();
std::unique_ptr<app> make_latency();
std::unique_ptr<app> make_quicksort();
std::unique_ptr<app> make_strips();
std::unique_ptr<app> make_prefix_sum();
std::unique_ptr<app> make_mix();
std::unique_ptr<app> make_chains();
std::unique_ptr<app> make_sparselu();
std::unique_ptr<app> make_cholesky();
std::unique_ptr<app> make_heat_dag();
std::unique_ptr<app> make_matmul_dag();
std::unique_ptr<app> make_random_dag();
std::unique_ptr<app> make_fmm();
std::unique_ptr<app> make_qr();
std::unique_ptr<app> make_nbody_chain();
std::unique_ptr<app> make_hartree_fock();
std::unique_ptr<app> make_tce();
std::unique_ptr<app> make_synthetic_loads();

}  // namespace skua::apps
