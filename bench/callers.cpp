// SPDX-License-Identifier: MIT
// Two apps at once in one pool, each called by a thread of its own: how long both take under each policy, and how long each takes beside the
// other and alone. Rounds are interleaved; every answer is verified.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "apps/app.hpp"
#include "apps/mix/parts.hpp"
#include "bench/harness.hpp"
#include "skua/skua.hpp"

namespace skua::bench::callers { namespace {

using programs = std::vector<std::unique_ptr<apps::app>>;

struct question : option_table {
  number_option<std::int64_t> rounds{*this, "--rounds", 9, between(1, 10'000), "measurements per row"};
  number_option<std::uint32_t> workers{*this, "--workers", 2, between(1, 1024), "workers of the pool"};
  text_option of{*this, "--of", "heat --n 640 --iterations 100, nqueens --n 11",
                 "the apps with their options, with a comma between each two"};
  text_option policies{*this, "--policies", "auto;random;adws", "with a semicolon between each two"};
};

std::vector<std::string> policies_in(std::string const& list) {
  std::istringstream in(list);
  std::vector<std::string> all;
  for (std::string name; std::getline(in, name, ';');) all.push_back(name);
  return all;
}

/// Milliseconds of each program, and last of all together.
std::vector<double> run_at_once(programs const& all, pool& workers) {
  for (auto const& program : all) program->reset();
  std::vector<double> ms(all.size() + 1);
  ms.back() = 1e-6 * ns_of([&] {
                std::vector<std::jthread> threads;
                for (std::size_t i = 0; i < all.size(); ++i) {
                  threads.emplace_back([&, i] { ms[i] = 1e-6 * ns_of([&] { all[i]->run_skua(workers); }); });
                }
              });
  for (auto const& program : all) verify(program->wrong().empty(), program->wrong());
  return ms;
}

double run_alone(apps::app& program, pool& workers) {
  program.reset();
  double const ms = 1e-6 * ns_of([&] { program.run_skua(workers); });
  verify(program.wrong().empty(), program.wrong());
  return ms;
}

void measure(report& say, question const& q) {
  programs const all = apps::mix::parts_in(q.of);
  for (auto const& program : all) program->prepare();
  std::vector<std::string> const names = policies_in(q.policies);
  std::vector<std::unique_ptr<pool>> pools;
  for (std::string const& name : names)
    pools.push_back(std::make_unique<pool>(pool_options{.workers = q.workers, .policy = name}));

  std::vector<std::map<std::string, std::vector<double>>> seen(names.size());
  in_turn(q.rounds + 1, names.size(), [&](std::int64_t round, std::size_t p) {
    std::vector<double> const ms = run_at_once(all, *pools[p]);
    for (std::size_t i = 0; i <= all.size(); ++i) {
      std::string const what = i == all.size() ? "all at once" : std::string(all[i]->name()) + ", beside";
      if (round > 0) seen[p][what].push_back(ms[i]);  // the first round warms up
    }
    for (auto const& program : all) {
      double const alone = run_alone(*program, *pools[p]);
      if (round > 0) seen[p][std::string(program->name()) + ", alone"].push_back(alone);
    }
  });
  for (std::size_t p = 0; p < names.size(); ++p) {
    for (auto const& [what, ms] : seen[p]) say.row(names[p] + ": " + what, "ms", ms);
  }
  for (std::size_t p = 1; p < names.size(); ++p)
    say.row(names[0] + " / " + names[p] + ": all at once", "", ratios(seen[0]["all at once"], seen[p]["all at once"]));
}

}}  // namespace skua::bench::callers

int main(int argc, char** argv) {
  using namespace skua::bench;
  callers::question const q;
  return run("callers_bench", "Two apps at once in one pool, each from a thread of its own: milliseconds", q, argc,
             argv, [&](report& say) { callers::measure(say, q); });
}
