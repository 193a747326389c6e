// SPDX-License-Identifier: MIT
#include "skua/openmp/task.hpp"

#include "skua/machine/threads/face/executor.hpp"
#include "skua/openmp/construct_trace.hpp"
#include "skua/openmp/dependences.hpp"

namespace skua { inline namespace v0 { namespace openmp {

[[gnu::tls_model("initial-exec")]] thread_local constinit task* current_task = nullptr;

task::task() noexcept : variables(&the_settings().initial) {}

/// Never destroyed: code that runs when the thread ends may ask.
task& begin_initial_task() noexcept {
  task* const made = new task;
  current_task = made;
  return *made;
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
