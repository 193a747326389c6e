// SPDX-License-Identifier: MIT
// latency with oneTBB. Its tasks have no priorities, but arenas have: threads leave an arena at the end of a task for one
// of a higher priority.
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "apps/latency/problem.hpp"

namespace skua::apps::latency {
namespace {

struct tbb_program {
  load const& all;
  choice const how;
  record& into;
  tbb::task_arena& urgent_arena;
  tbb::task_group& background_tasks;
  tbb::task_group& urgent_tasks;

  void background(std::uint32_t i) {
    into.background_begins(i);
    load::job const& j = all[i];
    work_for(j.before_ns);
    if (j.urgent != load::no_urgent) spawn_urgent(j.urgent);
    work_for(j.after_ns);
    if (2 * i + 2 >= all.background()) return;
    background_tasks.run([this, i] { background(2 * i + 1); });
    background_tasks.run([this, i] { background(2 * i + 2); });
  }
  void spawn_urgent(std::uint32_t i) {
    auto const task = [this, i, now = runtime::clock_ns()] {
      into.urgent_begins(i, now);
      work_for(all.urgent_ns());
    };
    if (how == choice::none) return background_tasks.run(task);
    urgent_arena.enqueue(urgent_tasks.defer(task));
  }
};

}  // namespace

void with_tbb(tbb_workers& workers, unsigned count, load const& l, choice how, record& into) {
  tbb::task_arena urgent_arena(static_cast<int>(count), 1, tbb::task_arena::priority::high);
  tbb::task_group urgent_tasks;
  workers.run(count, [&] {
    tbb::task_group background_tasks;
    tbb_program program{l, how, into, urgent_arena, background_tasks, urgent_tasks};
    background_tasks.run_and_wait([&] { program.background(0); });
    urgent_arena.execute([&] { urgent_tasks.wait(); });
  });
}

}  // namespace skua::apps::latency
