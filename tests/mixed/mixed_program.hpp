// SPDX-License-Identifier: MIT
// Random programs in which everything meets everything: joins, loops, scopes, finish regions, flows that grow, teams, task groups,
// isolated calls and contexts, bounds, objects per worker, enqueued tasks, coroutines, senders, pools and arenas that call each other, callers
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
#include <utility>
#include <vector>

#include "skua/as_tbb.hpp"
#include "skua/skua.hpp"
#include "tests/mixed/mixed_checks.hpp"
#include "tests/mixed/mixed_step.hpp"

namespace skua { inline namespace v0 { namespace testing {

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

class mixed_program {
 public:
  /// `pools` call each other, and the arena.
  mixed_program(mixed_step const& whole, std::array<pool*, 2> pools, shared_arena& arena,
                answering_service& outside) noexcept
      : whole_(whole), pools_(pools), arena_(arena), outside_(outside) {}

  /// Runs it in pool number `first`; any thread.
  [[nodiscard]] std::uint64_t run(std::size_t first);

  /// Steps that all programs of the process have begun: grows as long as any of them goes on.
  [[nodiscard]] static std::uint64_t steps() noexcept;

 private:
  /// Where a step runs.
  struct place {
    std::size_t pool;
    isolated_mark const* alone =
        nullptr;  ///< inside of this isolated call: only what needs no other worker of this pool
    /// The stop around it that it must hear of has been requested; null: there is none.
    std::atomic<bool> const* stopped = nullptr;
    bool in_own_region = false;  ///< of this pool, so that a call of the pool goes elsewhere

    /// Of what watches only itself, as tasks of a group do.
    [[nodiscard]] place unseen() const noexcept { return {pool, alone, nullptr, in_own_region}; }
    /// Of what a call of the pool runs.
    [[nodiscard]] place called() const noexcept { return {pool, alone, in_own_region ? nullptr : stopped, false}; }
  };

  std::uint64_t step(runtime::here& on, mixed_step const& by, place at);
  std::uint64_t children(runtime::here& on, mixed_step const& by, place at);
  std::uint64_t children_with_objects(runtime::here& on, mixed_step const& by, place at);
  std::uint64_t elsewhere(runtime::here& on, mixed_step const& by, place at);
  std::uint64_t shielded(runtime::here& on, mixed_step const& by, place at);
  std::uint64_t limited(mixed_step const& by, place at);
  std::uint64_t in_the_arena(mixed_step const& by, place at);
  std::uint64_t lent(mixed_step const& by, place at);
  std::uint64_t in_a_region(mixed_step const& by, place at);
  std::uint64_t beside_each_other(runtime::here& on, mixed_step const& by, place at);
  std::uint64_t ended_early(runtime::here& on, mixed_step const& by, place at);
  void stop_a_call(runtime::here& on, mixed_step const& by, place at);
  void stop_a_sibling(runtime::here& on, mixed_step const& by, place at);
  void break_a_team(runtime::here& on, mixed_step const& by, place at);
  std::uint64_t await_elsewhere(runtime::here& on, mixed_step const& by, place at);
  std::uint64_t schedule_elsewhere(runtime::here& on, mixed_step const& by, place at);
  std::uint64_t take_left_tasks(runtime::here& on, mixed_step const& by, place at);
  std::uint64_t feed(mixed_step const& by, place at);
  std::uint64_t cut_short(runtime::here& on, mixed_step const& by, place at);
  /// A step whose answer does not count; if it has one it must be right.
  void try_step(runtime::here& on, mixed_step const& by, place at);
  std::uint64_t in(std::size_t pool, mixed_step const& by, isolated_mark const* alone = nullptr);
  std::uint64_t in_isolation(std::size_t pool, mixed_step const& by);

  mixed_step const& whole_;
  std::array<pool*, 2> const pools_;
  shared_arena& arena_;
  answering_service& outside_;
};

}}}  // namespace skua::v0::testing
