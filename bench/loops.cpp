// SPDX-License-Identifier: MIT
// What loops cost whose bodies take next to nothing, beside a serial loop, OpenMP, oneTBB and, where `make peers` has built
// it, rayon: 1000 floats, which are hardly worth a second worker, and 10^7 elements, which wait for memory. One task, or
// the main thread of a peer, starts the loop again and again. Each runner has a process of its own (runners.hpp).
#include "bench/loops.hpp"

#include <numeric>
#include <string>
#include <vector>

namespace skua::bench::loops { namespace {

void serially(figures& all) {
  auto const add = [](auto& floats) {
    for (float& x : floats) x += 1;
  };
  all.emplace_back("few", us_of_adding(few, add));
  all.emplace_back("many", us_of_adding(many, add));
  all.emplace_back("sum", us_of_summing([](auto const& integers) {
                     return std::accumulate(integers.begin(), integers.end(), std::uint32_t{0});
                   }));
}

std::vector<std::string> const policies = {"auto", "random", "adws"};

std::vector<runner> runners(std::int64_t workers) {
  std::vector<runner> all = {{"serial", serially}};
  for (auto const& policy : policies) {
    all.push_back({policy, [workers, policy](figures& f) { on_skua(f, workers, policy); }});
  }
  all.push_back({"openmp", [workers](figures& f) { on_openmp(f, workers); }});
  all.push_back({"tbb:auto", [workers](figures& f) { on_tbb(f, workers, partition::automatic); }});
  all.push_back({"tbb:static", [workers](figures& f) { on_tbb(f, workers, partition::fixed); }});
  return all;
}

struct figure {
  std::string key;
  std::string what;
  std::vector<std::string> own;  ///< Skua's functions: the conventional one, and the one that takes `here`
};
std::vector<figure> const figures_of_a_run = {
    {"few", "1000 floats", {"parallel_for", "for_each"}},
    {"many", "10^7 floats", {"parallel_for", "for_each"}},
    {"sum", "sum of 10^7", {"parallel_reduce", "reduce"}},
};

void report_run(report& say, results const& seen, std::string const& workers) {
  std::vector<std::string> peers = {"openmp", "tbb:auto", "tbb:static"};
  if (seen.has("rayon")) peers.emplace_back("rayon");
  for (auto const& [key, kind, own] : figures_of_a_run) {
    std::string const what = kind + ", " + workers + ", ";
    say.row(what + "serial", "us", seen.of("serial", key));
    for (auto const& peer : peers) say.row(what + peer, "us", seen.of(peer, key));
    column const best = seen.best_of(peers, key);
    for (auto const& policy : policies) {
      for (auto const& name : own) {
        column const ours = seen.of(policy, name == own.front() ? key : key + "_each");
        say.row(what + name + ", " + policy, "us", ours);
        say.row(what + name + ", " + policy + ", x best", "", ratios(ours, best));
      }
    }
  }
}

/// All runners with so many workers.
results measured(std::int64_t workers, std::int64_t rounds, std::string const& rayon) {
  std::vector<std::string> const options = {"--workers", std::to_string(workers)};
  std::vector<process> all;
  for (auto const& r : runners(workers)) all.push_back({"/proc/self/exe", r.name, options});
  if (!rayon.empty()) all.push_back({rayon, "rayon", options});
  return {all, rounds};
}

struct options : runner_options {
  number_option<std::int64_t> workers{*this, "--workers", 2, between(1, 1024),
                                      "workers of each runner; the report also has one worker"};
  text_option rayon{*this, "--rayon", SKUA_BENCH_RAYON_LOOPS, "the program built from bench/peers"};
};

void compare(options const& o, report& say) {
  std::string const peer = where_built(say, o.rayon);
  report_run(say, measured(1, o.rounds, peer), "1 worker");
  if (o.workers > 1) report_run(say, measured(o.workers, o.rounds, peer), workers_in_words(o.workers));
}

}}  // namespace skua::bench::loops

int main(int argc, char** argv) {
  using namespace skua::bench;
  loops::options const o;
  return run("loops_bench", "loops of light bodies beside their peers; each sample is the median of one process", o,
             argc, argv, [&](report& say) {
               if (!o.only.empty()) return print_figures(loops::runners(o.workers), o.only);
               loops::compare(o, say);
             });
}
