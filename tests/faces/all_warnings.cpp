// SPDX-License-Identifier: MIT
// A program that includes every face and asks for every warning. Tests are compiled in groups, which leaves -Wshadow out, so without
// this nobody but users would see what the headers hide. Compiled, never run.
#include "skua/as_tbb.hpp"
#include "skua/conventional.hpp"
#include "skua/mpi.hpp"
#include "skua/rank_pool.hpp"
#include "skua/ranks.hpp"
#include "skua/skua.hpp"

namespace {

/// Instantiates what takes the program's functions.
void use(skua::pool& pool) {
  pool.run([](auto& here) {
    skua::flow graph(here);
    auto const first = graph.add([](auto&, auto& in) { in.add([](auto&) {}); });
    graph.add(skua::after(first), [](auto&) {});
    graph.add_team([](auto&) {});
    graph.run(here);
    here.join([](auto&) {}, [](auto&) {});
    here.finish([](auto& f) { f.spawn([](auto&) {}); });
    here.scope([](auto& s) { s.spawn([](auto&) {}); });
    skua::one_shot<int> answer;
    answer.set_value(1);
    static_cast<void>(answer.wait(here));
  });
  skua::task_group group(skua::at_most{3});
  group.run([] {});
  static_cast<void>(group.wait());
  skua::parallel_for(0, 10, [](int) {});
  skua::worker_local<int> sums;
  sums.local() += 1;
  static_cast<void>(skua::isolate([] { return 1; }));
  pool.enqueue([] {});
  pool.drain();
}

}  // namespace

int main() {
  skua::pool pool;
  use(pool);
}
