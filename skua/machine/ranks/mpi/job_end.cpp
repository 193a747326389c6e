// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/mpi/job_end.hpp"

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>
#include <vector>

#include "skua/machine/ranks/mpi/time_limit.hpp"

namespace skua { inline namespace v0 { namespace mpi {

namespace {

/// All ranks may end the job for one reason. The others leave this time to the one that reports it, and all of them to
/// a launcher that has noticed a death.
constexpr std::chrono::seconds for_others{2};
/// Launchers read what a rank writes, and hear of MPI_Abort, on different ways: the reason comes first.
constexpr std::chrono::milliseconds for_the_launcher{100};

}  // namespace

/// Its destructor runs when the process exits, before the handlers that MPI registered when it was initialised.
class exit_handler {
 public:
  exit_handler() = default;
  ~exit_handler() {
    for (auto const& session : sessions_) session->at_exit();
  }
  exit_handler(exit_handler const&) = delete;
  exit_handler& operator=(exit_handler const&) = delete;
  void add(std::shared_ptr<job_end> session) {
    std::erase_if(sessions_, [](auto const& s) { return s->state_ == job_end::state::complete; });
    sessions_.push_back(std::move(session));
  }

 private:
  std::vector<std::shared_ptr<job_end>> sessions_;
};

std::shared_ptr<job_end> job_end::of_session(ranks::rank_number rank) {
  static exit_handler of_the_process;
  auto made = std::make_shared<job_end>(rank);
  of_the_process.add(made);
  return made;
}

void job_end::say(std::string const& text) const noexcept {
  std::fprintf(stderr, "skua: rank %u: %s; ending the job\n", rank_, text.c_str());
}

/// Ends the processes of all ranks. What the program has written to its streams is not lost.
void job_end::end() const noexcept {
  std::fflush(nullptr);
  std::this_thread::sleep_for(for_the_launcher);
  if (std::this_thread::get_id() == thread_) MPI_Abort(MPI_COMM_WORLD, 1);
  std::_Exit(1);
}

void job_end::abort(ranks::failure const& why) noexcept {
  if (why.is_death) std::this_thread::sleep_for(for_others);
  if (!reports(why)) std::this_thread::sleep_for(for_others);
  say(why.text);
  end();
}

void job_end::left_by_exception(ranks::failure const* why, double grace_s) noexcept {
  state_ = state::left_by_exception;
  try {
    if (why != nullptr) why_ = *why;
    has_said_ = why_ && reports(*why_) && !why_->is_death;
    if (has_said_) say(why_->text);
    // Never freed: it runs until the process ends.
    static_cast<void>(new time_limit(
        grace_s, "rank " + std::to_string(rank_) + " left its session by an exception, and has not exited",
        "; ending the job"));
  } catch (std::exception const&) {
    end();
  }
}

void job_end::at_exit() noexcept {
  int is_over = 0;
  MPI_Finalized(&is_over);
  if (state_ == state::complete || is_over != 0) return;
  if (state_ == state::inside) {
    say("it left by std::exit, before the end of its session");
  } else if (!why_) {
    say("it left its session by an exception");
  } else if (!has_said_) {
    abort(*why_);
  }
  end();
}

}}}  // namespace skua::v0::mpi
