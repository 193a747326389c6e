// SPDX-License-Identifier: MIT
// A model checker for small concurrent programs: runs two or three model threads under every schedule, including every
// moment at which a buffered store may reach memory.
//
// How to use it. Write the code under test against a façade (`template <synchronisation Sync = real_sync>`), and a
// script against that:
//
//   template <class Sync>
//   struct two_thieves {
//     static constexpr int threads = 3;
//     void run(int thread);  // the program of model thread 0, 1, 2
//     void finish();         // after all have ended: explorer::require(condition, "what must hold")
//     ...                    // the objects under test
//   };
//   auto seen = explorer::explore<two_thieves<model_sync>>({});
//   EXPECT_EQ(seen.violation, "") << seen;
//   EXPECT_TRUE(seen.exhausted);
//
// Every operation on a Sync::atomic, Sync::mutex or Sync::condition and every fence is a point at which the explorer
// may switch. In the script's constructor and in `finish` they have immediate effect.
//
// To prove that the check can fail, mutate the façade, not the code: derive from model_sync (model_sync.hpp), hide what
// shall be broken (`static void heavy_fence() noexcept {}`), and expect a violation.
//
// The explorer constructs the script anew for every execution. The script must be a function of the schedule: no
// clocks, no randomness, and no heap memory for what model atomics live in (use explorer::memory(), which hands out the
// same addresses every time), and no static variables: an execution that reaches a known state is abandoned there, unless a
// sanitizer watches, and the next one begins. No spinning: wait with atomic::wait, Sync::pause or a condition; a spinning thread is
// reported ("no end in sight"). A wait that nobody ends is reported ("deadlock"), which is how lost wake-ups show,
// unless the thread has declared that it `may_rest`. `require` also works inside `run`.
//
// The model. `weak` is memory as C++ and AArch64 allow it to be seen, loads out of order included: weak_memory.md. In the
// other two each thread has a buffer of its stores. `tso` (x86): they reach memory in order, at any later moment;
// `pso` (closer to AArch64): in any order, but a release store after all earlier ones, and stores to one word in order.
// Loads execute in program order, and see their own buffer first, then memory.
// Read-modify-writes, seq_cst stores, locking and full fences empty the thread's own buffer. Unlocking is a release
// store. A heavy fence empties its own buffer, then each other thread's at some moment before it returns; a light fence
// does nothing. Constructors write memory at once.
//
// Races. A read-modify-write empties the buffer whatever its order is, so for the buffers a relaxed one is as good as a
// release. With `races` the explorer also follows the memory orders as they are written (fences order nothing, as for
// ThreadSanitizer): it is a violation if no release and acquire order two accesses to a Sync::plain, or an access to
// any object and its construction or destruction inside `run` (immortal<T>, std::destroy_at).
//
// The search. Depth first by re-execution; two prefixes that leave every thread with the same history of operations and
// results, the same memory and the same buffers are continued once (a 64-bit hash tells; with 10^6 states the chance
// that any two collide is 10^-7). Other data enter the state only through histories and locks: data that threads share
// outside of atomics must be a Sync::plain, be guarded by a Sync::mutex, or not depend on an order (a counter). So
// without a bound on preemptions `exhausted` means: all executions. With `random > 0` it draws that many schedules from
// `seed` instead, for programs that are too large.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "tests/explorer/world.hpp"

namespace skua::inline v0::explorer {

struct report {
  std::string violation;           ///< empty: none found
  std::vector<std::string> trace;  ///< the execution that shows it, one step a line
  std::uint64_t executions = 0;
  std::uint64_t states = 0;  ///< distinct states at which there was a choice
  bool exhausted = false;    ///< nothing is left to explore
};

inline std::ostream& operator<<(std::ostream& out, report const& r) {
  out << r.executions << " executions, " << r.states << " states" << (r.exhausted ? ", exhausted" : "");
  if (!r.violation.empty()) out << "\nviolation: " << r.violation;
  for (auto const& line : r.trace) out << "\n  " << line;
  return out;
}

/// Makes all choices, depth first; does not explore a state again that it has seen before.
class every_choice final : public chooser {
 public:
  std::size_t choose(std::size_t count, std::uint64_t state) override {
    if (depth_ < path_.size()) return path_[depth_++].taken;
    if (known_) return 0;
    known_ = !seen_.insert(state).second;
    if (known_) return 0;
    path_.push_back({0, count});
    return path_[depth_++].taken;
  }

  bool indifferent() const noexcept override { return known_ && depth_ == path_.size(); }
  bool looks_at_state() const noexcept override { return depth_ == path_.size() && !known_; }
  bool repeats() const noexcept override { return depth_ + 1 < path_.size(); }
  void repeat() noexcept override { ++depth_; }
  bool knows_the_rest() const noexcept override { return known_ && !to_the_end_; }

  /// Goes on to the next path; false if there is none.
  bool next() {
    depth_ = 0;
    known_ = false;
    while (!path_.empty() && path_.back().taken + 1 == path_.back().count) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    return true;
  }
  /// Repeats the same path.
  void again() {
    depth_ = 0;
    known_ = to_the_end_ = true;  // beyond the path it took the first choices
  }
  std::uint64_t states() const noexcept { return seen_.size(); }

 private:
  struct branch {
    std::size_t taken;
    std::size_t count;
  };
  std::vector<branch> path_;
  std::size_t depth_ = 0;
  bool known_ = false;  // this execution has reached a known state: its rest does not matter
  bool to_the_end_ = false;
  std::unordered_set<std::uint64_t> seen_;
};

class random_choice final : public chooser {
 public:
  explicit random_choice(std::uint64_t seed) : dice_(seed) {}
  std::size_t choose(std::size_t count, std::uint64_t) override {
    return dice_.below(static_cast<std::uint32_t>(count));
  }
  bool looks_at_state() const noexcept override { return false; }

 private:
  runtime::dice dice_;
};

template <class Script>
class exploration {
  static_assert(Script::threads <= static_cast<int>(vector_clock::threads_max));

 public:
  explicit exploration(options const& with) : options_(with), world_(Script::threads, with) {
    current_world() = &world_;
  }
  ~exploration() { current_world() = nullptr; }
  exploration(exploration const&) = delete;
  exploration& operator=(exploration const&) = delete;

  report run() {
    if (options_.random > 0) {
      run_random();
    } else {
      run_all();
    }
    return std::move(report_);
  }

 private:
  void run_all() {
    every_choice all;
    do {
      if (report_.executions == options_.executions) break;
      if (!execute(all, nullptr)) {
        all.again();
        execute(all, &report_.trace);
        break;
      }
      report_.exhausted = !all.next();
    } while (!report_.exhausted);
    report_.states = all.states();
  }

  void run_random() {
    for (std::uint64_t i = 0; i < options_.random; ++i) {
      random_choice drawn(options_.seed + i);
      if (execute(drawn, nullptr)) continue;
      random_choice redrawn(options_.seed + i);
      execute(redrawn, &report_.trace);
      report_.violation += " (seed " + std::to_string(options_.seed + i) + ")";
      return;
    }
  }

  // True if nothing was violated.
  bool execute(chooser& by, std::vector<std::string>* trace) {
    ++report_.executions;
    world_.forget_memory();
    script_.emplace();
    auto const how = world_.run([this](int thread) { script_->run(thread); }, by, trace);
    if (how == world::ending::whole && world_.violation().empty()) script_->finish();
    script_.reset();
    report_.violation = world_.violation();
    return report_.violation.empty();
  }

  options options_;
  world world_;
  std::optional<Script> script_;  // always at the same address
  report report_;
};

template <class Script>
report explore(options const& with) {
  auto run = std::make_unique<exploration<Script>>(with);
  return run->run();
}

}  // namespace skua::inline v0::explorer
