// SPDX-License-Identifier: MIT
#include "skua/machine/sim/model/model_costs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>

#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace sim {
namespace {

tick ticks_of_ns(double ns) { return static_cast<tick>(std::llround(ns * ticks_per_ns)); }

/// The element of this kind above each worker's PU, numbered without gaps in the order of the machine.
std::vector<std::uint32_t> elements_of(topology const& tree, layout const& where, runtime::level kind) {
  std::map<std::uint32_t, std::uint32_t> position;  // of a PU, by OS index
  for (std::uint32_t i = 0; i < tree.pus().size(); ++i) position[tree.pus()[i].os_index] = i;
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t w = 0; w < where.workers(); ++w) {
    auto const at = position.find(where.pu_of(worker_id{w}));
    if (at == position.end())
      throw usage_error("the workers' layout is not a layout of the machine model; allowed: machine_model::layout_of");
    nodes.push_back(tree.ancestor(at->second, kind));
  }
  std::vector<std::uint32_t> order = nodes;
  std::ranges::sort(order);
  order.erase(std::ranges::unique(order).begin(), order.end());
  for (std::uint32_t& n : nodes) n = static_cast<std::uint32_t>(std::ranges::lower_bound(order, n) - order.begin());
  return nodes;
}

/// By worker: the position of its core's speed among those of the model.
std::vector<std::uint32_t> kinds_of(machine_model const& model, layout const& where) {
  std::map<std::uint32_t, double> speed;  // of a PU, by OS index
  for (runtime::topology_pu const& pu : model.tree().pus()) speed[pu.os_index] = pu.speed;
  std::vector<std::uint32_t> all;
  for (std::uint32_t w = 0; w < where.workers(); ++w) {
    auto const at = std::ranges::find(model.kind_speeds(), speed[where.pu_of(worker_id{w})]);
    all.push_back(static_cast<std::uint32_t>(at - model.kind_speeds().begin()));
  }
  return all;
}

/// The cores and places that the workers use. core_of[w] becomes the core of worker w, kind_of[w] the kind of that core.
memory_shape shape_of(machine_model const& model, machine_numbers const& machine, layout const& where,
                      std::vector<std::uint32_t>& core_of, std::vector<std::uint32_t>& kind_of) {
  core_of = elements_of(model.tree(), where, runtime::level::core);
  auto const place_of = elements_of(model.tree(), where, runtime::level::l3);
  memory_shape shape{.nodes = model.nodes()};
  shape.place_of_core.resize(std::ranges::max(core_of) + 1);
  shape.node_of_place.resize(std::ranges::max(place_of) + 1);
  kind_of = kinds_of(model, where);
  std::vector<own_caches> caches;
  for (std::uint32_t k = 0; k < model.kind_speeds().size(); ++k) {
    machine_numbers const own = machine.of_kind(k, model.kind_speeds()[k]);
    caches.push_back({.first_level_bytes = own.first_level_bytes, .private_bytes = own.private_bytes});
  }
  shape.caches_of_core.resize(shape.place_of_core.size());
  for (std::uint32_t w = 0; w < where.workers(); ++w) {
    shape.place_of_core[core_of[w]] = place_of[w];
    shape.caches_of_core[core_of[w]] = caches[kind_of[w]];
    shape.node_of_place[place_of[w]] = where.numa_of(worker_id{w});
  }
  return shape;
}

std::vector<std::uint32_t> distances_of(machine_model const& model) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t a = 0; a < model.nodes(); ++a) {
    for (std::uint32_t b = 0; b < model.nodes(); ++b) all.push_back(model.distance(a, b));
  }
  return all;
}

constexpr std::size_t operations = static_cast<std::size_t>(operation::interrupt) + 1;

}  // namespace

double leaf_times::ns_of(double flops) const {
  if (auto const known = ns.find(flops); known != ns.end()) return known->second;
  return flops_per_ns > 0 ? flops / flops_per_ns : 0;
}

model_costs::model_costs(machine_model const& model, machine_numbers const& machine, layout const& where,
                         cost_options const& how)
    : machine_(machine), leaves_(how.leaves), measured_(how.measured), model_nodes_(model.nodes()),
      distances_(model.distances()), distance_(distances_of(model)),
      line_bytes_(static_cast<double>(machine.line_bytes)), spin_(ticks_of_ns(machine.spin_ns)), pages_(how.pages.mode),
      memory_(machine, shape_of(model, machine, where, core_of_, kind_of_), how.pages),
      noise_(how.noise, where.workers(), how.seed), routes_(model.node_routes()), accounts_(where.workers()) {
  for (std::uint32_t k = 0; k < model.kind_speeds().size(); ++k) {
    double const speed = model.kind_speeds()[k];
    kinds_.push_back(costs_of(machine.of_kind(k, speed), speed, how));
  }
  nodes_.assign(model_nodes_, memory_queue(machine.memory_bytes_per_ns));
  for (routes::link const& l : routes_.links())
    links_.emplace_back(machine.link_bytes_per_ns[distance_[l.source * model_nodes_ + l.target] - 1]);
  if (machine.shared_memory_bytes_per_ns > 0)
    ports_.assign(memory_.shape().node_of_place.size(), memory_queue(machine.shared_memory_bytes_per_ns));
}

/// `own`: the machine as such a core has it. A time that was measured, or a rate that is given, is that of the fastest kind.
model_costs::core_costs model_costs::costs_of(machine_numbers const& own, double speed, cost_options const& how) const {
  double const recorded = how.recorded_ghz > 0 ? how.recorded_ghz / machine_.clock_ghz : 1;
  double const given = how.flops_per_ns > 0 ? how.flops_per_ns * (own.flops_per_ns / machine_.flops_per_ns) : 0;
  core_costs all{.ticks_per_recorded_ns = ticks_per_ns * recorded / speed,
                 .ticks_per_flop = ticks_per_ns / (given > 0 ? given : own.flops_per_ns)};
  set_sources(all, own);
  set_prices(all, own);
  return all;
}

void model_costs::set_sources(core_costs& all, machine_numbers const& m) const {
  auto const source_of = [&](double bytes_per_ns, double latency_ns) -> source {
    return {.ticks_per_line = line_bytes_ / bytes_per_ns * ticks_per_ns,
            .ticks_per_run = latency_ns / m.misses_in_flight * ticks_per_ns};
  };
  // Lines from outside the place: a core with few of them in flight waits for their latency (Little's law).
  auto const outside_of = [&](double bytes_per_ns, double latency_ns) {
    if (m.lines_in_flight > 0) bytes_per_ns = std::min(bytes_per_ns, m.lines_in_flight * line_bytes_ / latency_ns);
    return source_of(bytes_per_ns, latency_ns);
  };
  if (m.first_level_bytes > 0) {
    if (!(m.first_level_bytes_per_ns > 0 && m.first_level_latency_ns > 0))
      throw usage_error(
          "first_level_cache.bytes is given without bytes_per_ns and latency_ns; allowed: all three, or none of them");
    all.first_level = source_of(m.first_level_bytes_per_ns, m.first_level_latency_ns);
  }
  all.own = source_of(m.private_bytes_per_ns, m.private_latency_ns);
  all.shared = source_of(m.shared_bytes_per_ns, m.shared_latency_ns);
  all.from_memory.push_back(outside_of(m.memory_core_bytes_per_ns, m.memory_latency_ns));
  all.from_transfer.push_back(outside_of(m.transfer_bytes_per_ns, m.transfer_latency_ns));
  for (std::uint32_t d = 0; d < distances_; ++d) {
    double const far = m.link_core_bytes_per_ns[d];
    all.from_memory.push_back(
        outside_of(std::min(far, m.memory_core_bytes_per_ns), m.memory_latency_ns + m.link_latency_ns[d]));
    all.from_transfer.push_back(
        outside_of(std::min(far, m.transfer_bytes_per_ns), m.transfer_latency_ns + m.link_latency_ns[d]));
  }
  if (m.memory_write_back_bytes_per_ns > 0)
    all.ticks_per_written_line = line_bytes_ / m.memory_write_back_bytes_per_ns * ticks_per_ns;
}

/// An operation on another worker costs its price within a place, plus for each of its lines the extra latency of a
/// line from there over one from the place's own cache.
void model_costs::set_prices(core_costs& all, machine_numbers const& m) const {
  std::vector<double> longer{0, std::max(0.0, m.transfer_latency_ns - m.shared_latency_ns)};
  for (std::uint32_t d = 0; d < distances_; ++d) longer.push_back(longer[1] + m.link_latency_ns[d]);
  all.prices.resize(operations * longer.size());
  auto const set = [&](operation what, double ns, double lines) {
    for (std::size_t c = 0; c < longer.size(); ++c)
      all.prices[static_cast<std::size_t>(what) * longer.size() + c] = ticks_of_ns(ns + lines * longer[c]);
  };
  set(operation::fork, m.fork_ns, 0);
  set(operation::spawn, m.spawn_ns, 0);
  set(operation::compare, m.compare_ns, 0);
  set(operation::expose, m.expose_ns, 0);
  set(operation::pop, m.pop_ns, 0);
  set(operation::steal, m.steal_ns, m.steal_lines);
  set(operation::miss, m.miss_ns, m.miss_lines);
  set(operation::look, m.shared_latency_ns, 1);
  set(operation::send, m.send_ns, m.send_lines);
  set(operation::park, m.park_ns, 0);
  set(operation::resume, m.resume_ns, 0);
  set(operation::rest, m.rest_ns, 0);
  set(operation::notify, m.notify_ns, 0);
  set(operation::wake_up, m.wake_up_ns, 0);
  set(operation::fence, m.fence_ns, 0);
  set(operation::heavy_fence, m.heavy_fence_ns, 0);
  set(operation::heavy_fence_each, m.heavy_fence_each_ns, 0);
  set(operation::interrupt, m.interrupt_ns, 0);
}

std::uint32_t model_costs::class_between(worker_id a, worker_id b) const noexcept {
  memory_shape const& shape = memory_.shape();
  std::uint32_t const here = shape.place_of_core[core_of_[index(a)]];
  std::uint32_t const there = shape.place_of_core[core_of_[index(b)]];
  if (here == there) return 0;
  return 1 + distance_[shape.node_of_place[here] * model_nodes_ + shape.node_of_place[there]];
}

tick model_costs::price(tick, operation what, worker_id w, worker_id whom) {
  std::size_t const classes = std::size_t{2} + distances_;
  return of_worker(w).prices[static_cast<std::size_t>(what) * classes + class_between(w, whom)];
}

tick model_costs::run(tick now, worker_id w, task_tree const& program, tree_node_id id) {
  tree_node const& n = program[id];
  tick const length =
      n.kind == tree_node_kind::leaf
          ? leaf(now, w, program, n)
          : static_cast<tick>(std::llround(static_cast<double>(n.ns) * of_worker(w).ticks_per_recorded_ns));
  tick const lost = noise_.delay(now, w, length);
  memory_account& mine = accounts_[index(w)];
  mine.ran += length + lost;
  mine.noise += lost;
  return length + lost;
}

model_costs::computing model_costs::arithmetic_of(core_costs const& mine, tree_node const& n) const {
  double const flops = std::isfinite(n.flops) && n.flops > 0 ? n.flops : 0;
  bool const has_time = leaves_ == arithmetic::by_ns ? n.ns > 0 : flops <= 0;
  double const ns = has_time ? static_cast<double>(n.ns) : flops > 0 ? measured_.ns_of(flops) : 0;
  if (has_time || ns > 0) return {.ticks = ns * mine.ticks_per_recorded_ns, .measured = true};
  return {.ticks = flops * mine.ticks_per_flop};
}

/// The duration on a core without competitors. A measured time already includes its misses, at the price of local memory:
/// the serial run that was measured had all data there.
double model_costs::on_core(computing what, times const& fetching) const noexcept {
  if (what.measured) return std::max(what.ticks + fetching.farther, fetching.core);
  double const hidden = std::max(what.ticks, fetching.core);
  double const one_by_one = std::max(what.ticks, fetching.near) + (fetching.core - fetching.near);
  return hidden + (1 - machine_.hidden_share) * (one_by_one - hidden);
}

namespace {

/// 2.5 hours: the virtual time of a thousand of them does not overflow.
constexpr double longest_leaf = 1ULL << 53;

[[noreturn, gnu::cold]] void refuse_leaf(double ticks) {
  throw usage_error("a leaf takes " + std::to_string(std::llround(std::min(ticks, 9e18) / 1e12)) +
                    " s on this machine; allowed: at most 9000 s (its flops, or its measured time)");
}

}  // namespace

tick model_costs::leaf(tick now, worker_id w, task_tree const& program, tree_node const& n) {
  memory_account& mine = accounts_[index(w)];
  ++mine.leaves;
  core_costs const& prices = of_worker(w);
  computing const busy = arithmetic_of(prices, n);
  if (!(busy.ticks <= longest_leaf)) refuse_leaf(busy.ticks);
  mine.arithmetic += static_cast<tick>(std::llround(busy.ticks));
  if (n.touches == 0) return static_cast<tick>(std::llround(busy.ticks));

  std::uint32_t const core = core_of_[index(w)];
  memory_.clear_moved();
  std::uint64_t const before = memory_.homes().first_touches();
  for (std::uint32_t t = 0; t < n.touches; ++t) memory_.touch(core, program.touches()[n.first_touch + t]);
  times const took = memory_of(now, prices, core);
  record_traffic(w, memory_.moved());
  tick const alone = static_cast<tick>(std::llround(std::max(on_core(busy, took), took.alone)));
  tick const all = std::max(alone, took.served - now);
  mine.waited += all - alone;
  if (memory_.homes().first_touches() != before) first_touches_until_ = std::max(first_touches_until_, now + all);
  return all;
}

model_costs::times model_costs::memory_of(tick now, core_costs const& mine, std::uint32_t core) {
  traffic const& moved = memory_.moved();
  memory_shape const& shape = memory_.shape();
  std::uint32_t const place = shape.place_of_core[core];
  std::uint32_t const here = shape.node_of_place[place];
  auto const bytes = [&](std::uint64_t lines) { return lines * machine_.line_bytes; };
  double const near = mine.first_level.ticks_of(moved.first_level);
  times all{.core = near + mine.own.ticks_of(moved.own) + mine.shared.ticks_of(moved.shared) +
                    mine.shared.ticks_of(moved.neighbour),
            .near = near,
            .served = now};
  std::uint64_t through_port = 0;
  for (std::uint32_t n = 0; n < model_nodes_; ++n) {
    stream const& read = moved.memory[n];
    stream const& transferred = moved.transfers[n];
    std::uint64_t const written = moved.write_back[n];
    if (read.lines + transferred.runs + written == 0) continue;
    std::uint32_t const d = distance_[here * model_nodes_ + n];
    double const drawn = mine.from_memory[d].ticks_of(read) + mine.from_transfer[d].ticks_of(transferred);
    all.core += drawn + mine.ticks_per_written_line * static_cast<double>(written);
    all.farther +=
        std::max(0.0, drawn - mine.from_memory[0].ticks_of(read) - mine.from_memory[0].ticks_of(transferred));
    if (read.lines + written > 0) all.pass(nodes_[n], now, bytes(read.lines + written));
    cross(all, now, {n, here}, bytes(read.lines + transferred.lines));
    cross(all, now, {here, n}, bytes(written));
    through_port += bytes(read.lines + transferred.lines);
  }
  if (!ports_.empty() && through_port > 0) all.pass(ports_[place], now, through_port);
  return all;
}

/// Loads all links of the route at once: each passes data on while it receives it.
void model_costs::cross(times& all, tick now, routes::link const& way, std::uint64_t bytes) noexcept {
  if (bytes == 0) return;
  for (std::uint32_t const l : routes_.between(way.source, way.target)) all.pass(links_[l], now, bytes);
}

void model_costs::record_traffic(worker_id w, traffic const& moved) {
  memory_account& mine = accounts_[index(w)];
  memory_shape const& shape = memory_.shape();
  std::uint32_t const here = shape.node_of_place[shape.place_of_core[core_of_[index(w)]]];
  std::uint64_t const line = machine_.line_bytes;
  mine.first_level_bytes += moved.first_level.lines * line;
  mine.private_bytes += moved.own.lines * line;
  mine.shared_bytes += moved.shared.lines * line;
  mine.neighbour_bytes += moved.neighbour.lines * line;
  for (std::uint32_t n = 0; n < model_nodes_; ++n) {
    (n == here ? mine.local_bytes : mine.remote_bytes) += moved.memory[n].lines * line;
    mine.transfer_bytes += moved.transfers[n].lines * line;
    mine.written_back_bytes += moved.write_back[n] * line;
  }
}

memory_account model_costs::total() const noexcept {
  memory_account all;
  for (memory_account const& a : accounts_) {
    all.first_level_bytes += a.first_level_bytes;
    all.private_bytes += a.private_bytes;
    all.shared_bytes += a.shared_bytes;
    all.neighbour_bytes += a.neighbour_bytes;
    all.local_bytes += a.local_bytes;
    all.remote_bytes += a.remote_bytes;
    all.transfer_bytes += a.transfer_bytes;
    all.written_back_bytes += a.written_back_bytes;
    all.leaves += a.leaves;
    all.ran += a.ran;
    all.arithmetic += a.arithmetic;
    all.waited += a.waited;
    all.noise += a.noise;
  }
  return all;
}

void model_costs::own(std::span<owned_range const> ranges, layout const& where) {
  using kind = page_placement::kind;
  if (pages_ != kind::places && pages_ != kind::prepared) return;
  for (owned_range const& r : std::views::reverse(ranges)) {
    bool const is_placed = pages_ == kind::places && r.owner;
    memory_.homes().bind_pages(r.address, r.bytes, is_placed ? where.numa_of(*r.owner) : where.numa_of(worker_id{0}));
  }
}

void model_costs::bind_pages(void const* data, std::uint64_t bytes, std::uint32_t node) {
  memory_.homes().bind_pages(reinterpret_cast<std::uintptr_t>(data), bytes, node);
}

}}}  // namespace skua::v0::sim
