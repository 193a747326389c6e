// SPDX-License-Identifier: MIT
// What a node of a task graph costs that does next to nothing: built and run once, and run again; beside OpenMP's tasks
// with `depend` and oneTBB's continue_node. Every run is verified: each node ran once, after its predecessors.
#include "bench/flow.hpp"

#include <algorithm>
#include <map>

#include "skua/parts/base/dice.hpp"

namespace skua::bench::flows {

void tally::verify_run() const {
  verify(!early_.load(std::memory_order_relaxed), of_.name + ": a node ran before one that it waits for");
  verify(std::ranges::all_of(ran_, [this](std::uint32_t n) { return n == run_; }), of_.name + ": each node runs once");
}

namespace {

dag chain(std::uint32_t nodes) {
  dag made{"chain", {}};
  for (std::uint32_t i = 0; i < nodes; ++i) made.before.push_back({i == 0 ? nobody : i - 1, nobody});
  return made;
}

dag independent(std::uint32_t nodes) {
  return {"independent", std::vector<std::array<std::uint32_t, 2>>(nodes, {nobody, nobody})};
}

/// Each node waits for two of the thousand before it.
dag random(std::uint32_t nodes) {
  dag made{"random, 2 edges", {}};
  runtime::dice roll{1};
  for (std::uint32_t i = 0; i < nodes; ++i) {
    std::uint32_t const among = std::min(i, 1000U);
    if (among < 2) {
      made.before.push_back({nobody, nobody});
      continue;
    }
    std::uint32_t const a = roll.below(among);
    std::uint32_t const b = roll.below(among - 1);
    made.before.push_back({i - 1 - a, i - 1 - (b < a ? b : b + 1)});
  }
  return made;
}

dag wavefront(std::uint32_t side) {
  dag made{"wavefront", {}};
  for (std::uint32_t i = 0; i < side * side; ++i) {
    std::uint32_t const up = i < side ? nobody : i - side;
    std::uint32_t const left = i % side == 0 ? nobody : i - 1;
    made.before.push_back(up == nobody ? std::array{left, nobody} : std::array{up, left});
  }
  return made;
}

struct entrant {
  char const* name;
  runner run;
};

std::vector<entrant> entrants() {
  std::vector<entrant> all{
      {"skua", run_skua}, {"skua by blocks", run_skua_blocks}, {"openmp", run_openmp}, {"tbb", run_tbb}};
  if (starpu() != nullptr) all.push_back({"starpu", starpu()});
  return all;
}

struct question : option_table {
  number_option<std::int64_t> rounds{*this, "--rounds", 9, between(1, 10'000), "measurements per row"};
  number_option<std::uint32_t> nodes{*this, "--nodes", 200'000, between(1, 10'000'000), "nodes of a graph"};
  number_option<std::uint32_t> side{*this, "--side", 1000, between(1, 3000), "rows and columns of the wavefront"};
  number_option<std::uint32_t> more{*this, "--more", 5, between(0, 1000), "runs of a graph after the first"};
};

using column = std::vector<double>;

void measure(report& say, dag const& d, std::uint32_t workers, question const& q) {
  std::map<std::string, column> built;
  std::map<std::string, column> again;
  std::vector<entrant> const all = entrants();
  in_turn(q.rounds + 1, all.size(), [&](std::int64_t round, std::size_t i) {
    figures const seen = all[i].run(d, workers, q.more);
    if (round == 0) return;  // it warms up
    built[all[i].name].push_back(seen.built);
    if (seen.again > 0) again[all[i].name].push_back(seen.again);
  });
  std::string const where = d.name + ", " + workers_in_words(workers) + ", ";
  for (entrant const& e : all) {
    std::string const what = where + e.name;
    bool const is_ours = std::string_view(e.name) == "skua";
    say.row(what + ", built and run", "ns", built[e.name], is_ours ? std::optional(at_most(300)) : std::nullopt);
    if (!again[e.name].empty()) say.row(what + ", run again", "ns", again[e.name]);
  }
  column best = built["openmp"];  // StarPU is far behind
  std::ranges::transform(best, built["tbb"], best.begin(), [](double a, double b) { return std::min(a, b); });
  say.row(where + "skua, x best peer", "", ratios(built["skua"], best));
}

}  // namespace
}  // namespace skua::bench::flows

int main(int argc, char** argv) {
  using namespace skua::bench;
  flows::question const q;
  return run(
      "flow_bench", "nodes of task graphs that do next to nothing: ns per node", q, argc, argv, [&](report& say) {
        say.note(
            "openmp with 1 worker looks at no dependence: its team of one thread runs each task at once, and is left "
            "out "
            "of the ratio");
        for (flows::dag const& d :
             {flows::chain(q.nodes), flows::independent(q.nodes), flows::random(q.nodes), flows::wavefront(q.side)}) {
          for (std::uint32_t const workers : {1U, 2U}) flows::measure(say, d, workers, q);
        }
      });
}
