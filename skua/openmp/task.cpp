// SPDX-License-Identifier: MIT
#include "skua/openmp/task.hpp"

#include "skua/machine/threads/face/executor.hpp"
#include "skua/openmp/dependences.hpp"

namespace skua { inline namespace v0 { namespace openmp {

namespace {

// A library that is preloaded has its part of the static thread-local storage.
[[gnu::tls_model("initial-exec")]] thread_local constinit task* current_task = nullptr;

/// The initial task of a thread. Never destroyed: code that runs when the thread ends may ask.
task& initial_task() {
  task* const made = new task;
  current_task = made;
  return *made;
}

}  // namespace

task::task() noexcept : variables(&the_settings().initial) {}
task::~task() = default;

control& task::writable() {
  if (own_variables == nullptr) {
    own_variables = std::make_unique<control>(*variables);
    variables = own_variables.get();
  }
  return *own_variables;
}

void task::be_child_of(task& parent_task, bool final) {
  team = parent_task.team;
  level = parent_task.level;
  active_level = parent_task.active_level;
  is_explicit = true;
  is_final = final;
  inside = parent_task.innermost;
  children.reductions = parent_task.innermost->reductions;
  inherit(parent_task);
}

void task::inherit(task const& from) {
  if (from.own_variables != nullptr) {
    own_variables = std::make_unique<control>(*from.own_variables);
    variables = own_variables.get();
  } else {
    own_variables.reset();
    variables = from.variables;
  }
}

task& current() noexcept {
  task* const t = current_task;
  return t != nullptr ? *t : initial_task();
}

task* make_current(task* t) noexcept {
  task* const before = current_task;
  current_task = t;
  return before;
}

void wait_for(task_set& set) noexcept {
  if (set.unfinished.done()) return;
  kept_current const others_run;
  runtime::executor::wait(set.unfinished);
}

}}}  // namespace skua::v0::openmp
