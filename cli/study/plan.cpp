// SPDX-License-Identifier: MIT
#include "cli/study/plan.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace skua::cli {
namespace {

std::string list_of(std::vector<unsigned> const& counts) { return fmt::format("{}", fmt::join(counts, ",")); }

void append(std::vector<std::string>& words, std::string_view more) {
  std::istringstream in{std::string{more}};
  for (std::string word; in >> word;) words.push_back(word);
}

study_part machine_part(study_wish const& wish) {
  return {.key = "machine",
          .kind = part_kind::machine,
          .title = "what Skua finds on this machine",
          .words = {wish.skua, "doctor", "--json", "{json}"},
          .seconds = 1};
}

study_part calibration_part(study_wish const& wish) {
  return {
      .key = "calibration",
      .kind = part_kind::calibration,
      .title = "the machine as a model for the simulator",
      .words = {wish.skua, "calibrate", "--rounds", wish.quick ? "3" : "7", "--output", wish.folder + "/model.toml"},
      .seconds = wish.quick ? 8.0 : 20.0};
}

std::string policies_for(study_app const& app, study_wish const& wish) {
  bool const is_there = ("," + wish.policies + ",").find(fmt::format(",{},", app.also)) != std::string::npos;
  return app.also.empty() || is_there ? wish.policies : fmt::format("{},{}", wish.policies, app.also);
}

study_part prediction_of(study_app const& app, study_wish const& wish, std::string const& counts) {
  std::string_view const simulated = app.simulated.empty() ? app.words : app.simulated;
  study_part part{.key = fmt::format("prediction/{}", app.key),
                  .kind = part_kind::prediction,
                  .title = std::string{simulated},
                  .words = {wish.skua, "sim"},
                  .seconds = 3};
  append(part.words, simulated);
  append(part.words, fmt::format("--machine {}/model.toml --policies {} --workers {}", wish.folder,
                                 policies_for(app, wish), counts));
  if (app.leaves_are_measured) part.words.emplace_back("--measured-leaves");
  append(part.words, "--json {json}");
  return part;
}

study_part scaling_of(study_app const& app, study_wish const& wish, std::string const& counts, unsigned rounds,
                      bool is_repeated) {
  study_part part{.key = fmt::format("scaling/{}", app.key),
                  .kind = part_kind::scaling,
                  .title = std::string{app.words},
                  .words = {wish.skua, "compare"},
                  .seconds = rounds * (wish.quick ? 1.0 : 2.0),
                  .is_repeated = is_repeated};
  append(part.words, app.words);
  append(part.words, fmt::format("--policies auto,{} --workers {} --repeat {} --breakdown --json {{json}}",
                                 policies_for(app, wish), counts, rounds));
  if (!app.peers.empty()) append(part.words, fmt::format("--peers {}", app.peers));
  return part;
}

study_part bench_part(study_bench const& bench, study_wish const& wish) {
  study_part part{.key = fmt::format("bench/{}", bench.key),
                  .kind = part_kind::bench,
                  .title = std::string{bench.title},
                  .words = {fmt::format("{}/{}", wish.programs, bench.program)},
                  .seconds = wish.quick ? bench.seconds / 4 : bench.seconds};
  std::string options{wish.quick ? bench.quick_options : bench.options};
  if (std::size_t const at = options.find("{workers}"); at != std::string::npos)
    options.replace(at, std::string_view{"{workers}"}.size(), std::to_string(std::max(wish.workers, 2U)));
  append(part.words, options);
  append(part.words, "--json {json}");
  return part;
}

/// More workers than processors.
study_part crowded_part(study_app const& app, study_wish const& wish) {
  study_part part{.key = fmt::format("crowded/{}", app.key),
                  .kind = part_kind::crowded,
                  .title = fmt::format("{}, two workers on each processor", app.words),
                  .words = {wish.skua, "compare"},
                  .seconds = 6};
  append(part.words, app.words);
  append(part.words,
         fmt::format("--policies auto,{} --workers {} --repeat 3 --json {{json}}", wish.policies, 2 * wish.workers));
  return part;
}

/// Two processes, each with all workers.
study_part together_part(study_app const& app, study_wish const& wish) {
  study_part part{.key = fmt::format("together/{}", app.key),
                  .kind = part_kind::crowded,
                  .title = fmt::format("{}, two processes at once", app.words),
                  .words = {wish.skua, "compare"},
                  .seconds = 6,
                  .copies = 2};
  append(part.words, app.words);
  append(part.words,
         fmt::format("--policies auto,{} --workers {} --repeat 3 --json {{json}}", wish.policies, wish.workers));
  return part;
}

/// A rank on each processor, over the MPI that is there.
study_part ranks_part(study_wish const& wish) {
  study_part part{.key = "ranks/uts",
                  .kind = part_kind::crowded,
                  .title = fmt::format("uts --tree T3 on {} ranks of this machine", wish.workers),
                  .words = {wish.launcher, "-n", std::to_string(wish.workers), wish.skua},
                  .seconds = 8};
  append(part.words, "run uts --tree T3 --ranks --repeat 3 --json {json}");
  return part;
}

bool is_wanted(study_part const& part, std::vector<std::string> const& only) {
  std::size_t const at = part.key.find('/');
  return only.empty() || at == std::string::npos || std::ranges::find(only, part.key.substr(at + 1)) != only.end();
}

}  // namespace

std::string launcher_in(std::string const& folders) {
  std::istringstream in(folders);
  for (std::string folder; std::getline(in, folder, ':');) {
    std::string path = folder + "/mpirun";
    if (!folder.empty() && ::access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

std::string_view name_of(part_kind kind) noexcept {
  constexpr std::array<std::string_view, 6> names{"machine", "calibration", "prediction",
                                                  "scaling", "bench",       "crowded"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<unsigned> study_worker_counts(unsigned all, bool quick) {
  std::vector<unsigned> counts{1};
  for (unsigned n = 2; !quick && n < all; n *= 2) counts.push_back(n);
  if (all > 1) counts.push_back(all);
  return counts;
}

std::vector<study_app> study_apps(bool quick) {
  if (quick) {
    return {{.key = "heat-640", .words = "heat --n 640 --iterations 100", .leaves_are_measured = false},
            {.key = "nqueens-10", .words = "nqueens --n 10"},
            {.key = "cilksort", .words = "cilksort --n 1000000"},
            {.key = "fib-32", .words = "fib --n 32", .simulated = "fib --n 24", .peers = "serial"}};
  }
  return {
      {.key = "heat-640", .words = "heat --n 640 --iterations 300", .leaves_are_measured = false},
      {.key = "uts", .words = "uts --tree T3"},
      {.key = "matmul", .words = "matmul --n 1024"},
      {.key = "cilksort", .words = "cilksort --n 2000000"},
      {.key = "fib-36", .words = "fib --n 36", .simulated = "fib --n 27", .peers = "serial"},
      {.key = "nqueens-12", .words = "nqueens --n 12", .simulated = "nqueens --n 10"},
      {.key = "strassen", .words = "strassen --n 1024"},
      {.key = "heat-2048", .words = "heat --n 2048 --iterations 30", .leaves_are_measured = false},
      {.key = "cg", .words = "cg --class W"},
      {.key = "quicksort", .words = "quicksort --n 4000000"},
      {.key = "hull", .words = "hull --n 4000000"},
      {.key = "sparselu", .words = "sparselu --blocks 32"},
      {.key = "chains", .words = "chains --parallelism 2", .also = "arms"},
  };
}

std::vector<study_bench> study_benches() {
  return {
      {"regions", "regions_bench", "--rounds 5", "--rounds 1", "loops and calls from the main thread, beside peers",
       60},
      {"herd", "herd_bench", "--workers {workers}", "--workers {workers} --rounds 50",
       "wake-ups of all workers, calls of many threads at once, and fences", 8},
      {"near_far", "near_far_bench", "", "--rounds 50",
       "a cache line, a steal and a wake-up between near and far processors", 6},
      {"loops", "loops_bench", "--rounds 3", "--rounds 1", "loops of light bodies, beside peers", 30},
      {"steal", "steal_bench", "", "", "what a steal costs", 20},
      {"wake", "wake_bench", "--workers {workers}", "--workers {workers} --rounds 100 --idle-ms 400",
       "how long a sleeping pool takes to come", 8},
      {"fork", "fork_bench", "", "", "what a fork and its join cost", 30},
      {"callers", "callers_bench", "--workers {workers} --rounds 5", "--workers {workers} --rounds 1",
       "two programs at once in one pool", 10},
  };
}

std::vector<std::string_view> study_keys(bool quick) {
  std::vector<std::string_view> all;
  for (study_app const& app : study_apps(quick)) all.push_back(app.key);
  for (study_bench const& bench : study_benches()) all.push_back(bench.key);
  return all;
}

std::vector<study_part> plan_of(study_wish const& wish) {
  std::string const counts = list_of(study_worker_counts(wish.workers, wish.quick));
  std::vector<study_app> const apps = study_apps(wish.quick);
  std::vector<study_part> all{machine_part(wish), calibration_part(wish)};
  for (study_app const& app : apps) all.push_back(prediction_of(app, wish, counts));
  for (study_app const& app : apps) all.push_back(scaling_of(app, wish, counts, 3, false));
  for (study_bench const& bench : study_benches()) {
    bool const is_short = bench.key == "regions" || bench.key == "herd" || bench.key == "near_far";
    if (!wish.quick || is_short) all.push_back(bench_part(bench, wish));
  }
  all.push_back(crowded_part(apps.front(), wish));
  all.push_back(together_part(apps.front(), wish));
  if (!wish.quick) {
    all.push_back(crowded_part(apps[1], wish));
    all.push_back(ranks_part(wish));
    for (study_app const& app : apps) all.push_back(scaling_of(app, wish, counts, 9, true));
  }
  std::erase_if(all, [&](study_part const& part) { return !is_wanted(part, wish.only); });
  return all;
}

}  // namespace skua::cli
