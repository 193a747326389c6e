// SPDX-License-Identifier: MIT
// One stack of open operations per thread. A flow of control that leaves its thread (a fiber that parks) closes them, because it may
// return on another one.
#include "tests/counts/operations.hpp"

#include <iterator>
#include <string_view>
#include <unordered_map>

#include "tests/counts/caches.hpp"
#include "tests/counts/costs.hpp"
#include "tests/counts/operation_names.hpp"

namespace line_counts {
namespace {

// relaxed, everywhere here: sums and numbers, which are read when no thread counts.

constexpr std::uint16_t none = 0xffff;
constexpr std::size_t most_depth = 12;

struct operation {
  std::string_view name;
  std::uint16_t called = none;   ///< the number of a function: a call that calls it becomes ...
  std::uint16_t becomes = none;  ///< ... this operation
  costs all;
};

/// What it means that a function is entered.
struct meaning {
  std::uint16_t begins = none;  ///< an operation
  std::uint16_t called = none;  ///< as in `operation`
  bool leaves_thread = false;
  bool is_fence = false;
};

struct open_operation {
  std::uint16_t which = none;
  cost so_far;
  line_set lines;
};

struct thread_state {
  unsigned number = 0;
  std::size_t depth = 0;
  std::array<open_operation, most_depth> open;
};

std::array<operation, 2 * std::size(operation_names)> operations;
std::size_t operations_known = 0;
std::unordered_map<void const*, meaning> const* meanings = nullptr;  ///< of functions; null: not known yet
std::atomic<bool> is_counting{false};
std::atomic<unsigned> threads_seen{0};
std::atomic<std::uint64_t> all_misses{0}, all_exchanges{0}, all_fences{0};
std::array<std::atomic<std::uint64_t>, system_calls> all_system{};

/// The linker may choose the instrumented copy of a standard template, so that a hook calls hooks: those do nothing.
thread_local bool is_inside = false;
thread_local thread_state* own = nullptr;

class inside {
 public:
  inside() noexcept : is_first(!is_inside) { is_inside = true; }
  ~inside() {
    if (is_first) is_inside = false;
  }
  inside(inside const&) = delete;
  inside& operator=(inside const&) = delete;
  bool const is_first;
};

thread_state& own_state() noexcept {
  if (own == nullptr) {
    own = new thread_state;  // never freed: hooks run until the thread is gone
    own->number = threads_seen.fetch_add(1, std::memory_order_relaxed) % most_threads;
  }
  return *own;
}

void close(open_operation const& o) noexcept {
  if (is_counting.load(std::memory_order_relaxed)) operations[o.which].all.add(o.lines.size(), o.so_far);
}

void note_touch(thread_state& me, touch const& t, bool is_exchange) noexcept {
  if (!t.is_shared) return;
  if (is_counting.load(std::memory_order_relaxed)) {
    if (t.misses) all_misses.fetch_add(1, std::memory_order_relaxed);
    if (is_exchange) all_exchanges.fetch_add(1, std::memory_order_relaxed);
  }
  for (std::size_t d = 0; d < me.depth; ++d) {
    open_operation& o = me.open[d];
    o.lines.add(t.line);
    o.so_far.misses += t.misses ? 1 : 0;
    o.so_far.exchanges += is_exchange ? 1 : 0;
  }
}

void count_fence(thread_state& mine) noexcept {
  if (is_counting.load(std::memory_order_relaxed)) all_fences.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t d = 0; d < mine.depth; ++d) ++mine.open[d].so_far.fences;
}

std::uint16_t number_of(std::string_view name) {
  for (std::size_t i = 0; i < operations_known; ++i) {
    if (operations[i].name == name) return static_cast<std::uint16_t>(i);
  }
  operations[operations_known].name = name;
  return static_cast<std::uint16_t>(operations_known++);
}

std::string member(std::string_view name, double value) {
  std::string text = std::to_string(value);
  text.erase(text.find('.') + 3);
  return "\"" + std::string(name) + "\": " + text;
}

std::string member(std::string_view name, histogram const& h, double calls) {
  return "\"" + std::string(name) + "\": {" + member("mean", static_cast<double>(h.sum()) / calls) + ", " +
         member("p50", h.quantile(0.5)) + ", " + member("p95", h.quantile(0.95)) + ", " +
         member("most", h.quantile(1)) + "}";
}

constexpr std::array<std::string_view, system_calls> call_names{"futex",    "membarrier", "yield",
                                                                "affinity", "sleep",      "other"};

std::string system_members(std::array<std::atomic<std::uint64_t>, system_calls> const& counts, double calls) {
  std::string text = "\"system_calls\": {";
  for (unsigned s = 0; s < system_calls; ++s) {
    if (s > 0) text += ", ";
    text += member(call_names[s], static_cast<double>(counts[s].load(std::memory_order_relaxed)) / calls);
  }
  return text + "}";
}

std::string as_json(operation const& o) {
  auto const calls = static_cast<double>(o.all.count.load(std::memory_order_relaxed));
  return "{\"name\": \"" + std::string(o.name) + "\", " + member("calls", calls) + ", " +
         member("lines", o.all.lines, calls) + ", " + member("misses", o.all.misses, calls) + ", " +
         member("exchanges", o.all.exchanges, calls) + ", " +
         member("fences", static_cast<double>(o.all.fences.load(std::memory_order_relaxed)) / calls) + ", " +
         system_members(o.all.system, calls) + "}";
}

}  // namespace

void find_operations() {
  inside const me;
  std::unordered_map<std::string_view, meaning> by_name;
  by_name["runtime::switch_to"].leaves_thread = true;
  by_name["runtime::leave_to"].leaves_thread = true;
  by_name["runtime::full_fence"].is_fence = true;
  std::uint16_t called = 0;
  for (operation_name const& o : operation_names) {
    std::uint16_t const which = number_of(o.operation);
    by_name[o.function].begins = which;
    if (o.called.empty()) continue;
    if (by_name[o.called].called == none) by_name[o.called].called = called++;
    operations[which].called = by_name[o.called].called;
    operations[which].becomes = number_of(o.becomes);
  }
  auto* const found = new std::unordered_map<void const*, meaning>;  // never freed: hooks run until the end
  for (function_name const& f : functions_of_this_program()) {
    if (auto const known = by_name.find(f.name); known != by_name.end()) found->emplace(f.address, known->second);
  }
  meanings = found;
}

void note_access(void const volatile* address, access how) noexcept {
  inside const me;
  if (!me.is_first) return;
  thread_state& mine = own_state();
  note_touch(mine, how == access::read ? reads(address, mine.number) : writes(address, mine.number),
             how == access::exchange);
}

void note_fence() noexcept {
  inside const me;
  if (me.is_first) count_fence(own_state());
}

void note(system_call which) noexcept {
  inside const me;
  if (!me.is_first) return;
  thread_state& mine = own_state();
  auto const w = static_cast<unsigned>(which);
  if (is_counting.load(std::memory_order_relaxed)) all_system[w].fetch_add(1, std::memory_order_relaxed);
  for (std::size_t d = 0; d < mine.depth; ++d) ++mine.open[d].so_far.calls[w];
}

void enters(void const* function) noexcept {
  inside const me;
  if (!me.is_first || meanings == nullptr) return;
  auto const known = meanings->find(function);
  if (known == meanings->end()) return;
  thread_state& mine = own_state();
  meaning const& m = known->second;
  if (m.is_fence) return count_fence(mine);
  if (m.leaves_thread) {
    while (mine.depth > 0) close(mine.open[--mine.depth]);
    return;
  }
  for (std::size_t d = 0; m.called != none && d < mine.depth; ++d) {
    open_operation& o = mine.open[d];
    if (operations[o.which].called == m.called) o.which = operations[o.which].becomes;
  }
  if (m.begins == none || mine.depth == most_depth) return;
  open_operation& o = mine.open[mine.depth++];
  o.which = m.begins;
  o.so_far = {};
  o.lines.clear();
}

void leaves(void const* function) noexcept {
  inside const me;
  if (!me.is_first || meanings == nullptr) return;
  auto const known = meanings->find(function);
  if (known == meanings->end() || known->second.begins == none) return;
  thread_state& mine = own_state();
  std::uint16_t const which = known->second.begins;
  if (mine.depth == 0) return;  // it was closed when its flow left the thread
  open_operation const& o = mine.open[mine.depth - 1];
  if (o.which != which && operations[which].becomes != o.which) return;
  // A function of several overloads, one of which calls another.
  if (mine.depth < 2 || mine.open[mine.depth - 2].which != o.which) close(o);
  --mine.depth;
}

void begin_counting() noexcept {
  forget_past();
  is_counting.store(true, std::memory_order_relaxed);
}
void end_counting() noexcept { is_counting.store(false, std::memory_order_relaxed); }

std::string counts_as_json(double units) {
  inside const me;
  std::string text = "{" + member("misses", static_cast<double>(all_misses.load(std::memory_order_relaxed)) / units) +
                     ", " +
                     member("exchanges", static_cast<double>(all_exchanges.load(std::memory_order_relaxed)) / units) +
                     ", " + member("fences", static_cast<double>(all_fences.load(std::memory_order_relaxed)) / units) +
                     ", " + system_members(all_system, units) + ", \"operations\": [";
  bool is_first = true;
  for (std::size_t i = 0; i < operations_known; ++i) {
    if (operations[i].all.count.load(std::memory_order_relaxed) == 0) continue;
    text += (is_first ? "\n  " : ",\n  ") + as_json(operations[i]);
    is_first = false;
  }
  return text + "]}";
}

}  // namespace line_counts
