// SPDX-License-Identifier: MIT
// The workers of a pool on a topology: the PU of each, and their distances. Plain data, no hwloc, no thread.
//
// Invariant (adjacent): workers are numbered along the machine, place by place, so that neighbours in the topology have
// neighbouring numbers, the workers of a place are a range of numbers, and no place is empty. On cores of several speeds
// the faster places come first, and the faster workers of a place, unless the user lists the places: worker 0, which runs what a
// program does alone, is a fast one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/settings.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Which PUs are used when there are fewer workers than PUs.
enum class spread : std::uint8_t {
  compact,  ///< place after place, one worker per core before any core gets a second one, and fast cores before slow ones
  scatter,  ///< round-robin over packages, then NUMA nodes, L3, L2, cores: most memory bandwidth and cache per worker
};

struct layout_options {
  std::optional<std::uint32_t> workers = {};  ///< exactly this number, 1 .. max_workers; may exceed the PUs
  std::uint32_t at_most =
      max_workers;  ///< where `workers` is unset: one per PU, but not more than this (the CPU quota)
  spread order = spread::compact;
  std::string places = {};             ///< grammar of places.hpp; empty = the default of place_sets.hpp
  std::string places_from = "places";  ///< its name in errors: SKUA_PLACES, OMP_PLACES, ...
};

class layout {
 public:
  /// Throws usage_error for invalid counts or places. Cost: linear in PUs and workers.
  explicit layout(topology const& machine, layout_options const& options = {});

  /// n workers in one place, each with its own core, on no particular machine: for tests of policies.
  [[nodiscard]] static layout flat(std::uint32_t n);

  /// A layout of some of these workers, given in ascending order. They become 0, 1, ... and keep their places; places
  /// without workers disappear. Throws usage_error for no worker, a wrong order, or a worker that is not here.
  [[nodiscard]] layout part(std::span<worker_id const> members) const;

  [[nodiscard]] std::uint32_t workers() const noexcept { return static_cast<std::uint32_t>(bindings_.size()); }
  [[nodiscard]] std::uint32_t places() const noexcept { return static_cast<std::uint32_t>(places_.size()); }
  [[nodiscard]] place_id place_of(worker_id w) const noexcept { return binding_of(w).place; }
  [[nodiscard]] std::span<worker_id const> workers_of(place_id p) const noexcept;

  /// 0: the same worker. 1: the same core. 2: the same L2. 3: the same L3 or place. 4: the same NUMA node (and
  /// package). 5 and above: farther, ranked by the latency between the NUMA nodes where it is known, then the same
  /// package before another one. Symmetric. A class may be empty on a given machine. A few comparisons.
  [[nodiscard]] std::uint32_t distance(worker_id a, worker_id b) const noexcept;
  /// From this worker to each.
  [[nodiscard]] std::vector<std::uint32_t> distances_from(worker_id a) const;
  /// All distances are below this.
  [[nodiscard]] std::uint32_t distance_classes() const noexcept;
  /// Between the first workers of the two places; 0 for the same place.
  [[nodiscard]] std::uint32_t distance(place_id a, place_id b) const noexcept;
  /// "same L3", "same package, NUMA latency 12", ...
  [[nodiscard]] std::string distance_name(std::uint32_t distance) const;

  /// The OS index of the PU on which a worker belongs, or no_index in a flat layout.
  [[nodiscard]] std::uint32_t pu_of(worker_id w) const noexcept { return binding_of(w).pu; }
  /// The OS index of the NUMA node of a worker, or of the first worker of a place; no_index if there is none.
  [[nodiscard]] std::uint32_t numa_of(worker_id w) const noexcept { return binding_of(w).numa_os; }
  [[nodiscard]] std::uint32_t numa_of(place_id p) const noexcept { return numa_of(places_[index(p)].first); }
  /// A number that workers of one package share, and no others; no_index where there are no packages.
  [[nodiscard]] std::uint32_t package_of(worker_id w) const noexcept { return binding_of(w).package; }
  /// The kind of its core: see topology_pu::efficiency.
  [[nodiscard]] int efficiency_of(worker_id w) const noexcept { return binding_of(w).efficiency; }
  /// What it does beside the others, as a part of what it would do on a fastest core of its own: topology_pu::speed, less if
  /// workers share its core or its PU. 1 for each worker if their cores are equally fast, whatever they share.
  [[nodiscard]] double speed_of(worker_id w) const noexcept { return binding_of(w).speed; }
  /// "l3", "numa_node", ..., or "given" for places that the user listed.
  [[nodiscard]] std::string_view place_kind(place_id p) const noexcept { return places_[index(p)].kind; }

  /// True if two workers share a PU.
  [[nodiscard]] bool oversubscribed() const noexcept { return oversubscribed_; }
  /// True if the PUs are those of this machine, so that workers can be pinned to them.
  [[nodiscard]] bool is_this_system() const noexcept { return this_system_; }
  /// True if the system supports binding threads (hwloc's support bit).
  [[nodiscard]] bool can_bind() const noexcept { return can_bind_; }

 private:
  /// Where a worker runs. core .. package are equal for workers that share the element; no_index equals nothing.
  struct binding {
    std::uint32_t pu = no_index;
    std::uint32_t core = no_index;
    std::uint32_t l2 = no_index;
    std::uint32_t l3 = no_index;
    std::uint32_t numa_os = no_index;
    std::uint32_t package = no_index;
    place_id place{};
    int efficiency = -1;
    double speed = 1;
  };
  struct place_range {
    worker_id first{};
    std::uint32_t count = 0;
    std::string_view kind;
  };
  /// The rank of two workers that share no NUMA node (or no package below it).
  struct far {
    std::uint64_t latency = 0;
    bool other_package = false;
    friend constexpr auto operator<=>(far const&, far const&) = default;
  };

  layout() = default;
  [[nodiscard]] binding const& binding_of(worker_id w) const noexcept { return bindings_[index(w)]; }
  [[nodiscard]] far far_between(binding const& a, binding const& b) const noexcept;
  void add_worker(topology const& machine, std::uint32_t pu, place_id place);
  void number_workers();
  void rank_latencies(topology const& machine);
  void share_speeds();

  std::vector<binding> bindings_;
  std::vector<place_range> places_;
  std::vector<worker_id> ids_;            // 0, 1, 2, ...; workers_of returns ranges of it
  std::vector<far> far_;                  // ascending; distance 5 + i
  std::vector<std::uint32_t> numa_rows_;  // OS indices with known latencies, ascending
  std::vector<std::uint64_t> latency_;    // between them, row by row, symmetric
  bool oversubscribed_ = false;
  bool this_system_ = false;
  bool can_bind_ = false;
};

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::layout;

}}  // namespace skua::v0
