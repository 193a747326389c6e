// SPDX-License-Identifier: MIT
// One execution of a model program: threads, memory, store buffers, and the loop that lets a chooser decide what
// happens next. explorer.hpp describes the model.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory_resource>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "skua/parts/base/assert.hpp"
#include "tests/explorer/cell.hpp"
#include "tests/explorer/chooser.hpp"
#include "tests/explorer/clocks.hpp"
#include "tests/explorer/fiber.hpp"
#include "tests/explorer/options.hpp"
#include "tests/explorer/weak_memory.hpp"

namespace skua::inline v0::explorer {

/// One execution at a time of a script with n threads.
class world {
 public:
  explicit world(int threads, options const& with) : options_(with), threads_(static_cast<std::size_t>(threads)) {}

  enum class ending : std::uint8_t {
    whole,      ///< all threads have ended, or can never go on; or something was violated
    abandoned,  ///< the chooser knows the rest. The threads' stacks are forgotten, not unwound.
  };

  /// Runs `body(i)` for every thread under the choices of `by`. `violation()` says what was violated, if anything.
  ending run(std::function<void(int)> const& body, chooser& by, std::vector<std::string>* trace) {
    body_ = &body;
    by_ = &by;
    trace_ = trace;
    names_.clear();
    violation_.clear();
    memory_hash_ = 0;
    preemptions_ = 0;
    stale_ = 0;
    weak_.begin(threads_.size());
    current_ = nullptr;
    for (std::size_t i = 0; i < threads_.size(); ++i) threads_[i].reset(*this, static_cast<int>(i));
    std::uint32_t steps = 0;
    for (; steps <= options_.steps && (violation_.empty() || !idle()); ++steps) {
      if (by_->repeats() && steps < log_.size()) {
        repeat(log_[steps]);
        continue;
      }
      log_.resize(steps);
      if (!advance()) break;
      if (may_abandon && by_->knows_the_rest() && violation_.empty()) return ending::abandoned;
    }
    if (steps > options_.steps) require(false, "no end in sight: does a thread spin?");
    return ending::whole;
  }

  /// Memory that hands out the same addresses in the same order in every execution.
  std::pmr::memory_resource& memory() noexcept { return arena_; }
  void forget_memory() noexcept { arena_.release(); }

  // The operations of a model thread. Outside of any model thread they have immediate effect.

  bool inside() const noexcept { return running_ != nullptr; }
  /// Equal histories: the same operations with the same results.
  std::uint64_t history() const noexcept { return inside() ? running_->history : 0; }
  int thread() const noexcept { return inside() ? running_->id : -1; }

  /// A point at which others may run; returns once it is this thread's turn and `enabled` holds.
  template <class Enabled>
  void step(Enabled enabled) {
    if (!inside()) return;
    auto& self = *running_;
    self.history = mix(self.history, 1);  // one step further is a different state, even if nothing was read
    self.enabled = [](void* e) { return (*static_cast<Enabled*>(e))(); };
    self.enabled_argument = &enabled;
    self.stack.suspend();
  }
  void step() {
    step([] { return true; });
  }

  /// Adds an operation and its result to the history of the running thread.
  void note(char const* what, void const* where, std::uint64_t result) {
    if (!inside()) return;
    running_->history = mix(mix(running_->history, reinterpret_cast<std::uintptr_t>(what)),
                            mix(reinterpret_cast<std::uintptr_t>(where), result));
    if (trace_ != nullptr) say("T" + std::to_string(running_->id), what, where, result);
  }

  std::uint64_t load(cell& c, std::memory_order order) {
    if (!inside()) return c.value;
    if (is_weak()) return read(c, order, pick(weak_.readable(c, self(), order)));
    return read_own_or_memory(c, order);
  }
  void store(cell& c, std::uint64_t value, std::memory_order order) {
    bool const release = releases(order);
    if (!inside()) {
      c.value = value;
    } else if (is_weak()) {
      std::size_t const behind = pick(weak_.extensible(c, self(), order));
      weak_.write(c, self(), value, order, behind, release ? stamp() : vector_clock{});
    } else {
      running_->stores.push_back({&c, value, release, release ? stamp() : vector_clock{}});
      if (order == std::memory_order_seq_cst) drain_own();
    }
  }
  /// A read-modify-write, whose store everybody sees at once. The thread's own buffer is empty. Returns the old value.
  template <class F>
  std::uint64_t update(cell& c, std::memory_order order, F change) {
    if (is_weak() && inside()) return update_behind(pick(weak_.extensible(c, self(), order)), c, order, change);
    std::uint64_t const old = read_own_or_memory(c, order);
    write(c, change(old), releases(order));
    return old;
  }
  /// The same of the newest value.
  template <class F>
  std::uint64_t update_newest(cell& c, std::memory_order order, F change) {
    if (is_weak() && inside()) return update_behind(weak_.extensible(c, self(), order).front(), c, order, change);
    return update(c, order, change);
  }
  /// Returns what it read: `wanted`, and then `desired` was stored, or something else.
  std::uint64_t compare_exchange(cell& c, std::uint64_t wanted, std::uint64_t desired, std::memory_order yes,
                                 std::memory_order no) {
    if (is_weak() && inside()) {
      std::size_t const at = pick(weak_.comparable(c, self(), wanted, yes, no));
      bool const won = weak_.value_of(c, at) == wanted;
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
    if (is_weak() && inside()) return read(c, order, weak_.readable(c, self(), order).front());
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
    if (inside()) memory_hash_ += hash_of(c, value) - hash_of(c, c.value);
    c.value = value;
  }
  /// An atomic operation: ordered with everything but the end of the lifetime.
  void use(lifetime& life) { touch(life, "used", &trail::read); }
  void begin(lifetime& life) { touch(life, "constructed", &trail::write); }
  /// From now on nobody may touch it.
  void end(lifetime& life) { touch(life, "destroyed", &trail::write, true); }
  void drain_own() {
    if (inside()) drain(*running_);
  }
  void full_fence() {
    drain_own();
    if (is_weak() && inside()) weak_.full_fence(self());
  }
  void compiler_barrier() {
    if (is_weak() && inside()) weak_.compiler_barrier(self());
  }
  /// membarrier, after a full fence: each other thread executes a fence at some moment during the call.
  void heavy_fence() {
    if (!inside()) return;
    if (!is_weak()) return drain_others();
    interrupt_others();
    weak_.full_fence(self());
  }
  /// So long that every store is seen: as a heavy fence.
  void time_passes() {
    if (is_weak() && inside()) weak_.full_fence(self());
    heavy_fence();
  }
  /// Chooses one of n ways; the explorer tries them like schedules.
  std::size_t choose(std::size_t n) {
    if (n <= 1 || !inside()) return 0;
    if (!by_->looks_at_state()) return by_->choose(n, 0);
    return by_->choose(
        n, mix(state(), 1 + static_cast<std::uint64_t>(running_->id)));  // not the state it was scheduled in
  }

  /// Declares that the running thread may wait for ever, which is then no deadlock.
  void may_rest() {
    if (inside()) running_->may_rest = true;
  }

  void require(bool holds, std::string const& what) {
    if (!holds && violation_.empty()) violation_ = what;
  }
  std::string const& violation() const noexcept { return violation_; }

 private:
  struct model_thread {
    fiber stack;
    world* in = nullptr;
    int id = 0;
    bool done = false;
    bool may_rest = false;
    bool (*enabled)(void*) = nullptr;
    void* enabled_argument = nullptr;
    std::uint64_t history = 0;
    vector_clock now;
    std::vector<buffered> stores;

    void reset(world& w, int number) {
      in = &w;
      id = number;
      done = may_rest = false;
      enabled = [](void*) { return true; };
      history = 0;
      now = vector_clock::start_of(number);
      stores.clear();
      stack.start(&main, this);
    }
    static void main(void* self) {
      auto& t = *static_cast<model_thread*>(self);
      (*t.in->body_)(t.id);
      t.done = true;
    }
    bool can_run() const { return !done && enabled(enabled_argument); }
  };

  /// A possible next move: `thread` runs to its next step, or its buffered store number `flush` reaches memory.
  static constexpr std::size_t runs = ~std::size_t{0};
  struct move {
    model_thread* thread;
    std::size_t flush = runs;
    bool preempts = false;  ///< the thread that ran before could go on
    bool chosen = false;    ///< there were others
  };
  /// Under ASan what lies on a forgotten stack leaks; TSan takes its next use for a new thread.
  static constexpr bool may_abandon = !runtime::under_asan && !runtime::under_tsan;

  bool is_weak() const noexcept { return options_.model == memory_model::weak; }
  std::size_t self() const noexcept { return static_cast<std::size_t>(running_->id); }

  // Chooses one of these stores, the newest first; each other one is charged.
  std::size_t pick(std::vector<std::size_t> const& stores) {
    std::size_t const newest = stores.front();
    if (stores.size() == 1 || stale_ >= options_.stale) return newest;
    ways_ = stores;
    std::size_t const way = choose(ways_.size());
    if (way == 0) return newest;
    ++stale_;
    if (trace_ != nullptr) say("  behind the newest store, T" + std::to_string(running_->id), "", nullptr, way);
    return ways_[way];
  }
  std::uint64_t read(cell& c, std::memory_order order, std::size_t store) {
    auto const& what = weak_.read(c, self(), order, store);
    if (acquires(order)) learn(what.released);
    return what.value;
  }
  template <class F>
  std::uint64_t update_behind(std::size_t store, cell& c, std::memory_order order, F change) {
    std::uint64_t const old = read(c, order, store);
    weak_.update(c, self(), change(old), order, store, releases(order) ? stamp() : vector_clock{});
    return old;
  }
  std::uint64_t read_own_or_memory(cell& c, std::memory_order order) {
    if (inside()) {
      for (auto s = running_->stores.rbegin(); s != running_->stores.rend(); ++s) {
        if (s->where == &c) return s->value;  // its own releases teach it nothing
      }
      if (acquires(order)) learn(c.released);
    }
    return c.value;
  }
  void learn(vector_clock const& released) {
    if (options_.races) running_->now.join(released);
  }

  void interrupt_others() {
    std::vector<model_thread*> left;
    for (auto& t : threads_) {
      if (t.done) weak_.interrupt(static_cast<std::size_t>(t.id), true);
      if (!t.done && &t != running_) left.push_back(&t);
    }
    serve(
        left, [this](model_thread& t) { weak_.interrupt(static_cast<std::size_t>(t.id), t.done); },
        [](model_thread const*) { return false; });
  }
  // The same with store buffers: empties each, in any order. A buffer that is empty now counts as emptied now, which
  // allows most: later stores of that thread may reach memory at any moment anyhow.
  void drain_others() {
    std::vector<model_thread*> left;
    for (auto& t : threads_) {
      if (&t != running_) left.push_back(&t);
    }
    serve(left, [this](model_thread& t) { drain(t); }, [](model_thread const* t) { return t->stores.empty(); });
  }
  template <class Serve, class IsServed>
  void serve(std::vector<model_thread*>& left, Serve its, IsServed is_served) {
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

  bool idle() const {
    for (auto const& t : threads_) {
      if (!t.done || !t.stores.empty()) return false;
    }
    return true;
  }

  // False: the execution has ended.
  bool advance() {
    collect_moves();
    if (moves_.empty()) {
      if (auto const who = waiting(); !who.empty()) require(false, "deadlock: " + who + " can never go on");
      return false;
    }
    move m = moves_[moves_.size() == 1 ? 0 : by_->choose(moves_.size(), by_->looks_at_state() ? state() : 0)];
    m.chosen = moves_.size() > 1;
    m.preempts = m.flush == runs && current_ != nullptr && current_ != m.thread && current_->can_run();
    log_.push_back(m);
    make(m);
    return true;
  }

  /// The same without a look at the others, if the chooser repeats what the previous execution did.
  void repeat(move const& m) {
    runtime::invariant(m.flush == runs ? !m.thread->done : m.flush < m.thread->stores.size(),
                       "a script does the same when the same choices are made");
    if (m.chosen) by_->repeat();
    make(m);
  }

  void make(move const& m) {
    if (m.flush != runs) return commit(*m.thread, m.flush);
    if (m.preempts) ++preemptions_;
    current_ = running_ = m.thread;
    m.thread->stack.resume();
    running_ = nullptr;
  }

  // The thread that ran last comes first, so that the first path explored switches least.
  void collect_moves() {
    moves_.clear();
    bool const current_can_run = current_ != nullptr && current_->can_run();
    if (by_->indifferent() && current_can_run) return moves_.push_back({current_});
    if (current_can_run) moves_.push_back({current_});
    if (!current_can_run || preemptions_ < options_.preemptions) {
      for (auto& t : threads_) {
        if (&t != current_ && t.can_run()) moves_.push_back({&t});
      }
    }
    for (auto& t : threads_) {
      for (std::size_t i = 0; i < t.stores.size(); ++i) {
        if (may_commit(t, i)) moves_.push_back({&t, i});
      }
    }
  }

  bool may_commit(model_thread const& t, std::size_t i) const {
    if (i == 0) return true;
    if (options_.model == memory_model::tso || t.stores[i].release) return false;
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      if (t.stores[earlier].where == t.stores[i].where) return false;
    }
    return true;
  }

  void commit(model_thread& t, std::size_t i) {
    auto const s = t.stores[i];
    t.stores.erase(t.stores.begin() + static_cast<std::ptrdiff_t>(i));
    put(*s.where, s.value, s.released);
    if (trace_ != nullptr) say("  visible of T" + std::to_string(t.id), "store", s.where, s.value);
  }
  void drain(model_thread& t) {
    while (!t.stores.empty()) commit(t, 0);
  }

  // The running thread's time. Hands it out, so what the thread does from now on is later.
  vector_clock stamp() {
    if (!inside() || !options_.races) return {};
    vector_clock const now = running_->now;
    running_->now.tick(running_->id);
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
    memory_hash_ -= hash_of(c);
    c.value = value;
    c.released = released;
    memory_hash_ += hash_of(c);
  }

  void touch(lifetime& life, char const* how, bool (trail::*access)(int, vector_clock const&), bool ends = false) {
    if (!inside() || !options_.races) return;
    if (life.over) require(false, std::string("what has been destroyed is ") + how);
    memory_hash_ -= hash_of(life);
    bool const ordered = (life.touched.*access)(running_->id, running_->now);
    life.over = life.over || ends;
    memory_hash_ += hash_of(life);
    if (!ordered) require(false, std::string("race: ") + how + " in no order with what another thread did");
  }

  std::uint64_t state() const {
    std::uint64_t h = memory_hash_;
    if (is_weak()) {
      h = mix(h, weak_.hash([this](std::size_t t) { return threads_[t].done; }));
      h = mix(h, static_cast<std::uint64_t>(stale_));
    }
    for (auto const& t : threads_) {
      h = mix(h, t.history + (t.done ? 1 : 0));
      if (options_.races) h = mix(h, t.now.bits());
      for (auto const& s : t.stores)
        h = mix(h, mix(reinterpret_cast<std::uintptr_t>(s.where), s.value) + (s.release ? 1 : 0) + s.released.bits());
    }
    if (options_.preemptions == std::numeric_limits<int>::max()) return h;
    return mix(mix(h, static_cast<std::uint64_t>(preemptions_)),
               current_ == nullptr ? 99U : static_cast<unsigned>(current_->id));
  }

  std::string waiting() const {
    std::string who;
    for (auto const& t : threads_) {
      if (!t.done && !t.may_rest) who += (who.empty() ? "T" : ", T") + std::to_string(t.id);
    }
    return who;
  }

  void say(std::string const& who, char const* what, void const* where, std::uint64_t value) {
    auto const [at, unused] = names_.try_emplace(where, names_.size());
    trace_->push_back(who + ": " + what + " #" + std::to_string(at->second) + " " + std::to_string(value));
  }

  options options_;
  std::deque<model_thread> threads_;
  std::function<void(int)> const* body_ = nullptr;
  chooser* by_ = nullptr;
  std::vector<std::string>* trace_ = nullptr;
  model_thread* running_ = nullptr;  // null while the scheduler or the script's constructor runs
  model_thread* current_ = nullptr;  // ran last
  std::vector<move> moves_;
  std::vector<move> log_;  // what this execution, or the previous one, did
  int preemptions_ = 0;
  int stale_ = 0;
  weak_memory weak_;
  std::vector<std::size_t> ways_;
  std::uint64_t memory_hash_ = 0;  // sum over words that were written; equal memory has equal sums
  std::string violation_;
  std::unordered_map<void const*, std::size_t> names_;
  std::vector<std::byte> block_ = std::vector<std::byte>(1 << 20);
  std::pmr::monotonic_buffer_resource arena_{block_.data(), block_.size(), std::pmr::null_memory_resource()};
};

/// The world that the running script lives in. One exploration at a time.
inline world*& current_world() noexcept {
  static world* w = nullptr;
  return w;
}

inline void require(bool holds, std::string const& what) { current_world()->require(holds, what); }
inline std::pmr::memory_resource& memory() noexcept { return current_world()->memory(); }

/// An object that lives to the end of the execution and is never destroyed, because a violation may leave it broken.
template <class T, class... Args>
T& immortal(Args&&... args) {
  return *new (memory().allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
}

}  // namespace skua::inline v0::explorer
