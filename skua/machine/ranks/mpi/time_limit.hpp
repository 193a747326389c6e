// SPDX-License-Identifier: MIT
// Ends the process if a call that cannot be interrupted takes too long: MPI_Init and MPI_Finalize wait for dead ranks
// for ever.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

namespace skua { inline namespace v0 { namespace mpi {

/// Runs from its construction to its end. When the time is over, it writes what has not happened, and the conclusion, to
/// standard error, and exits with 1 without running any destructor.
class time_limit {
 public:
  time_limit(double seconds, std::string what, std::string conclusion = "; a rank may have died")
      : thread_([this, seconds, what, conclusion] { watch(seconds, what, conclusion); }) {}
  ~time_limit() {
    {
      std::scoped_lock const held(lock_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  time_limit(time_limit const&) = delete;
  time_limit& operator=(time_limit const&) = delete;

 private:
  void watch(double seconds, std::string const& what, std::string const& conclusion) {
    std::unique_lock held(lock_);
    if (changed_.wait_for(held, std::chrono::duration<double>(seconds), [this] { return over_; })) return;
    std::fprintf(stderr, "skua: %s after %.0f s%s\n", what.c_str(), seconds, conclusion.c_str());
    std::fflush(nullptr);
    std::_Exit(1);
  }

  std::mutex lock_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;  ///< last: it uses the others
};

}}}  // namespace skua::v0::mpi
