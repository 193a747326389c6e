// SPDX-License-Identifier: MIT
#include "skua/program/flow/graph.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

double work_of_node(flow_node const& n) { return work_of(n.hints); }

template <class F>
void for_each_successor(flow_node const& n, F&& f) {
  for (auto const* e = n.links.successors(); e != nullptr; e = e->next) f(*e->successor);
}

std::string quoted(std::string const& text) {
  std::string out = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string number_text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", x);
  return text;
}

}  // namespace

struct flow_graph::tables {
  struct touched {
    flow_node* writer = nullptr;
    std::vector<flow_node*> readers{};  ///< since then
  };
  std::vector<std::string> names{std::string()};
  std::unordered_map<std::string, std::uint32_t> labels{};
  std::unordered_map<void const*, touched> blocks{};
};

flow_graph::flow_graph() : tables_(std::make_unique<tables>()) {}

flow_graph::~flow_graph() {
  // relaxed: the destroying thread is ordered after all others
  expects(!runs_.load(std::memory_order_relaxed), "flow: destroyed while it runs; wait for its run first");
  for (flow_node* n = all_.first; n != nullptr;) {
    flow_node* const next = n->next;
    n->kind->destroy(*n);
    n = next;
  }
}

void* flow_graph::take(std::size_t bytes, std::size_t alignment) {
  std::lock_guard const held(lock_);
  is_changed_ = true;  // memory is for nodes and edges
  return memory_.allocate(bytes, alignment);
}

void flow_graph::number(flow_node& n) noexcept {
  std::lock_guard const held(lock_);
  n.number = static_cast<std::uint32_t>(count_++);
  n.graph = this;
}

void flow_graph::append(flow_nodes const& added) noexcept {
  std::lock_guard const held(lock_);
  (all_.first == nullptr ? all_.first : all_.last->next) = added.first;
  all_.last = added.last;
}

void flow_graph::expect_own(flow_node const& n) const {
  if (n.graph == this) return;
  throw usage_error("flow: " + n.graph->name_of(n) +
                    " belongs to another flow; allowed: edges between nodes of one flow");
}

bool flow_graph::connect(flow_node& from, flow_node& to) {
  if (from.graph != this || to.graph != this) {
    throw usage_error("flow: an edge from " + from.graph->name_of(from) + " to " + to.graph->name_of(to) +
                      ", which belong to two flows; allowed: edges between nodes of one flow");
  }
  auto* const e = ::new (take(sizeof(flow_edge<flow_node>), alignof(flow_edge<flow_node>))) flow_edge<flow_node>{};
  edge_state const came = from.links.add(*e, to);
  if (came == edge_state::begun) {
    throw usage_error("flow: the edge from " + name_of(from) + " to " + name_of(to) +
                      " comes too late: " + name_of(to) +
                      " may have begun; allowed: edges to nodes that were added by a node which still runs");
  }
  return came == edge_state::ready;
}

std::size_t flow_graph::edges() const noexcept {
  std::size_t all = 0;
  for (flow_node const* n = all_.first; n != nullptr; n = n->next) all += n->links.predecessors();
  return all;
}

void flow_graph::refuse(char const* change) {
  throw usage_error(std::string("flow: ") + change +
                    " while it runs; allowed: between runs; a node adds by its second argument, f(here, in)");
}

void flow_graph::name(node<void> n, std::string text) {
  expect_at_rest("a name");
  auto const [at, is_new] = tables_->labels.try_emplace(text, static_cast<std::uint32_t>(tables_->names.size()));
  if (is_new) tables_->names.push_back(std::move(text));
  n.get().label = at->second;
}

std::string flow_graph::name_of(flow_node const& n) const {
  return n.label != 0 ? tables_->names[n.label] : "node " + std::to_string(n.number);
}

std::vector<std::string> const& flow_graph::names() const noexcept { return tables_->names; }

void flow_graph::connect_once(flow_node& from, flow_node& to) {
  auto const* const newest = from.links.successors();
  if (&from == &to || (newest != nullptr && newest->successor == &to))
    return;                              // both edges would come from the same addition
  static_cast<void>(connect(from, to));  // between runs nothing is ready
}

void flow_graph::touch(flow_node& added, void const* block, bool is_written) {
  tables::touched& before = tables_->blocks[block];
  if (before.writer != nullptr) connect_once(*before.writer, added);
  if (!is_written) {
    before.readers.push_back(&added);
    return;
  }
  for (flow_node* const reader : before.readers) connect_once(*reader, added);
  before.readers.clear();
  before.writer = &added;
}

void flow_graph::arm(std::vector<flow_node*>& roots) {
  // acquire: what the run before has left. Pairs with: disarm, store.
  if (runs_.exchange(true, std::memory_order_acquire)) {
    throw usage_error("flow: run while it runs; allowed: one run after the other, or a flow for each");
  }
  try {
    roots.reserve(count_);
  } catch (...) {
    runs_.store(false, std::memory_order_release);  // release: as in disarm. Pairs with: arm, exchange
    throw;
  }
  for (flow_node* n = all_.first; n != nullptr; n = n->next) {
    if (n->links.arm()) roots.push_back(n);
  }
}

void flow_graph::disarm(bool failed) {
  bool all_ran = true;
  for (flow_node* n = all_.first; n != nullptr; n = n->next) all_ran = n->links.disarm() && all_ran;
  runs_.store(false,
              std::memory_order_release);  // release: the nodes as this run leaves them. Pairs with: arm, exchange
  if (!all_ran && !failed) static_cast<void>(in_order());  // throws: nodes without a cycle have run
}

std::vector<flow_node const*> flow_graph::by_number() const {
  std::vector<flow_node const*> all(count_);
  for (flow_node const* n = all_.first; n != nullptr; n = n->next) all[n->number] = n;
  return all;
}

std::vector<flow_node const*> flow_graph::in_order() const {
  std::vector<flow_node const*> const all = by_number();
  std::vector<std::uint32_t> waits(all.size());
  std::vector<flow_node const*> order = in_order(all, waits);
  if (order.size() != all.size()) throw usage_error("flow: nodes wait for each other: " + cycle_among(all, waits));
  return order;
}

std::vector<flow_node const*> flow_graph::in_order(std::vector<flow_node const*> const& all,
                                                   std::vector<std::uint32_t>& waits) const {
  std::vector<flow_node const*> order;
  order.reserve(all.size());
  for (flow_node const* n : all) {
    waits[n->number] = n->links.predecessors();
    if (waits[n->number] == 0) order.push_back(n);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for_each_successor(*order[i], [&](flow_node const& to) {
      if (--waits[to.number] == 0) order.push_back(&to);
    });
  }
  return order;
}

/// Of the nodes that still wait: follows predecessors until one comes a second time.
std::string flow_graph::cycle_among(std::vector<flow_node const*> const& all,
                                    std::vector<std::uint32_t> const& waits) const {
  std::vector<flow_node const*> before(all.size());  // a predecessor that also waits
  for (flow_node const* n : all) {
    if (waits[n->number] == 0) continue;
    for_each_successor(*n, [&](flow_node const& to) { before[to.number] = n; });
  }
  auto const waiting = std::ranges::find_if(waits, [](std::uint32_t n) { return n != 0; });
  flow_node const* at = all[static_cast<std::size_t>(waiting - waits.begin())];
  std::vector<bool> seen(all.size());
  for (; !seen[at->number]; at = before[at->number]) seen[at->number] = true;
  std::string text = name_of(*at);
  constexpr int most = 20;
  int shown = 1;
  for (flow_node const* n = before[at->number]; n != at; n = before[n->number]) {
    if (++shown <= most) text = name_of(*n) + " -> " + text;
  }
  if (shown > most) text = "... -> " + text;
  return name_of(*at) + " -> " + text;
}

std::vector<double> flow_graph::bottom_levels() const {
  std::vector<flow_node const*> const order = in_order();
  std::vector<double> level(order.size());
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    double below = 0;
    for_each_successor(**n, [&](flow_node const& to) { below = std::max(below, level[to.number]); });
    level[(*n)->number] = work_of_node(**n) + below;
  }
  return level;
}

std::vector<std::uint32_t> flow_graph::critical_path() const {
  std::vector<double> const level = bottom_levels();
  if (level.empty()) return {};
  std::vector<flow_node const*> const all = by_number();
  std::vector<std::uint32_t> path;
  flow_node const* at = all[static_cast<std::size_t>(std::ranges::max_element(level) - level.begin())];
  while (at != nullptr) {
    path.push_back(at->number);
    flow_node const* next = nullptr;
    for_each_successor(*at, [&](flow_node const& to) {
      if (next == nullptr || level[to.number] > level[next->number]) next = &to;
    });
    at = next;
  }
  return path;
}

struct flow_graph::spread {
  std::vector<std::uint32_t> depth;     ///< by node
  std::vector<std::uint32_t> position;  ///< by node: among those of its depth, in the order in which they were added
  std::vector<std::uint32_t> breadth;   ///< by depth

  [[nodiscard]] address at(flow_node const& n) const noexcept {
    return address::of(position[n.number], breadth[depth[n.number]]);
  }
};

flow_graph::spread flow_graph::spread_of(std::vector<flow_node const*> const& order) const {
  spread all{.depth = std::vector<std::uint32_t>(order.size()),
             .position = std::vector<std::uint32_t>(order.size()),
             .breadth = {}};
  for (flow_node const* n : order) {
    std::uint32_t const d = all.depth[n->number];
    for_each_successor(*n, [&](flow_node const& to) { all.depth[to.number] = std::max(all.depth[to.number], d + 1); });
    if (d >= all.breadth.size()) all.breadth.resize(d + 1);
  }
  for (flow_node const* n = all_.first; n != nullptr; n = n->next)
    all.position[n->number] = all.breadth[all.depth[n->number]]++;
  return all;
}

void flow_graph::address_by_breadth() {
  expect_at_rest("addresses");
  drop_derived();
  spread const where = spread_of(in_order());
  for (flow_node* n = all_.first; n != nullptr; n = n->next) {
    if (!n->hints.address) n->hints.address = where.at(*n);
  }
  is_changed_ = true;
}

void flow_graph::drop_derived() noexcept {
  for (flow_node* n = all_.first; n != nullptr && derived_nodes_ > 0; n = n->next) {
    if (n->number < derived_nodes_) n->hints.address = {};
  }
  derived_nodes_ = 0;
}

bool flow_graph::has_data_of_its_own() const noexcept {
  for (flow_node const* n = all_.first; n != nullptr; n = n->next) {
    if (n->hints.address || n->hints.place) return true;
  }
  return false;
}

void flow_graph::derive(std::uint32_t keys, bool critical) {
  drop_derived();
  bool const has_marks = std::exchange(marks_critical_, critical);
  derived_for_ = keys;
  is_changed_ = false;
  try {
    if (critical || has_marks) mark_critical_path();
    if (keys != 0 && may_derive_ && count_ > 0 && !has_data_of_its_own()) derive_by_breadth(keys);
  } catch (std::bad_alloc const&) {
    // They are only hints.
  }
}

/// A node without a type has no history by which a policy could prefer it. None is marked if there is a cycle.
void flow_graph::mark_critical_path() {
  std::vector<bool> is_critical(count_);
  std::vector<flow_node const*> const all = by_number();
  std::vector<std::uint32_t> waits(all.size());
  if (marks_critical_ && in_order(all, waits).size() == all.size()) {
    for (std::uint32_t const n : critical_path()) is_critical[n] = true;
  }
  for (flow_node* n = all_.first; n != nullptr; n = n->next) {
    if (!n->hints.type) continue;
    task_type t = *n->hints.type;
    t.moldable =
        static_cast<std::uint16_t>((t.moldable & ~on_critical_path) | (is_critical[n->number] ? on_critical_path : 0));
    n->hints.type = t;
  }
}

/// Nodes whose addresses the policy does not tell apart get the same one, so that they can be gathered.
void flow_graph::derive_by_breadth(std::uint32_t keys) {
  std::vector<flow_node const*> const all = by_number();
  std::vector<std::uint32_t> waits(all.size());
  std::vector<flow_node const*> const order = in_order(all, waits);
  if (order.size() != all.size()) return;  // the run will tell
  spread const where = spread_of(order);
  std::vector<std::uint32_t> key(all.size());
  for (flow_node const* n : all)
    key[n->number] = static_cast<std::uint32_t>((std::uint64_t{where.at(*n).fraction} * keys) >> 32);
  // An address is a guess where the data are: where a predecessor with the same address has left them. If few nodes have one, the
  // graph is not regular, or consists of independent nodes: these are better off where their last predecessor has run, or a
  // thief comes.
  std::vector<bool> follows(all.size());
  for (flow_node const* n : all) {
    for_each_successor(*n, [&](flow_node const& to) {
      if (key[to.number] == key[n->number]) follows[to.number] = true;
    });
  }
  auto const followers = static_cast<std::size_t>(std::ranges::count(follows, true));
  std::size_t const waiting = all.size() - where.breadth[0];
  if (2 * waiting < all.size() || 4 * followers < 3 * waiting) return;
  for (flow_node* n = all_.first; n != nullptr; n = n->next) n->hints.address = address::of(key[n->number], keys);
  derived_nodes_ = all.size();
}

std::string flow_graph::to_dot() const {
  std::vector<bool> is_critical(count_);
  for (std::uint32_t const n : critical_path()) is_critical[n] = true;
  std::string text = "digraph flow {\n";
  for (flow_node const* n = all_.first; n != nullptr; n = n->next) {
    text += "  n" + std::to_string(n->number) + " [label=" + quoted(name_of(*n)) +
            (is_critical[n->number] ? ", color=red];\n" : "];\n");
  }
  for (flow_node const* n = all_.first; n != nullptr; n = n->next) {
    for_each_successor(*n, [&](flow_node const& to) {
      text += "  n" + std::to_string(n->number) + " -> n" + std::to_string(to.number) + ";\n";
    });
  }
  return text + "}\n";
}

std::string flow_graph::to_json() const {
  std::vector<double> const level = bottom_levels();
  std::string text = "{\"nodes\": [";
  char const* comma = "";
  for (flow_node const* n = all_.first; n != nullptr; n = n->next) {
    text += std::exchange(comma, ", ");
    text += "{\"id\": " + std::to_string(n->number) + ", \"name\": " + quoted(name_of(*n)) +
            ", \"work\": " + number_text(work_of_node(*n)) + ", \"level\": " + number_text(level[n->number]) + "}";
  }
  text += "], \"edges\": [";
  comma = "";
  for (flow_node const* n = all_.first; n != nullptr; n = n->next) {
    for_each_successor(*n, [&](flow_node const& to) {
      text += std::exchange(comma, ", ");
      text += "[" + std::to_string(n->number) + ", " + std::to_string(to.number) + "]";
    });
  }
  text += "], \"critical_path\": [";
  comma = "";
  for (std::uint32_t const n : critical_path()) text += std::exchange(comma, ", ") + std::to_string(n);
  return text + "]}\n";
}

}}}  // namespace skua::v0::runtime
