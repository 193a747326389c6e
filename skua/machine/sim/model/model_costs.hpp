// SPDX-License-Identifier: MIT
// Costs on a machine model: leaves by their flops and by where their data is, everything else by the model's prices.
// Ticks are picoseconds.
//
// A leaf takes the longest of its arithmetic, of its core's own fetching (bytes / bandwidth and a latency per run,
// source by source) and of the queues on the way (memory of a node, link, a place's port). Of the first two the core
// may hide only a part of the shorter behind the longer (core.hidden_share). A time that was measured in a serial run
// contains the misses to local memory; what comes from farther away lengthens it. All accesses of a leaf arrive at its
// begin. Why, and what the model leaves out: docs/machine-models.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "skua/machine/sim/costs.hpp"
#include "skua/machine/sim/model/machine_models.hpp"
#include "skua/machine/sim/model/memory_queue.hpp"
#include "skua/machine/sim/model/memory_system.hpp"
#include "skua/machine/sim/model/noise.hpp"
#include "skua/machine/sim/model/page_homes.hpp"
#include "skua/machine/sim/model/routes.hpp"

namespace skua { inline namespace v0 { namespace sim {

/// Which duration of a leaf's arithmetic counts if both are known.
enum class arithmetic : std::uint8_t {
  by_flops,  ///< the program's flops, at the model's rate
  by_ns,     ///< the time measured at recording, at the model's clock
};

/// Measured durations of a program's leaves, for a run that cannot measure its own: a leaf takes the average of the
/// measured leaves with the same flops, or its flops at the rate of all.
struct leaf_times {
  std::map<double, double> ns = {};  ///< by flops
  double flops_per_ns = 0;           ///< of all together; 0: nothing was measured

  /// Precondition: flops > 0. Returns 0 if nothing was measured.
  [[nodiscard]] double ns_of(double flops) const;
};

struct cost_options {
  page_placement pages = {};
  arithmetic leaves = arithmetic::by_flops;
  double flops_per_ns = 0;   ///< of this program's leaves on one core of the machine; 0: the model's
  leaf_times measured = {};  ///< takes precedence over flops, for leaves without a time of their own
  double recorded_ghz = 0;   ///< clock of the machine on which ns were measured; 0: that of the model
  noise_options noise = {};
  std::uint64_t seed = 1;  ///< of the noise
};

/// The bytes that one worker's leaves moved, and the ticks that they took.
struct memory_account {
  std::uint64_t first_level_bytes = 0;
  std::uint64_t private_bytes = 0;    ///< from the private cache, but not from the first-level cache
  std::uint64_t shared_bytes = 0;     ///< from the shared cache of the place
  std::uint64_t neighbour_bytes = 0;  ///< from another core's private cache in the same place
  std::uint64_t local_bytes = 0;      ///< from the memory of the worker's own node
  std::uint64_t remote_bytes = 0;     ///< from the memory of other nodes
  std::uint64_t transfer_bytes = 0;   ///< from caches of other places, which had newer lines than memory
  std::uint64_t written_back_bytes = 0;
  std::uint64_t leaves = 0;
  tick ran = 0;         ///< all leaves and steps; noise included
  tick arithmetic = 0;  ///< of the leaves, if all data were at hand
  tick waited = 0;      ///< in queues behind others, as far as it made leaves longer
  tick noise = 0;
  friend bool operator==(memory_account const&, memory_account const&) = default;
};

class model_costs final : public costs {
 public:
  /// Workers are pinned as in `where`, a layout of the model's own tree. Caches are cold, pages have no home.
  /// Throws usage_error if the layout belongs to another machine, the placement names a node that does not exist, there
  /// is too much noise, or the machine has a first-level cache without a rate or latency.
  model_costs(machine_model const& model, machine_numbers const& machine, layout const& where,
              cost_options const& how = {});

  tick run(tick now, worker_id w, task_tree const& program, tree_node_id id) override;
  tick price(tick now, operation what, worker_id w, worker_id whom) override;
  [[nodiscard]] tick first_touches_until() const noexcept override { return first_touches_until_; }
  /// Binds the pages where the placement says, if it is `places` or `prepared`: to the node of the owner, or of worker 0.
  /// A page that two ranges share lies where the first of them does.
  void own(std::span<owned_range const> ranges, layout const& where) override;

  /// How long an idle worker searches before it sleeps.
  [[nodiscard]] tick spin() const noexcept { return spin_; }

  [[nodiscard]] memory_account const& account(worker_id w) const noexcept { return accounts_[index(w)]; }
  /// Of all workers.
  [[nodiscard]] memory_account total() const noexcept;
  /// Pages that have a home, by NUMA node.
  [[nodiscard]] std::vector<std::uint64_t> pages() const { return memory_.homes().pages(); }

  /// Moves the pages of this range to `node`, and keeps them there (as `distribute` does on a real machine). Throws
  /// usage_error.
  void bind_pages(void const* data, std::uint64_t bytes, std::uint32_t node);

  [[nodiscard]] memory_system& memory() noexcept { return memory_; }
  [[nodiscard]] routes const& node_routes() const noexcept { return routes_; }
  /// The bytes that went over a link of node_routes().
  [[nodiscard]] std::uint64_t carried(std::uint32_t link) const noexcept { return links_[link].served_bytes(); }

 private:
  /// Cost of one kind of source for a core.
  struct source {
    double ticks_per_line = 0;
    double ticks_per_run = 0;
    [[nodiscard]] double ticks_of(stream const& s) const noexcept {
      return ticks_per_line * static_cast<double>(s.lines) + ticks_per_run * static_cast<double>(s.runs);
    }
  };
  /// How long a core is busy with its traffic; with that from its first-level cache; how much of the former it would
  /// save if all of it came from local memory; the longest time that one queue needs for this traffic alone; and when
  /// the last queue has served it.
  struct times {
    double core = 0;
    double near = 0;
    double farther = 0;
    double alone = 0;
    tick served = 0;

    void pass(memory_queue& through, tick now, std::uint64_t bytes) noexcept {
      alone = std::max(alone, through.length(bytes));
      served = std::max(served, through.serve(now, bytes));
    }
  };

  /// What a core of one kind takes for everything.
  struct core_costs {
    double ticks_per_recorded_ns = 0;
    double ticks_per_flop = 0;
    source first_level = {};
    source own = {};
    source shared = {};
    std::vector<source> from_memory = {};    ///< by distance of the home
    std::vector<source> from_transfer = {};  ///< by distance of the node
    double ticks_per_written_line = 0;
    std::vector<tick> prices = {};  ///< [operation * classes + class]
  };

  [[nodiscard]] core_costs costs_of(machine_numbers const& own, double speed, cost_options const& how) const;
  void set_sources(core_costs& all, machine_numbers const& own) const;
  void set_prices(core_costs& all, machine_numbers const& own) const;
  [[nodiscard]] core_costs const& of_worker(worker_id w) const noexcept { return kinds_[kind_of_[index(w)]]; }
  struct computing {
    double ticks = 0;
    bool measured = false;  ///< a measured time includes the waits for data in local memory
  };

  tick leaf(tick now, worker_id w, task_tree const& program, tree_node const& n);
  [[nodiscard]] computing arithmetic_of(core_costs const& mine, tree_node const& n) const;
  [[nodiscard]] double on_core(computing what, times const& fetching) const noexcept;
  [[nodiscard]] times memory_of(tick now, core_costs const& mine, std::uint32_t core);
  void record_traffic(worker_id w, traffic const& moved);
  [[nodiscard]] std::uint32_t class_between(worker_id a, worker_id b) const noexcept;
  void cross(times& all, tick now, routes::link const& way, std::uint64_t bytes) noexcept;

  machine_numbers machine_;
  arithmetic leaves_;
  leaf_times measured_;
  std::uint32_t model_nodes_;
  std::uint32_t distances_;
  std::vector<std::uint32_t> distance_;  ///< between nodes, row by row
  double line_bytes_;
  tick spin_;

  std::vector<std::uint32_t> core_of_;  ///< by worker
  std::vector<std::uint32_t> kind_of_;  ///< by worker: of its core, 0 = the fastest
  page_placement::kind pages_;
  memory_system memory_;
  noise noise_;

  std::vector<core_costs> kinds_;
  std::vector<memory_queue> nodes_;
  routes routes_;
  std::vector<memory_queue> links_;  ///< of routes_
  std::vector<memory_queue> ports_;  ///< by place; empty: no such limit

  std::vector<memory_account> accounts_;
  tick first_touches_until_ = 0;
};

}}}  // namespace skua::v0::sim
