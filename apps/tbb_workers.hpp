// SPDX-License-Identifier: MIT
// The arenas of the oneTBB twins: one warm arena per number of workers, so that a timed run starts no thread.
#pragma once

#include <functional>
#include <memory>

namespace skua::apps {

class tbb_workers {
 public:
  tbb_workers();
  ~tbb_workers();
  tbb_workers(tbb_workers const&) = delete;
  tbb_workers& operator=(tbb_workers const&) = delete;

  /// Calls f in an arena of `workers` threads, including the caller; more threads than processors are allowed.
  /// The first call with a number of workers also makes that arena and waits until its threads are there.
  void run(unsigned workers, std::function<void()> const& f);

 private:
  struct arenas;
  std::unique_ptr<arenas> arenas_;
};

}  // namespace skua::apps
