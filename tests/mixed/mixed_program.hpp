// SPDX-License-Identifier: MIT
// Random programs in which everything meets everything: joins, loops, scopes, finish regions, flows that grow, teams, task groups,
// isolated calls and contexts, bounds, objects per worker, enqueued tasks, coroutines, pools and arenas that call each other, callers
// from outside with limits that change and without, observers, lent threads, answers from threads that know nothing of Skua, failures,
// stops and shields. The same seed has the same answer, which `expected` computes without Skua.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "skua/as_tbb.hpp"
#include "skua/skua.hpp"

namespace skua::inline v0::testing {

/// Threads outside of every pool that do what they are asked to, after a while.
class answering_service {
 public:
  explicit answering_service(unsigned threads);
  ~answering_service();
  answering_service(answering_service const&) = delete;
  answering_service& operator=(answering_service const&) = delete;

  void ask(std::function<void()> answer);

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable asked_;
  std::queue<std::function<void()>> questions_;
  bool ends_ = false;
  std::vector<std::jthread> threads_;
};

/// An arena, and which of its numbers are in use.
struct shared_arena {
  static constexpr std::size_t workers = 2;

  tbb::task_arena calls{static_cast<int>(workers)};
  std::array<std::atomic<bool>, workers> in_use{};
  std::atomic<std::uint64_t> wrong_numbers{0};

  /// For a body of the arena, which does not wait meanwhile.
  void check_number() noexcept;
};

/// What a step of a program is.
enum class construct : std::uint8_t {
  join,
  each,
  scope,
  finish,
  flow,
  task_group,
  loop,            ///< parallel_for
  isolated,        ///< a call inside of isolate()
  answer,          ///< waits for an answer from outside, and may go on elsewhere
  answer_here,     ///< the same, and returns on the same thread
  enqueued,        ///< an enqueued task answers
  coroutine,       ///< a coroutine that the pool computes for answers
  other_pool,      ///< a call into the other pool
  outside_caller,  ///< a thread made for this calls the pool, and answers
  own_pool,        ///< a pool that begins and ends here
  own_region,      ///< a region of this pool that opens and closes here
  growing_flow,    ///< a flow whose nodes add nodes; some run twice
  team,            ///< a node of a flow that several workers run together
  worker_local,    ///< parts of the answer in an object per worker
  isolated_loop,   ///< a loop with an isolated context, where a stop was requested
  second_use,      ///< a group of tasks that was cancelled before
  shielded,        ///< without_stop, where a stop is requested
  limited,         ///< a thread made for this calls the default pool, while it limits what such calls use
  fails,           ///< one child throws
  stops,           ///< one child requests a stop
  stopped_call,    ///< an enqueued call, which is stopped
  bounded_group,   ///< a group of tasks whose starter runs what it has no room for
  bounded_call,    ///< an enqueued task, with a bound, answers
  gathered,        ///< many nodes of a flow at one address, in two runs, some of which have children
  observed,        ///< a loop, while an observer of the pool around it enters and leaves
  arena,           ///< a loop in an arena that all programs share, in which each body has a number of its own
  lent,            ///< all workers of a pool wait for what an enqueued task answers
  last = lent
};
[[nodiscard]] char const* name_of(construct c) noexcept;

class mixed_program {
 public:
  /// `pools` call each other, and the arena.
  mixed_program(std::uint64_t seed, int depth, std::array<pool*, 2> pools, shared_arena& arena,
                answering_service& outside) noexcept
      : seed_(seed), depth_(depth), pools_(pools), arena_(arena), outside_(outside) {}

  /// Runs it in pool number `first`; any thread.
  [[nodiscard]] std::uint64_t run(std::size_t first);
  [[nodiscard]] static std::uint64_t expected(std::uint64_t seed, int depth);

  /// Steps that all programs of the process have begun: grows as long as any of them goes on.
  [[nodiscard]] static std::uint64_t steps() noexcept;
  /// Constructs of its steps, by number. For tests of the generator.
  static void count(std::uint64_t seed, int depth, std::vector<std::uint64_t>& of_each);

 private:
  /// Where a step runs.
  struct place {
    std::size_t pool;
    bool isolated;  ///< only what needs no other worker of this pool
  };
  struct plan;

  std::uint64_t step(runtime::here& on, std::uint64_t seed, int depth, place at);
  std::uint64_t children(runtime::here& on, plan const& by, int depth, place at);
  std::uint64_t children_with_objects(runtime::here& on, plan const& by, int depth, place at);
  std::uint64_t elsewhere(runtime::here& on, plan const& by, int depth, place at);
  std::uint64_t shielded(runtime::here& on, plan const& by, int depth, place at);
  std::uint64_t limited(plan const& by, int depth, place at);
  std::uint64_t in_the_arena(plan const& by, int depth, place at);
  std::uint64_t lent(plan const& by, int depth, place at);
  std::uint64_t ended_early(runtime::here& on, plan const& by, int depth, place at);
  void stop_a_call(runtime::here& on, plan const& by, int depth, place at);
  std::uint64_t in(std::size_t pool, std::uint64_t seed, int depth, bool isolated);

  std::uint64_t const seed_;
  int const depth_;
  std::array<pool*, 2> const pools_;
  shared_arena& arena_;
  answering_service& outside_;
};

}  // namespace skua::inline v0::testing
