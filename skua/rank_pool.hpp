// SPDX-License-Identifier: MIT
// Several workers in a rank: the threads of a pool run the tasks of its collections, beside skua/ranks.hpp or skua/mpi.hpp.
// The two machines meet here and nowhere else.
#pragma once

#include <cstdint>
#include <memory>
#include <new>

#include "skua/machine/ranks/communicator/communicator.hpp"
#include "skua/machine/threads/face/detached.hpp"
#include "skua/machine/threads/face/one_shot.hpp"
#include "skua/machine/threads/face/pool.hpp"
#include "skua/parts/base/built_with.hpp"
#include "skua/program/collection/worker_threads.hpp"

namespace skua { inline namespace v0 {

/// While it lives, collections that this rank makes have the workers of the pool; they end before it, else their process()
/// throws usage_error on every rank. Their tasks may fork in the pool, and idle
/// workers go on with such forks. Local: every rank may have another number of workers, or none of these.
///
///   skua::pool pool(world.processors());
///   skua::rank_pool const workers(world, pool);
///   skua::task_collection<interval> parts(world, ...);
class rank_pool final : private runtime::worker_threads {
 public:
  /// With serving::between_tasks the calling thread is one worker more: a rank of n workers has a pool of n - 1.
  rank_pool(communicator& rank, pool& threads, serving how = serving::server_thread) noexcept
      : rank_(rank), pool_(threads) {
    rank_.work_with(this, how);
  }
  ~rank_pool() { rank_.work_with(nullptr, serving::between_tasks); }
  rank_pool(rank_pool const&) = delete;
  rank_pool& operator=(rank_pool const&) = delete;

 private:
  /// A call of the rank as the pool sees it. It lies in the call's own room, so that starting one never allocates.
  struct in_pool final : runtime::detached_call {
    explicit in_pool(runtime::worker_call& c) noexcept : runtime::detached_call{.kind = &kind}, call(c) {}

    static void work(runtime::detached_call& self, runtime::fiber&) {
      runtime::worker_call& mine = static_cast<in_pool&>(self).call;
      mine.run(mine);
    }
    static char const* name_of(runtime::detached_call const&) noexcept { return "rank_worker"; }
    static constexpr runtime::detached_kind kind{.run = &in_pool::work, .name_of = &in_pool::name_of};

    runtime::worker_call& call;
  };

  struct signal_of_pool final : runtime::one_time_signal {
    [[nodiscard]] bool is_set() const noexcept override { return happened.is_set(); }
    void set() noexcept override { happened.set_value(); }
    void wait() override { happened.wait(); }
    one_shot<> happened;
  };

  [[nodiscard]] std::unique_ptr<runtime::one_time_signal> make_signal() override { return std::make_unique<signal_of_pool>(); }
  [[nodiscard]] std::uint32_t count() const noexcept override { return pool_.num_workers(); }
  /// In a child of fork(), which has no workers, this ends the process.
  void start(runtime::worker_call& call) noexcept override {
    static_assert(sizeof(in_pool) <= sizeof(call.room) && alignof(in_pool) <= alignof(std::max_align_t));
    in_pool& made = *::new (static_cast<void*>(call.room)) in_pool(call);
    runtime::announce(made, runtime::root_region_of(pool_));
    runtime::submit(made);
  }

  communicator& rank_;
  pool& pool_;
};

}}  // namespace skua::v0
