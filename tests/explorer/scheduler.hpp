// SPDX-License-Identifier: MIT
// The loop that lets a chooser decide what happens next in an execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/platform.hpp"
#include "tests/explorer/chooser.hpp"
#include "tests/explorer/execution.hpp"
#include "tests/explorer/image.hpp"
#include "tests/explorer/options.hpp"
#include "tests/explorer/snapshots.hpp"
#include "tests/explorer/world.hpp"

namespace skua { inline namespace v0 { namespace explorer {

class scheduler {
 public:
  /// The program of model thread i is `body(script, i)`.
  using program = void (*)(void* script, int thread);

  scheduler(world& of, program body, bool takes_snapshots)
      : world_(of), body_(body), takes_snapshots_(takes_snapshots), snapshots_(of.stacks_) {
    for (std::size_t i = 0; i < world_.stacks_.size(); ++i) mains_.push_back({this, static_cast<int>(i)});
  }

  enum class ending : std::uint8_t {
    whole,      ///< all threads have ended, or can never go on; or something was violated
    abandoned,  ///< the chooser knows the rest. The threads' stacks are forgotten, not unwound.
  };

  /// Runs what the world has begun under the choices of `by`. Of the snapshots it keeps the first n.
  ending start(chooser& by, void* script, std::size_t n) {
    script_ = script;
    snapshots_.keep(n);
    for (auto& m : mains_) world_.stacks_[static_cast<std::size_t>(m.thread)].start(&main, &m);
    return run(by);
  }
  /// Goes on from the state in which branch number n of the path began.
  ending resume(chooser& by, std::size_t n) {
    snapshots_.restore(n);
    return run(by);
  }

 private:
  struct thread_main {
    scheduler* in;
    int thread;
  };
  static void main(void* argument) {
    auto const& me = *static_cast<thread_main*>(argument);
    me.in->body_(me.in->script_, me.thread);
    me.in->now().running->done = true;
  }

  /// A possible next move: a thread runs to its next step, or its buffered store number `flush` reaches memory.
  static constexpr std::size_t runs = ~std::size_t{0};
  struct move {
    int thread = 0;
    std::size_t flush = runs;
    bool preempts = false;  ///< the thread that ran before could go on
    bool chosen = false;    ///< there were others
  };
  /// Under ASan what lies on a forgotten stack leaks; TSan takes its next use for a new thread.
  static constexpr bool may_abandon = !runtime::under_asan && !runtime::under_tsan;

  [[nodiscard]] execution& now() noexcept { return *world_.now_; }
  [[nodiscard]] execution::thread& thread_of(move const& m) noexcept {
    return now().threads[static_cast<std::size_t>(m.thread)];
  }
  [[nodiscard]] options const& with() const noexcept { return world_.options_; }

  // A snapshot is taken in `ask`; what comes before it in this loop depends only on the execution's state.
  ending run(chooser& by) {
    by_ = &by;
    while (true) {
      if (now().running == nullptr) {
        if (!now().violation.empty() && now().is_over()) return ending::whole;
        if (now().steps > with().steps) {
          world_.require(false, "no end in sight: does a thread spin?");
          return ending::whole;
        }
        if (!find_move()) return ending::whole;
        if (is_known()) return ending::abandoned;
        ++now().steps;
        if (!begin(next_)) continue;
      } else {  // it chooses within an operation, which is not the state that it was scheduled in
        now().answer = ask(now().asks, 1 + static_cast<std::uint64_t>(now().running->id));
        now().asks = 0;
        if (is_known()) {
          now().running = nullptr;  // what destroys the script is no model thread
          return ending::abandoned;
        }
      }
      {
        image_is const open(true);
        world_.stack_of_running().resume();
      }
      if (now().asks == 0) now().running = nullptr;
    }
  }

  [[nodiscard]] bool is_known() const noexcept {
    return may_abandon && by_->knows_the_rest() && world_.violation().empty();
  }

  std::size_t ask(std::size_t count, std::uint64_t within) {
    std::uint64_t state = by_->looks_at_state() ? now().state(with()) : 0;
    if (within != 0) state = mix(state, within);
    std::size_t const way = by_->choose(count, state);
    if (takes_snapshots_ && by_->comes_back()) snapshots_.push(now());
    return way;
  }

  // Makes next_ the move that comes next. False: the execution has ended.
  bool find_move() {
    std::size_t const steps = now().steps;
    if (by_->repeats() && steps < log_.size()) {
      repeat(log_[steps]);
      return true;
    }
    log_.resize(steps);
    collect_moves();
    if (moves_.empty()) {
      if (auto const who = now().waiting(); !who.empty())
        world_.require(false, "deadlock: " + who + " can never go on");
      return false;
    }
    next_ = moves_[moves_.size() == 1 ? 0 : ask(moves_.size(), 0)];
    next_.chosen = moves_.size() > 1;
    next_.preempts = next_.flush == runs && now().current != nullptr && now().current != &thread_of(next_) &&
                     now().current->can_run();
    log_.push_back(next_);
    return true;
  }

  /// The same without a look at the others, if the chooser repeats what the previous execution did.
  void repeat(move const& m) {
    auto const& t = thread_of(m);
    runtime::invariant(m.flush == runs ? !t.done : m.flush < t.stores.size(),
                       "a script does the same when the same choices are made");
    if (m.chosen) by_->repeat();
    next_ = m;
  }

  // True if a thread shall run.
  bool begin(move const& m) {
    auto& t = thread_of(m);
    if (m.flush != runs) {
      world_.commit(t, m.flush);
      return false;
    }
    if (m.preempts) ++now().preemptions;
    now().current = now().running = &t;
    return true;
  }

  // The thread that ran last comes first, so that the first path explored switches least.
  void collect_moves() {
    execution& e = now();
    moves_.clear();
    bool const current_can_run = e.current != nullptr && e.current->can_run();
    if (current_can_run) moves_.push_back({e.current->id});
    if (by_->indifferent() && current_can_run) return;
    if (!current_can_run || e.preemptions < with().preemptions) {
      for (auto& t : e.threads) {
        if (&t != e.current && t.can_run()) moves_.push_back({t.id});
      }
    }
    for (auto& t : e.threads) {
      for (std::size_t i = 0; i < t.stores.size(); ++i) {
        if (may_commit(t, i)) moves_.push_back({t.id, i});
      }
    }
  }

  bool may_commit(execution::thread const& t, std::size_t i) const {
    if (i == 0) return true;
    if (with().model == memory_model::tso || t.stores[i].release) return false;
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      if (t.stores[earlier].where == t.stores[i].where) return false;
    }
    return true;
  }

  world& world_;
  program body_;
  bool takes_snapshots_;
  void* script_ = nullptr;
  std::deque<thread_main> mains_;
  chooser* by_ = nullptr;
  std::vector<move> moves_;
  move next_{};
  std::vector<move> log_;  // what this execution, or the previous one, did
  snapshots snapshots_;
};

}}}  // namespace skua::v0::explorer
