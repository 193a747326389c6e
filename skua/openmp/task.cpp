// SPDX-License-Identifier: MIT
#include "skua/openmp/task.hpp"

#include <unistd.h>

#include <utility>

#include "skua/machine/threads/face/executor.hpp"
#include "skua/openmp/construct_trace.hpp"
#include "skua/openmp/dependences.hpp"

namespace skua { inline namespace v0 { namespace openmp {

[[gnu::tls_model("initial-exec")]] thread_local constinit task* current_task = nullptr;

task::task() noexcept : variables(&the_settings().initial) {}

namespace {

/// A thread's own task ends with it. Code that runs later at its end, and asks, gets another one, which stays.
struct initial_task {
  initial_task() = default;
  initial_task(initial_task const&) = delete;
  initial_task& operator=(initial_task const&) = delete;
  ~initial_task() {
    if (known == nullptr || ::getpid() == ::gettid()) return;  // handlers of exit ask with what main has set
    if (current_task == known) current_task = nullptr;
    delete std::exchange(known, nullptr);
  }
  task* known = nullptr;
};

}  // namespace

task& begin_initial_task() noexcept {
  static thread_local initial_task mine;
  if (mine.known == nullptr) mine.known = new task;
  current_task = mine.known;
  return *mine.known;
}

void forget_dependences::operator()(dependences* known) const noexcept { delete known; }

control& task::writable() {
  if (own_variables == nullptr) {
    own_variables = std::make_unique<control>(*variables);
    variables = own_variables.get();
  }
  return *own_variables;
}

void task::copy_variables(task const& from) {
  own_variables = from.own_variables == nullptr ? nullptr : std::make_unique<control>(*from.own_variables);
  variables = own_variables == nullptr ? from.variables : own_variables.get();
}

void wait_for_unfinished(task_set& set) noexcept {
  kept_current const others_run;
  noted_wait const noted{current(), construct::children};
  runtime::executor::wait(set.unfinished);
}

}}}  // namespace skua::v0::openmp
