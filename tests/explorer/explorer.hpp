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
// The script must be a function of the schedule: no clocks, no randomness, no static variables, and no memory but its
// members, its stacks, explorer::memory() and what operator new gives: the search goes back to a state by restoring those
// (below), and leaves an execution where a known state is reached. Model atomics live in members and in
// explorer::memory(), which hands out the same addresses every time, or on a thread's stack. No spinning: wait with atomic::wait, Sync::pause or a condition; a spinning thread is
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
// The search. Depth first. Wherever there is a choice it takes a snapshot of all that an execution can change
// (image.hpp, snapshots.hpp), and restores that for the next way. An execution in a thousand begins with a new script
// instead and must find the branches of its path as they were: so state that a snapshot does not see is reported (a script that has such says `begins_afresh`). Where
// a sanitizer watches every execution begins so; those with random schedules and the one that is told always do. Two prefixes that leave every thread with the same history of operations and
// results, the same memory and the same buffers are continued once (a 64-bit hash tells; with 10^6 states the chance
// that any two collide is 10^-7). Other data enter the state only through histories and locks: data that threads share
// outside of atomics must be a Sync::plain, be guarded by a Sync::mutex, or not depend on an order (a counter). So
// without a bound on preemptions `exhausted` means: all executions. With `random > 0` it draws that many schedules from
// `seed` instead, for programs that are too large.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/dice.hpp"
#include "tests/explorer/chooser.hpp"
#include "tests/explorer/image.hpp"
#include "tests/explorer/options.hpp"
#include "tests/explorer/scheduler.hpp"
#include "tests/explorer/state_set.hpp"
#include "tests/explorer/world.hpp"

namespace skua { inline namespace v0 { namespace explorer {

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
    is_new_ = false;
    if (depth_ < path_.size()) return take(path_[depth_++], count, state);
    if (known_) return 0;
    known_ = !seen_.insert(state);
    if (known_) return 0;
    is_new_ = true;
    path_.push_back({0, count, state});
    ++depth_;
    return 0;
  }

  bool indifferent() const noexcept override { return known_ && depth_ == path_.size(); }
  bool looks_at_state() const noexcept override { return depth_ == path_.size() ? !known_ : compares_; }
  bool comes_back() const noexcept override { return is_new_; }
  bool repeats() const noexcept override { return !compares_ && depth_ + 1 < path_.size(); }
  void repeat() noexcept override { ++depth_; }
  bool knows_the_rest() const noexcept override { return known_ && !to_the_end_; }

  /// Goes on to the next path; false if there is none.
  bool next() {
    while (!path_.empty() && path_.back().taken + 1 == path_.back().count) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    return true;
  }
  std::size_t branches() const noexcept { return path_.size(); }

  // Where the next execution begins.

  void at_the_last_branch() noexcept { begin(path_.size() - 1, false); }
  /// The execution passes all branches of the path again. With `compares` it must find them as they were.
  void at_the_beginning(bool compares) noexcept { begin(0, compares); }
  /// Repeats the same path, and beyond it takes the first choices.
  void again() noexcept {
    begin(0, false);
    known_ = to_the_end_ = true;
  }
  std::uint64_t states() const noexcept { return seen_.size(); }

 private:
  struct branch {
    std::size_t taken;
    std::size_t count;
    std::uint64_t state;
  };

  void begin(std::size_t depth, bool compares) noexcept {
    depth_ = depth;
    known_ = false;
    compares_ = compares;
  }
  std::size_t take(branch const& b, std::size_t count, std::uint64_t state) const noexcept {
    runtime::invariant(b.count == count && (!compares_ || b.state == state),
                       "a script keeps no state where a snapshot does not see it, and does the same when the same "
                       "choices are made");
    return b.taken;
  }

  std::vector<branch> path_;
  std::size_t depth_ = 0;
  bool is_new_ = false;  // the last choice began a branch
  bool known_ = false;   // this execution has reached a known state: its rest does not matter
  bool compares_ = false;
  bool to_the_end_ = false;
  state_set seen_;
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

/// A script says `static constexpr bool begins_afresh = true` if it keeps what no snapshot sees: exceptions.
template <class Script>
constexpr bool begins_afresh = false;
template <class Script>
  requires requires { Script::begins_afresh; }
constexpr bool begins_afresh<Script> = Script::begins_afresh;

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
    while (report_.executions < options_.executions) {
      if (!(starts_afresh() ? execute(all, nullptr, all.branches()) : go_on(all))) {
        all.again();
        execute(all, &report_.trace);
        break;
      }
      report_.exhausted = !all.next();
      if (report_.exhausted) break;
      if (starts_afresh()) {
        all.at_the_beginning(restores());
      } else {
        all.at_the_last_branch();
      }
    }
    report_.states = all.states();
  }

  [[nodiscard]] static bool restores() noexcept { return heap_is_in_image() && !begins_afresh<Script>; }

  // Few executions run from the beginning although there is a snapshot. They show that it has all that the script keeps.
  [[nodiscard]] bool starts_afresh() const noexcept {
    std::uint64_t const n = report_.executions;
    return !restores() || n % 1024 == 0 || (n < 32 && n % 2 == 0);
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

  // Both: true if nothing was violated.
  bool execute(chooser& by, std::vector<std::string>* trace, std::size_t branches = 0) {
    world_.begin(trace);
    script_ = static_cast<Script*>(world_.memory().allocate(sizeof(Script), alignof(Script)));
    {
      image_is const open(true);
      new (script_) Script();
    }
    return end(scheduler_.start(by, script_, branches));
  }
  bool go_on(every_choice& by) { return end(scheduler_.resume(by, by.branches() - 1)); }

  // An execution that was abandoned keeps nothing but what the image holds.
  bool end(scheduler::ending how) {
    ++report_.executions;
    if (how == scheduler::ending::whole && world_.violation().empty()) script_->finish();
    if (how == scheduler::ending::whole || !restores()) std::destroy_at(script_);
    report_.violation = world_.violation();
    return report_.violation.empty();
  }

  options options_;
  world world_;
  Script* script_ = nullptr;  // in the image, always at the same address
  scheduler scheduler_{world_, [](void* script, int thread) { static_cast<Script*>(script)->run(thread); }, restores()};
  report report_;
};

template <class Script>
report explore(options const& with) {
  auto run = std::make_unique<exploration<Script>>(with);
  return run->run();
}

}}}  // namespace skua::v0::explorer
