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

struct question {
  std::int64_t rounds = 9;
  std::int64_t nodes = 200'000;
  std::int64_t side = 1000;
  std::int64_t more = 5;
};

using column = std::vector<double>;

void measure(report& say, dag const& d, std::uint32_t workers, question const& q) {
  std::map<std::string, column> built;
  std::map<std::string, column> again;
  std::vector<entrant> const all = entrants();
  for (std::int64_t round = -1; round < q.rounds; ++round) {  // the first one warms up
    for (std::size_t i = 0; i < all.size(); ++i) {
      // Rotates the order, so that none always follows the same other.
      entrant const& e = all[(i + static_cast<std::size_t>(round + 1)) % all.size()];
      figures const seen = e.run(d, workers, static_cast<std::uint32_t>(q.more));
      if (round < 0) continue;
      built[e.name].push_back(seen.built);
      if (seen.again > 0) again[e.name].push_back(seen.again);
    }
  }
  std::string const where = d.name + ", " + std::to_string(workers) + (workers == 1 ? " worker, " : " workers, ");
  for (entrant const& e : all) {
    bool const is_ours = std::string_view(e.name) == "skua";
    std::string const what = where + e.name;
    if (is_ours) {
      say.row(what + ", built and run", "ns", spread_of(built[e.name]), at_most(300));
    } else {
      say.row(what + ", built and run", "ns", spread_of(built[e.name]));
    }
    if (!again[e.name].empty()) say.row(what + ", run again", "ns", spread_of(again[e.name]));
  }
  column ratio;
  for (std::size_t i = 0; i < built["skua"].size(); ++i)
    ratio.push_back(built["skua"][i] / std::min(built["openmp"][i], built["tbb"][i]));  // StarPU is far behind them
  say.row(where + "skua, x best peer", "", spread_of(std::move(ratio)));
}

}  // namespace
}  // namespace skua::bench::flows

int main(int argc, char** argv) {
  using namespace skua::bench;
  flows::question q;
  command asked("flow_bench", "nodes of task graphs that do next to nothing: ns per node");
  asked.number("--rounds", q.rounds, 1, 10'000, "measurements per row");
  asked.number("--nodes", q.nodes, 1, 10'000'000, "nodes of a graph");
  asked.number("--side", q.side, 1, 3000, "rows and columns of the wavefront");
  asked.number("--more", q.more, 0, 1000, "runs of a graph after the first");
  return asked.run(argc, argv, [&] {
    report say(asked);
    say.note(
        "openmp with 1 worker looks at no dependence: its team of one thread runs each task at once, and is left out "
        "of the ratio");
    auto const nodes = static_cast<std::uint32_t>(q.nodes);
    std::vector<flows::dag> const all{flows::chain(nodes), flows::independent(nodes), flows::random(nodes),
                                      flows::wavefront(static_cast<std::uint32_t>(q.side))};
    for (flows::dag const& d : all) {
      for (std::uint32_t const workers : {1U, 2U}) flows::measure(say, d, workers, q);
    }
    say.write();
  });
}
