// SPDX-License-Identifier: MIT
// What a model thread does to modelled memory: loads, stores, fences, choices. scheduler.hpp decides who runs next, and
// explorer.hpp describes the model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/explorer/cell.hpp"
#include "tests/explorer/clocks.hpp"
#include "tests/explorer/execution.hpp"
#include "tests/explorer/fiber.hpp"
#include "tests/explorer/image.hpp"
#include "tests/explorer/options.hpp"
#include "tests/explorer/weak_memory.hpp"

namespace skua { inline namespace v0 { namespace explorer {

/// One execution at a time of a script with n threads.
class world {
 public:
  explicit world(int threads, options const& with) : options_(with), stacks_(static_cast<std::size_t>(threads)) {}
  ~world() { end(); }
  world(world const&) = delete;
  world& operator=(world const&) = delete;

  /// Begins an execution in an empty image. `trace` is told what happens in it.
  void begin(std::vector<std::string>* trace) {
    end();
    trace_ = trace;
    names_.clear();
    the_image.clear();
    void* const at = the_image.heap.take(sizeof(execution), alignof(execution));
    image_is const open(true);
    now_ = new (at) execution(static_cast<int>(stacks_.size()));
  }

  /// Memory that hands out the same addresses in the same order in every execution.
  std::pmr::memory_resource& memory() noexcept { return memory_; }

  // The operations of a model thread. Outside of any model thread they have immediate effect.

  bool inside() const noexcept { return now_->running != nullptr; }
  /// Equal histories: the same operations with the same results.
  std::uint64_t history() const noexcept { return inside() ? now_->running->history : 0; }
  int thread() const noexcept { return inside() ? now_->running->id : -1; }

  /// A point at which others may run; returns once it is this thread's turn and `enabled` holds.
  template <class Enabled>
  void step(Enabled enabled) {
    if (!inside()) return;
    auto& self = *now_->running;
    self.history = mix(self.history, 1);  // one step further is a different state, even if nothing was read
    self.enabled = [](void* e) { return (*static_cast<Enabled*>(e))(); };
    self.enabled_argument = &enabled;
    stack_of_running().suspend();
  }
  void step() {
    step([] { return true; });
  }

  /// Adds an operation and its result to the history of the running thread.
  void note(char const* what, void const* where, std::uint64_t result) {
    if (!inside()) return;
    now_->running->history = mix(mix(now_->running->history, reinterpret_cast<std::uintptr_t>(what)),
                                 mix(reinterpret_cast<std::uintptr_t>(where), result));
    if (trace_ != nullptr) say("T" + std::to_string(now_->running->id), what, where, result);
  }

  std::uint64_t load(cell& c, std::memory_order order) {
    if (!inside()) return c.value;
    if (is_weak()) return read(c, order, pick(now_->weak.readable(c, self(), order)));
    return read_own_or_memory(c, order);
  }
  void store(cell& c, std::uint64_t value, std::memory_order order) {
    bool const release = releases(order);
    if (!inside()) {
      c.value = value;
    } else if (is_weak()) {
      std::size_t const behind = pick(now_->weak.extensible(c, self(), order));
      now_->weak.write(c, self(), value, order, behind, release ? stamp() : vector_clock{});
    } else {
      now_->running->stores.push_back({&c, value, release, release ? stamp() : vector_clock{}});
      if (order == std::memory_order_seq_cst) drain_own();
    }
  }
  /// A read-modify-write, whose store everybody sees at once. The thread's own buffer is empty. Returns the old value.
  template <class F>
  std::uint64_t update(cell& c, std::memory_order order, F change) {
    if (is_weak() && inside()) return update_behind(pick(now_->weak.extensible(c, self(), order)), c, order, change);
    std::uint64_t const old = read_own_or_memory(c, order);
    write(c, change(old), releases(order));
    return old;
  }
  /// The same of the newest value.
  template <class F>
  std::uint64_t update_newest(cell& c, std::memory_order order, F change) {
    if (is_weak() && inside()) return update_behind(now_->weak.extensible(c, self(), order).front(), c, order, change);
    return update(c, order, change);
  }
  /// Returns what it read: `wanted`, and then `desired` was stored, or something else.
  std::uint64_t compare_exchange(cell& c, std::uint64_t wanted, std::uint64_t desired, std::memory_order yes,
                                 std::memory_order no) {
    if (is_weak() && inside()) {
      std::size_t const at = pick(now_->weak.comparable(c, self(), wanted, yes, no));
      bool const won = now_->weak.value_of(c, at) == wanted;
      if (won) return update_behind(at, c, yes, [desired](std::uint64_t) { return desired; });
      return read(c, no, at);
    }
    bool const won = c.value == wanted;
    std::uint64_t const seen = read_own_or_memory(c, won ? yes : no);
    write(c, won ? desired : seen, won && releases(yes));
    return seen;
  }
  /// The newest value. The thread's own buffer is empty.
  std::uint64_t load_newest(cell& c, std::memory_order order) {
    if (is_weak() && inside()) return read(c, order, now_->weak.readable(c, self(), order).front());
    return read_own_or_memory(c, order);
  }
  /// Stores at once what no thread reads as an atomic.
  void write(cell& c, std::uint64_t value, bool release = false) {
    vector_clock released = c.released;  // a read-modify-write continues the release sequence
    if (release) released.join(stamp());
    put(c, value, released);
  }

  std::uint64_t get(plain_cell& c) {
    if (inside() && !options_.races) require(false, "a script with plain variables sets options::races");
    touch(c.life, "read", &trail::read);
    return c.value;
  }
  void set(plain_cell& c, std::uint64_t value) {
    if (inside() && !options_.races) require(false, "a script with plain variables sets options::races");
    touch(c.life, "written", &trail::write);
    if (inside()) now_->memory_hash += hash_of(c, value) - hash_of(c, c.value);
    c.value = value;
  }
  /// An atomic operation: ordered with everything but the end of the lifetime.
  void use(lifetime& life) { touch(life, "used", &trail::read); }
  void begin(lifetime& life) { touch(life, "constructed", &trail::write); }
  /// From now on nobody may touch it.
  void end(lifetime& life) { touch(life, "destroyed", &trail::write, true); }
  void drain_own() {
    if (inside()) drain(*now_->running);
  }
  void full_fence() {
    drain_own();
    if (is_weak() && inside()) now_->weak.full_fence(self());
  }
  void compiler_barrier() {
    if (is_weak() && inside()) now_->weak.compiler_barrier(self());
  }
  /// membarrier, after a full fence: each other thread executes a fence at some moment during the call.
  void heavy_fence() {
    if (!inside()) return;
    if (!is_weak()) return drain_others();
    interrupt_others();
    now_->weak.full_fence(self());
  }
  /// So long that every store is seen: as a heavy fence.
  void time_passes() {
    if (is_weak() && inside()) now_->weak.full_fence(self());
    heavy_fence();
  }
  /// Chooses one of n ways; the explorer tries them like schedules. The thread leaves its stack, of which a snapshot is
  /// taken meanwhile.
  std::size_t choose(std::size_t n) {
    if (n <= 1 || !inside()) return 0;
    now_->asks = n;
    stack_of_running().suspend();
    return now_->answer;
  }

  /// Declares that the running thread may wait for ever, which is then no deadlock.
  void may_rest() {
    if (inside()) now_->running->may_rest = true;
  }

  void require(bool holds, std::string_view what) {
    if (!holds && now_->violation.empty()) now_->violation = what;
  }
  std::string const& violation() const noexcept { return now_->violation; }

 private:
  friend class scheduler;

  bool is_weak() const noexcept { return options_.model == memory_model::weak; }
  std::size_t self() const noexcept { return static_cast<std::size_t>(now_->running->id); }

  // Chooses one of these stores, the newest first; each other one is charged.
  std::size_t pick(std::vector<std::size_t> const& stores) {
    std::size_t const newest = stores.front();
    if (stores.size() == 1 || now_->stale >= options_.stale) return newest;
    std::size_t const way = choose(stores.size());
    if (way == 0) return newest;
    ++now_->stale;
    if (trace_ != nullptr) say("  behind the newest store, T" + std::to_string(now_->running->id), "", nullptr, way);
    return stores[way];
  }
  std::uint64_t read(cell& c, std::memory_order order, std::size_t store) {
    auto const& what = now_->weak.read(c, self(), order, store);
    if (acquires(order)) learn(what.released);
    return what.value;
  }
  template <class F>
  std::uint64_t update_behind(std::size_t store, cell& c, std::memory_order order, F change) {
    std::uint64_t const old = read(c, order, store);
    now_->weak.update(c, self(), change(old), order, store, releases(order) ? stamp() : vector_clock{});
    return old;
  }
  std::uint64_t read_own_or_memory(cell& c, std::memory_order order) {
    if (inside()) {
      for (auto s = now_->running->stores.rbegin(); s != now_->running->stores.rend(); ++s) {
        if (s->where == &c) return s->value;  // its own releases teach it nothing
      }
      if (acquires(order)) learn(c.released);
    }
    return c.value;
  }
  void learn(vector_clock const& released) {
    if (options_.races) now_->running->now.join(released);
  }

  void interrupt_others() {
    std::vector<execution::thread*> left;
    for (auto& t : now_->threads) {
      if (t.done) now_->weak.interrupt(static_cast<std::size_t>(t.id), true);
      if (!t.done && &t != now_->running) left.push_back(&t);
    }
    serve(
        left, [this](execution::thread& t) { now_->weak.interrupt(static_cast<std::size_t>(t.id), t.done); },
        [](execution::thread const*) { return false; });
  }
  // The same with store buffers: empties each, in any order. A buffer that is empty now counts as emptied now, which
  // allows most: later stores of that thread may reach memory at any moment anyhow.
  void drain_others() {
    std::vector<execution::thread*> left;
    for (auto& t : now_->threads) {
      if (&t != now_->running) left.push_back(&t);
    }
    serve(
        left, [this](execution::thread& t) { drain(t); }, [](execution::thread const* t) { return t->stores.empty(); });
  }
  template <class Serve, class IsServed>
  void serve(std::vector<execution::thread*>& left, Serve its, IsServed is_served) {
    for (;;) {
      std::erase_if(left, is_served);
      if (left.empty()) return;
      auto const whom = left.begin() + static_cast<std::ptrdiff_t>(choose(left.size()));
      its(**whom);
      left.erase(whom);
      if (left.empty()) return;
      std::uint64_t to_be_served = 0;
      for (auto const* t : left) to_be_served |= std::uint64_t{1} << t->id;
      note("heavy fence still waits for", nullptr, to_be_served);
      step();
    }
  }

  void commit(execution::thread& t, std::size_t i) {
    auto const s = t.stores[i];
    t.stores.erase(t.stores.begin() + static_cast<std::ptrdiff_t>(i));
    put(*s.where, s.value, s.released);
    if (trace_ != nullptr) say("  visible of T" + std::to_string(t.id), "store", s.where, s.value);
  }
  void drain(execution::thread& t) {
    while (!t.stores.empty()) commit(t, 0);
  }

  // The running thread's time. Hands it out, so what the thread does from now on is later.
  vector_clock stamp() {
    if (!inside() || !options_.races) return {};
    vector_clock const now = now_->running->now;
    now_->running->now.tick(now_->running->id);
    return now;
  }

  static std::uint64_t hash_of(cell const& c) {
    return mix(reinterpret_cast<std::uintptr_t>(&c), mix(c.value, c.released.bits()));
  }
  static std::uint64_t hash_of(plain_cell const& c, std::uint64_t value) {
    return mix(reinterpret_cast<std::uintptr_t>(&c), value);
  }
  static std::uint64_t hash_of(lifetime const& life) {
    return mix(reinterpret_cast<std::uintptr_t>(&life) + (life.over ? 1 : 0),
               mix(life.touched.reads.bits(), life.touched.writes.bits()));
  }
  void put(cell& c, std::uint64_t value, vector_clock const& released) {
    now_->memory_hash -= hash_of(c);
    c.value = value;
    c.released = released;
    now_->memory_hash += hash_of(c);
  }

  void touch(lifetime& life, char const* how, bool (trail::*access)(int, vector_clock const&), bool ends = false) {
    if (!inside() || !options_.races) return;
    if (life.over) require(false, std::string("what has been destroyed is ") + how);
    now_->memory_hash -= hash_of(life);
    bool const ordered = (life.touched.*access)(now_->running->id, now_->running->now);
    life.over = life.over || ends;
    now_->memory_hash += hash_of(life);
    if (!ordered) require(false, std::string("race: ") + how + " in no order with what another thread did");
  }

  void say(std::string const& who, char const* what, void const* where, std::uint64_t value) {
    image_is const closed(false);
    auto const [at, unused] = names_.try_emplace(where, names_.size());
    trace_->push_back(who + ": " + what + " #" + std::to_string(at->second) + " " + std::to_string(value));
  }

  fiber& stack_of_running() noexcept { return stacks_[self()]; }
  void end() noexcept {
    if (now_ != nullptr) std::destroy_at(std::exchange(now_, nullptr));
  }

  options options_;
  std::deque<fiber> stacks_;
  execution* now_ = nullptr;  // in the image
  std::vector<std::string>* trace_ = nullptr;
  std::unordered_map<void const*, std::size_t> names_;
  image_resource memory_;
};

/// The world that the running script lives in. One exploration at a time.
inline world*& current_world() noexcept {
  static world* w = nullptr;
  return w;
}

inline void require(bool holds, std::string_view what) { current_world()->require(holds, what); }
inline std::pmr::memory_resource& memory() noexcept { return current_world()->memory(); }

/// An object that lives to the end of the execution and is never destroyed, because a violation may leave it broken.
template <class T, class... Args>
T& immortal(Args&&... args) {
  return *new (memory().allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
}

}}}  // namespace skua::v0::explorer
