// SPDX-License-Identifier: MIT
#include "skua/parts/topology/layout.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/topology/core_kinds.hpp"
#include "skua/parts/topology/place_sets.hpp"
#include "skua/parts/topology/seating.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr std::uint32_t first_far = 5;

constexpr bool shared(std::uint32_t a, std::uint32_t b) noexcept { return a == b && a != no_index; }

void check_count(std::uint32_t n) {
  if (n == 0 || n > max_workers) {
    throw usage_error("workers is " + std::to_string(n) + "; allowed: a whole number from 1 to " +
                      std::to_string(max_workers));
  }
}

/// The faster places first, and the faster PUs of each; as they are if all cores are equally fast.
std::vector<place_set> fastest_first(topology const& machine, std::vector<place_set> places) {
  auto const speed = [&](std::uint32_t pu) { return machine.pus()[pu].speed; };
  for (place_set& p : places) std::ranges::stable_sort(p.pus, std::greater{}, speed);
  std::ranges::stable_sort(places, std::greater{}, [&](place_set const& p) { return speed(p.pus.front()); });
  return places;
}

/// A PU that gets workers, and its place.
struct chair {
  std::uint32_t pu;
  std::uint32_t place;
};

/// The chosen PUs, place by place: the machine decides which are chosen, the places decide how they are numbered.
std::vector<chair> chairs_for(topology const& machine, std::vector<place_set> const& places, std::uint32_t workers,
                              spread order) {
  std::vector<std::uint32_t> usable;
  for (place_set const& p : places) usable.insert(usable.end(), p.pus.begin(), p.pus.end());
  std::vector<bool> chosen(machine.pus().size(), workers >= usable.size());
  if (workers < usable.size()) {
    std::vector<std::uint32_t> const wanted = binding_order(machine, usable, order);
    for (std::uint32_t i = 0; i < workers; ++i) chosen[wanted[i]] = true;
  }
  std::vector<chair> chairs;
  for (std::uint32_t p = 0; p < places.size(); ++p) {
    for (std::uint32_t const pu : places[p].pus) {
      if (chosen[pu]) chairs.push_back({.pu = pu, .place = p});
    }
  }
  return chairs;
}

}  // namespace

layout::layout(topology const& machine, layout_options const& options)
    : this_system_(machine.is_this_system()), can_bind_(machine.can_bind()) {
  std::vector<place_set> const places = options.places.empty()
                                            ? fastest_first(machine, default_places(machine))
                                            : places_from(machine, options.places_from, options.places);
  std::uint32_t pus = 0;
  for (place_set const& p : places) pus += static_cast<std::uint32_t>(p.pus.size());
  if (options.workers) check_count(*options.workers);
  std::uint32_t const workers = options.workers.value_or(std::max(1U, std::min({pus, options.at_most, max_workers})));

  std::vector<chair> const chairs = chairs_for(machine, places, workers, options.order);
  std::uint32_t last = no_index;
  for (std::uint32_t w = 0; w < workers; ++w) {
    // With more workers than PUs each PU gets a block of neighbours, so that the numbering stays adjacent.
    chair const& c = chairs[workers <= chairs.size() ? w : std::uint64_t{w} * chairs.size() / workers];
    if (c.place != last) places_.push_back({.first = worker_id{w}, .count = 0, .kind = places[c.place].kind});
    last = c.place;
    ++places_.back().count;
    add_worker(machine, c.pu, place_id{static_cast<std::uint32_t>(places_.size() - 1)});
  }
  oversubscribed_ = workers > chairs.size();
  number_workers();
  rank_latencies(machine);
  share_speeds();
}

layout layout::flat(std::uint32_t n) {
  check_count(n);
  layout result;
  for (std::uint32_t w = 0; w < n; ++w) result.bindings_.push_back({.core = w, .numa_os = 0, .package = 0});
  result.places_.push_back({.first = worker_id{0}, .count = n, .kind = level_name(level::machine)});
  result.number_workers();
  return result;
}

layout layout::part(std::span<worker_id const> members) const {
  check_count(static_cast<std::uint32_t>(members.size()));
  layout result = *this;
  result.bindings_.clear();
  result.places_.clear();
  result.ids_.clear();
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    worker_id const w = members[i];
    if (index(w) >= workers() || (i > 0 && index(w) <= index(members[i - 1]))) {
      throw usage_error("worker " + std::to_string(index(w)) + " cannot be the next member; allowed: numbers below " +
                        std::to_string(workers()) + " in ascending order");
    }
    if (i == 0 || place_of(w) != place_of(members[i - 1])) {
      result.places_.push_back({.first = worker_id{i}, .count = 0, .kind = place_kind(place_of(w))});
    }
    ++result.places_.back().count;
    result.bindings_.push_back(binding_of(w));
    result.bindings_.back().place = place_id{static_cast<std::uint32_t>(result.places_.size() - 1)};
  }
  result.number_workers();
  return result;
}

void layout::add_worker(topology const& machine, std::uint32_t pu, place_id place) {
  topology_pu const& self = machine.pus()[pu];
  std::uint32_t const core = machine.ancestor(pu, level::core);
  std::uint32_t const numa = machine.ancestor(pu, level::numa_node);
  bindings_.push_back({.pu = self.os_index,
                       .core = core == no_index ? self.node : core,
                       .l2 = machine.ancestor(pu, level::l2),
                       .l3 = machine.ancestor(pu, level::l3),
                       .numa_os = numa == no_index ? no_index : machine.nodes()[numa].os_index,
                       .package = machine.ancestor(pu, level::package),
                       .place = place,
                       .efficiency = self.efficiency,
                       .speed = self.speed});
}

/// From the speeds of cores to those of workers.
void layout::share_speeds() {
  bool const are_alike =
      std::ranges::all_of(bindings_, [&](binding const& b) { return b.speed == bindings_[0].speed; });
  if (are_alike) {
    for (binding& b : bindings_) b.speed = 1;
    return;
  }
  std::unordered_map<std::uint32_t, std::uint32_t> workers_on;        // a PU
  std::unordered_map<std::uint32_t, std::set<std::uint32_t>> pus_in;  // use, of a core
  for (binding const& b : bindings_) {
    ++workers_on[b.pu];
    pus_in[b.core].insert(b.pu);
  }
  for (binding& b : bindings_) {
    std::size_t const threads = pus_in[b.core].size();
    // Two hardware threads do 2 * share_of_hardware_thread of what one does; more of them do no more.
    if (threads > 1) b.speed *= 2 * share_of_hardware_thread / static_cast<double>(threads);
    b.speed /= workers_on[b.pu];
  }
}

void layout::number_workers() {
  for (std::uint32_t w = 0; w < workers(); ++w) ids_.push_back(worker_id{w});
  for (place_range const& p : places_) invariant(p.count > 0, "adjacent");
}

/// Finds the distance classes beyond 4. Only pairs of (NUMA node, package) matter, not pairs of workers.
void layout::rank_latencies(topology const& machine) {
  auto const domain_of = [](binding const& s) { return std::pair{s.package, s.numa_os}; };
  std::vector<binding> domains = bindings_;
  std::ranges::sort(domains, {}, domain_of);
  domains.erase(std::ranges::unique(domains, {}, domain_of).begin(), domains.end());
  for (binding const& s : domains) numa_rows_.push_back(s.numa_os);
  std::ranges::sort(numa_rows_);
  numa_rows_.erase(std::ranges::unique(numa_rows_).begin(), numa_rows_.end());
  if (!machine.has_numa_latencies()) numa_rows_.clear();
  for (std::uint32_t const a : numa_rows_) {
    for (std::uint32_t const b : numa_rows_) latency_.push_back(machine.numa_latency(a, b).value_or(0));
  }
  for (std::size_t i = 0; i < domains.size(); ++i) {
    // Without latencies there are only two kinds, and neighbours in this order show
    // both: same package, another package.
    std::size_t const stop = numa_rows_.empty() ? std::min(i + 2, domains.size()) : domains.size();
    for (std::size_t j = i + 1; j < stop; ++j) far_.push_back(far_between(domains[i], domains[j]));
  }
  std::ranges::sort(far_);
  far_.erase(std::ranges::unique(far_).begin(), far_.end());
}

layout::far layout::far_between(binding const& a, binding const& b) const noexcept {
  auto const row = std::ranges::lower_bound(numa_rows_, a.numa_os);
  auto const column = std::ranges::lower_bound(numa_rows_, b.numa_os);
  far result{.latency = 0, .other_package = a.package != b.package};
  if (row != numa_rows_.end() && column != numa_rows_.end()) {
    result.latency = latency_[static_cast<std::size_t>(row - numa_rows_.begin()) * numa_rows_.size() +
                              static_cast<std::size_t>(column - numa_rows_.begin())];
  }
  return result;
}

std::span<worker_id const> layout::workers_of(place_id p) const noexcept {
  place_range const& range = places_[index(p)];
  return std::span{ids_}.subspan(index(range.first), range.count);
}

std::vector<std::uint32_t> layout::distances_from(worker_id a) const {
  std::vector<std::uint32_t> all(workers());
  binding const* last = nullptr;  // of a far worker: those of its place are equally far
  for (std::uint32_t w = 0; w < workers(); ++w) {
    binding const& its = binding_of(worker_id{w});
    bool const is_known =
        last != nullptr && last->place == its.place && last->numa_os == its.numa_os && last->package == its.package;
    all[w] = is_known ? all[w - 1] : distance(a, worker_id{w});
    last = all[w] >= first_far ? &its : nullptr;
  }
  return all;
}

std::uint32_t layout::distance(worker_id a, worker_id b) const noexcept {
  if (a == b) return 0;
  binding const& x = binding_of(a);
  binding const& y = binding_of(b);
  if (shared(x.core, y.core)) return 1;
  if (shared(x.l2, y.l2)) return 2;
  // An L3 may hold several NUMA nodes (sub-NUMA clusters). Then only workers of the same node are near.
  bool const same_node = x.numa_os == y.numa_os && x.package == y.package;
  if (x.place == y.place || (same_node && shared(x.l3, y.l3))) return 3;
  if (same_node) return 4;
  auto const rank = std::ranges::lower_bound(far_, far_between(x, y));
  return first_far + static_cast<std::uint32_t>(rank - far_.begin());
}

std::uint32_t layout::distance_classes() const noexcept { return first_far + static_cast<std::uint32_t>(far_.size()); }

std::uint32_t layout::distance(place_id a, place_id b) const noexcept {
  return a == b ? 0 : distance(places_[index(a)].first, places_[index(b)].first);
}

std::string layout::distance_name(std::uint32_t distance) const {
  constexpr std::array<std::string_view, first_far> near{"same worker", "same core", "same L2", "same L3 or place",
                                                         "same NUMA node"};
  if (distance < first_far) return std::string{near[distance]};
  expects(distance < distance_classes(), "the distance exists on this layout");
  far const& f = far_[distance - first_far];
  std::string name = f.other_package ? "another package" : "same package";
  if (f.latency != 0) name += ", NUMA latency " + std::to_string(f.latency);
  return name;
}

}}}  // namespace skua::v0::runtime
