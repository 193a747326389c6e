// SPDX-License-Identifier: MIT
#include "apps/tbb_workers.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <thread>

namespace skua::apps {
namespace {

/// A waiting oneTBB thread runs other tasks on top of its frame, so deep programs need deep stacks. Only touched pages
/// cost memory.
constexpr std::size_t thread_stack_bytes = std::size_t{64} << 20;

/// Waits until all threads of the arena have appeared once; oneTBB guarantees none of
/// them, so it gives up after a while.
void warm(tbb::task_arena& arena, unsigned workers) {
  arena.execute([workers] {
    auto const give_up = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
    std::atomic<unsigned> here = 0;
    tbb::task_group everybody;
    for (unsigned i = 0; i < workers; ++i) {
      everybody.run([&] {
        here.fetch_add(1, std::memory_order_relaxed);
        while (here.load(std::memory_order_relaxed) < workers && std::chrono::steady_clock::now() < give_up) {
          std::this_thread::yield();
        }
      });
    }
    everybody.wait();
  });
}

}  // namespace

struct tbb_workers::arenas {
  tbb::global_control stack{tbb::global_control::thread_stack_size, thread_stack_bytes};
  std::optional<tbb::global_control> allowed;
  unsigned most = 0;
  std::map<unsigned, tbb::task_arena> of_size;
};

tbb_workers::tbb_workers() : arenas_(std::make_unique<arenas>()) {}
tbb_workers::~tbb_workers() = default;

void tbb_workers::run(unsigned workers, std::function<void()> const& f) {
  if (workers > arenas_->most) {
    arenas_->most = workers;
    arenas_->allowed.emplace(tbb::global_control::max_allowed_parallelism, workers);
  }
  auto const [at, is_new] = arenas_->of_size.try_emplace(workers, static_cast<int>(workers));
  if (is_new) warm(at->second, workers);
  at->second.execute(f);
}

}  // namespace skua::apps
