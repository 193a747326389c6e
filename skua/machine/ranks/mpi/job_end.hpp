// SPDX-License-Identifier: MIT
// How a rank leaves its job. One that leaves before the end of its session says why on standard error, and ends the job:
// the other ranks would wait for it for ever.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "skua/machine/ranks/communicator/call_order.hpp"

namespace skua { inline namespace v0 { namespace mpi {

/// Of one session. The process keeps it, and asks it at exit.
class job_end {
 public:
  /// Registers with the process. The calling thread makes all calls of MPI.
  [[nodiscard]] static std::shared_ptr<job_end> of_session(ranks::rank_number rank);
  explicit job_end(ranks::rank_number rank) noexcept : rank_(rank) {}
  ~job_end() = default;
  job_end(job_end const&) = delete;
  job_end& operator=(job_end const&) = delete;

  /// The session has ended in order.
  void is_complete() noexcept { state_ = state::complete; }
  /// An exception leaves the session's scope; `why`: what its last collective call threw, or null. Returns, so that the
  /// program's handler can report the exception. The process ends the job when it exits, and at the latest after
  /// `grace_s` seconds.
  void left_by_exception(ranks::failure const* why, double grace_s) noexcept;
  /// Says why, and ends the job now.
  [[noreturn]] void abort(ranks::failure const& why) noexcept;

 private:
  friend class exit_handler;
  enum class state : std::uint8_t { inside, left_by_exception, complete };

  void at_exit() noexcept;
  [[nodiscard]] bool reports(ranks::failure const& why) const noexcept { return why.reporter == rank_; }
  void say(std::string const& text) const noexcept;
  [[noreturn]] void end() const noexcept;

  ranks::rank_number const rank_;
  std::thread::id const thread_ = std::this_thread::get_id();
  state state_ = state::inside;
  std::optional<ranks::failure> why_;
  bool has_said_ = false;
};

}}}  // namespace skua::v0::mpi
