// SPDX-License-Identifier: MIT
// What a short parallel region costs, beside serial, OpenMP, oneTBB and, where `make peers` has built it, rayon. First
// from inside: one task, or the main thread of a peer, starts loops of 12, 50 and 600 us of serial work, or fib, again and
// again. Then from outside: the main thread calls the conventional face, which must wake a pool and wait for it.
//
// Each runner has a process of its own (runners.hpp).
#include "bench/regions.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "apps/fib/problem.hpp"
#include "skua/program/serial.hpp"

namespace skua::bench::regions { namespace {

void serially(figures& all, setting const& s) {
  for (std::int64_t us : lengths_us) {
    loop l(s, us);
    all.emplace_back(key_of("loop", us), l.us_per_region([&] { l.piece(0, l.size()); }));
  }
  serial here;
  for (int n : fib_numbers) {
    bool right = true;
    auto const region = [&] { right = apps::fib::program(here, n) == apps::fib::answer(n) && right; };
    warm_up(region);
    all.emplace_back(key_of("fib", n), us_per_call(100, region));
    verify(right, "fib(" + std::to_string(n) + ")");
  }
}

std::vector<std::string> const policies = {"auto", "random", "hierarchical", "numa-ws", "adws"};

std::vector<runner> runners(setting const& s) {
  std::vector<runner> all = {{"serial", [s](figures& f) { serially(f, s); }}};
  for (auto const& policy : policies) {
    all.push_back({policy, [s, policy](figures& f) { on_skua(f, s, policy); }});
  }
  all.push_back({"openmp", [s](figures& f) { on_openmp(f, s); }});
  all.push_back({"tbb:auto", [s](figures& f) { on_tbb(f, s, partition::automatic); }});
  all.push_back({"tbb:static", [s](figures& f) { on_tbb(f, s, partition::fixed); }});
  all.push_back({"fib:1", [](figures& f) { fib_on_skua(f, 1); }});
  all.push_back({"fib:all", [s](figures& f) { fib_on_skua(f, s.workers); }});
  all.push_back({"main:skua", [s](figures& f) { from_main_on_skua(f, s); }});
  all.push_back({"main:openmp", [s](figures& f) { from_main_on_openmp(f, s); }});
  all.push_back({"main:tbb", [s](figures& f) { from_main_on_tbb(f, s); }});
  return all;
}

/// `rayon`: the program built from bench/peers; empty: rayon is left out.
std::vector<process> processes(setting const& s, std::string const& rayon) {
  std::vector<std::string> const options = {"--workers", std::to_string(s.workers), "--index-ps",
                                            std::to_string(s.index_ps)};
  std::vector<process> all;
  for (auto const& r : runners(s)) all.push_back({"/proc/self/exe", r.name, options});
  if (!rayon.empty()) {
    all.push_back({rayon, "rayon", options});
    all.push_back({rayon, "main:rayon", options});
  }
  return all;
}

// ---- the report ----------------------------------------------------------------------------------------------------

void interruptions(report& say, results const& seen, std::string const& what, std::string const& name,
                   std::string const& key) {
  say.row(what + ": revocations", "1/s", seen.of(name, key + "_revocations"));
  say.row(what + ": heavy fences", "1/s", seen.of(name, key + "_heavy_fences"));
}

void report_loops(report& say, results const& seen) {
  std::vector<std::string> peers = {"openmp", "tbb:auto", "tbb:static"};
  if (seen.has("rayon")) peers.emplace_back("rayon");
  for (std::int64_t us : lengths_us) {
    std::string const what = std::to_string(us) + " us, ";
    std::string const key = key_of("loop", us);
    say.row(what + "serial", "us", seen.of("serial", key));
    for (auto const& peer : peers) say.row(what + peer, "us", seen.of(peer, key));
    if (seen.has("rayon")) say.row(what + "join, rayon", "us", seen.of("rayon", key_of("join", us)));
    column const best = seen.best_of(peers, key);
    for (std::string const shape : {"loop", "join"}) {
      for (auto const& policy : policies) {
        std::string const runs = what + (shape == "loop" ? "for_each, " : "join, ") + policy;
        column const own = seen.of(policy, key_of(shape, us));
        say.row(runs, "us", own);
        say.row(runs + ", x best peer", "", ratios(own, best));
      }
      interruptions(say, seen, what + (shape == "loop" ? "for_each" : "join") + ", random", "random",
                    key_of(shape, us));
    }
  }
}

void report_fib(report& say, results const& seen, setting const& s) {
  for (int n : fib_numbers) {
    std::string const what = "fib(" + std::to_string(n) + "), ";
    std::string const on_all = what + workers_in_words(s.workers);
    std::string const key = key_of("fib", n);
    column const one = seen.of("fib:1", key);
    column const all = seen.of("fib:all", key);
    say.row(what + "serial", "us", seen.of("serial", key));
    say.row(what + "1 worker", "us", one);
    say.row(on_all, "us", all);
    say.row(on_all + ", x 1 worker", "", ratios(all, one));
    interruptions(say, seen, on_all, "fib:all", key);
  }
}

struct call {
  char const* key;
  char const* what;
  char const* unit;
  double calls;  ///< unit's microseconds or nanoseconds are those of one of these
  bool on_openmp, on_tbb, on_rayon;
};
constexpr call calls[] = {
    {"for_1", "parallel_for of 1, empty", "us", 1, true, true, true},
    {"for_64", "parallel_for of 64, empty", "us", 1, true, true, true},
    {"floats", "parallel_for of 1000 floats", "us", 1, true, true, true},
    {"group", "task_group run_and_wait, empty", "us", 1, true, true, true},
    {"invoke", "parallel_invoke of 2, empty", "us", 1, true, true, true},
    {"run_1000", "1000 x run, then wait", "us", 1, true, true, true},
    {"run", "pool.run, empty", "us", 1, false, false, false},
    {"threads", "3 threads x 20,000 tasks", "ns/task", application_threads* thread_tasks / 1e3, false, true, true},
    {"outside", "100,000 tasks of one group", "ns/task", outside_tasks / 1e3, true, true, true},
};

void report_calls(report& say, results const& seen) {
  for (auto const& c : calls) {
    auto const row = [&](std::string const& name) {
      column all = seen.of("main:" + name, c.key);
      for (double& x : all) x /= c.calls;
      say.row(std::string(c.what) + ": " + name, c.unit, std::move(all));
    };
    std::vector<std::string> peers;
    if (c.on_openmp) peers.emplace_back("openmp");
    if (c.on_tbb) peers.emplace_back("tbb");
    if (c.on_rayon && seen.has("main:rayon")) peers.emplace_back("rayon");
    for (auto const& peer : peers) row(peer);
    row("skua");
    if (peers.empty()) continue;
    for (auto& peer : peers) peer = "main:" + peer;
    say.row(std::string(c.what) + ": skua, x best peer", "",
            ratios(seen.of("main:skua", c.key), seen.best_of(peers, c.key)));
  }
}

struct options : runner_options {
  number_option<std::int64_t> workers{*this, "--workers", 2, between(1, 1024), "workers of each runner"};
  number_option<std::int64_t> index_ps{*this, "--index-ps", 0, between(0, 1'000'000),
                                       "picoseconds of one index of the loops; 0: measured"};
  text_option rayon{*this, "--rayon", SKUA_BENCH_RAYON_REGIONS, "the program built from bench/peers"};
};

void compare(setting const& s, options const& o, report& say) {
  std::vector<process> const all = processes(s, where_built(say, o.rayon));
  say.note("an index takes " + std::to_string(s.index_ps) + " ps; workers: " + std::to_string(s.workers));
  results const seen(all, o.rounds);
  say.note("called from a task of the pool, or from the peer's main thread:");
  report_loops(say, seen);
  report_fib(say, seen, s);
  say.note("called from the main thread, which is no worker of Skua's pool:");
  report_calls(say, seen);
}

}}  // namespace skua::bench::regions

int main(int argc, char** argv) {
  using namespace skua::bench;
  regions::options const o;
  return run("regions_bench", "short parallel regions beside their peers; each sample is the median of one process", o,
             argc, argv, [&](report& say) {
               regions::setting const s{o.workers, o.index_ps > 0 ? o.index_ps : regions::measured_index_ps()};
               if (!o.only.empty()) return print_figures(regions::runners(s), o.only);
               regions::compare(s, o, say);
             });
}
