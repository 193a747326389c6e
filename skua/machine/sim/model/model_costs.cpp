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

/// The cores and places that the workers use. core_of[w] becomes the core of worker w.
memory_shape shape_of(machine_model const& model, layout const& where, std::vector<std::uint32_t>& core_of) {
  core_of = elements_of(model.tree(), where, runtime::level::core);
  auto const place_of = elements_of(model.tree(), where, runtime::level::l3);
  memory_shape shape{.nodes = model.nodes()};
  shape.place_of_core.resize(std::ranges::max(core_of) + 1);
  shape.node_of_place.resize(std::ranges::max(place_of) + 1);
  for (std::uint32_t w = 0; w < where.workers(); ++w) {
    shape.place_of_core[core_of[w]] = place_of[w];
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
      ticks_per_recorded_ns_(ticks_per_ns * (how.recorded_ghz > 0 ? how.recorded_ghz / machine.clock_ghz : 1)),
      ticks_per_flop_(ticks_per_ns / (how.flops_per_ns > 0 ? how.flops_per_ns : machine.flops_per_ns)),
      line_bytes_(static_cast<double>(machine.line_bytes)), spin_(ticks_of_ns(machine.spin_ns)), pages_(how.pages.mode),
      memory_(machine, shape_of(model, where, core_of_), how.pages), noise_(how.noise, where.workers(), how.seed),
      routes_(model.node_routes()), accounts_(where.workers()) {
  set_sources();
  set_prices();
}

model_costs::source model_costs::source_of(double bytes_per_ns, double latency_ns) const noexcept {
  return {.ticks_per_line = line_bytes_ / bytes_per_ns * ticks_per_ns,
          .ticks_per_run = latency_ns / machine_.misses_in_flight * ticks_per_ns};
}

/// Lines from outside the place: a core with few of them in flight waits for their latency (Little's law).
model_costs::source model_costs::outside_of(double bytes_per_ns, double latency_ns) const noexcept {
  if (machine_.lines_in_flight > 0)
    bytes_per_ns = std::min(bytes_per_ns, machine_.lines_in_flight * line_bytes_ / latency_ns);
  return source_of(bytes_per_ns, latency_ns);
}

void model_costs::set_sources() {
  machine_numbers const& m = machine_;
  if (m.first_level_bytes > 0) {
    if (!(m.first_level_bytes_per_ns > 0 && m.first_level_latency_ns > 0))
      throw usage_error(
          "first_level_cache.bytes is given without bytes_per_ns and latency_ns; allowed: all three, or none of them");
    first_level_ = source_of(m.first_level_bytes_per_ns, m.first_level_latency_ns);
  }
  own_ = source_of(m.private_bytes_per_ns, m.private_latency_ns);
  shared_ = source_of(m.shared_bytes_per_ns, m.shared_latency_ns);
  from_memory_.push_back(outside_of(m.memory_core_bytes_per_ns, m.memory_latency_ns));
  from_transfer_.push_back(outside_of(m.transfer_bytes_per_ns, m.transfer_latency_ns));
  for (std::uint32_t d = 0; d < distances_; ++d) {
    double const far = m.link_core_bytes_per_ns[d];
    from_memory_.push_back(
        outside_of(std::min(far, m.memory_core_bytes_per_ns), m.memory_latency_ns + m.link_latency_ns[d]));
    from_transfer_.push_back(
        outside_of(std::min(far, m.transfer_bytes_per_ns), m.transfer_latency_ns + m.link_latency_ns[d]));
  }
  if (m.memory_write_back_bytes_per_ns > 0)
    ticks_per_written_line_ = line_bytes_ / m.memory_write_back_bytes_per_ns * ticks_per_ns;
  nodes_.assign(model_nodes_, memory_queue(m.memory_bytes_per_ns));
  for (routes::link const& l : routes_.links())
    links_.emplace_back(m.link_bytes_per_ns[distance_[l.source * model_nodes_ + l.target] - 1]);
  if (m.shared_memory_bytes_per_ns > 0)
    ports_.assign(memory_.shape().node_of_place.size(), memory_queue(m.shared_memory_bytes_per_ns));
}

/// An operation on another worker costs its price within a place, plus for each of its lines the extra latency of a
/// line from there over one from the place's own cache.
void model_costs::set_prices() {
  machine_numbers const& m = machine_;
  std::vector<double> longer{0, std::max(0.0, m.transfer_latency_ns - m.shared_latency_ns)};
  for (std::uint32_t d = 0; d < distances_; ++d) longer.push_back(longer[1] + m.link_latency_ns[d]);
  prices_.resize(operations * longer.size());
  auto const set = [&](operation what, double ns, double lines) {
    for (std::size_t c = 0; c < longer.size(); ++c)
      prices_[static_cast<std::size_t>(what) * longer.size() + c] = ticks_of_ns(ns + lines * longer[c]);
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
  return prices_[static_cast<std::size_t>(what) * classes + class_between(w, whom)];
}

tick model_costs::run(tick now, worker_id w, task_tree const& program, tree_node_id id) {
  tree_node const& n = program[id];
  tick const length = n.kind == tree_node_kind::leaf
                          ? leaf(now, w, program, n)
                          : static_cast<tick>(std::llround(static_cast<double>(n.ns) * ticks_per_recorded_ns_));
  tick const lost = noise_.delay(now, w, length);
  memory_account& mine = accounts_[index(w)];
  mine.ran += length + lost;
  mine.noise += lost;
  return length + lost;
}

model_costs::computing model_costs::arithmetic_of(tree_node const& n) const {
  double const flops = std::isfinite(n.flops) && n.flops > 0 ? n.flops : 0;
  bool const has_time = leaves_ == arithmetic::by_ns ? n.ns > 0 : flops <= 0;
  double const ns = has_time ? static_cast<double>(n.ns) : flops > 0 ? measured_.ns_of(flops) : 0;
  if (has_time || ns > 0) return {.ticks = ns * ticks_per_recorded_ns_, .measured = true};
  return {.ticks = flops * ticks_per_flop_};
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
  computing const busy = arithmetic_of(n);
  if (!(busy.ticks <= longest_leaf)) refuse_leaf(busy.ticks);
  mine.arithmetic += static_cast<tick>(std::llround(busy.ticks));
  if (n.touches == 0) return static_cast<tick>(std::llround(busy.ticks));

  std::uint32_t const core = core_of_[index(w)];
  memory_.clear_moved();
  std::uint64_t const before = memory_.homes().first_touches();
  for (std::uint32_t t = 0; t < n.touches; ++t) memory_.touch(core, program.touches()[n.first_touch + t]);
  times const took = memory_of(now, core);
  record_traffic(w, memory_.moved());
  tick const alone = static_cast<tick>(std::llround(std::max(on_core(busy, took), took.alone)));
  tick const all = std::max(alone, took.served - now);
  mine.waited += all - alone;
  if (memory_.homes().first_touches() != before) first_touches_until_ = std::max(first_touches_until_, now + all);
  return all;
}

model_costs::times model_costs::memory_of(tick now, std::uint32_t core) {
  traffic const& moved = memory_.moved();
  memory_shape const& shape = memory_.shape();
  std::uint32_t const place = shape.place_of_core[core];
  std::uint32_t const here = shape.node_of_place[place];
  auto const bytes = [&](std::uint64_t lines) { return lines * machine_.line_bytes; };
  double const near = first_level_.ticks_of(moved.first_level);
  times all{
      .core = near + own_.ticks_of(moved.own) + shared_.ticks_of(moved.shared) + shared_.ticks_of(moved.neighbour),
      .near = near,
      .served = now};
  std::uint64_t through_port = 0;
  for (std::uint32_t n = 0; n < model_nodes_; ++n) {
    stream const& read = moved.memory[n];
    stream const& transferred = moved.transfers[n];
    std::uint64_t const written = moved.write_back[n];
    if (read.lines + transferred.runs + written == 0) continue;
    std::uint32_t const d = distance_[here * model_nodes_ + n];
    double const drawn = from_memory_[d].ticks_of(read) + from_transfer_[d].ticks_of(transferred);
    all.core += drawn + ticks_per_written_line_ * static_cast<double>(written);
    all.farther += std::max(0.0, drawn - from_memory_[0].ticks_of(read) - from_memory_[0].ticks_of(transferred));
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
