// SPDX-License-Identifier: MIT
// The app sssp.
#include <optional>
#include <variant>
#include <vector>

#include "apps/program_app.hpp"
#include "apps/sssp/gr_file.hpp"
#include "apps/sssp/problem.hpp"

namespace skua::apps {
namespace {

class sssp_app final : public finish_app<sssp_app> {
 public:
  sssp_app()
      : finish_app("sssp",
                   "shortest paths from one node; the order of tasks takes the role of the priority queue (strategies, "
                   "2013)") {
    has_no_effect({"--strategy"}, ways::serial, "the serial program is Dijkstra's algorithm");
    has_no_effect({"--n", "--density", "--longest", "--dense"}, "--graph", "only the random graph has it");
  }

  template <has_finish Here>
  void program(Here& here) {
    std::visit([&](auto const& g) { result_ = sssp::program(here, g, source(), how_); }, *graph_);
  }
  /// Dijkstra's algorithm with a binary heap.
  void run_alone() {
    std::visit([&](auto const& g) { result_ = sssp::dijkstra(g, source()); }, *graph_);
  }

 private:
  void build() override {
    make_graph();
    require_between("sssp: --source", std::int64_t{source_}, 1,
                    std::visit([](auto const& g) { return g.nodes(); }, *graph_));
    right_ = std::visit([this](auto const& g) { return sssp::dijkstra(g, source()).distances; }, *graph_);
  }
  void make_graph() {
    if (!file_.empty()) {
      read_for("--graph", [&] { graph_.emplace(sssp::read_gr_file(file_.text())); });
      return;
    }
    sssp::random_shape const shape{.nodes = n_, .density = density_, .longest = longest_, .seed = seed_};
    if (is_dense_) {
      graph_.emplace(sssp::dense_graph(shape));
    } else {
      graph_.emplace(sssp::random_sparse(shape));
    }
  }
  void restore() override { result_ = {}; }
  [[nodiscard]] std::string check() override { return sssp::wrong(result_.distances, right_); }
  void add_facts(json_value& all) const override {
    all["nodes"] = right_.size();
    if (!ran()) return;
    all["spawned"] = result_.counts.spawned;
    all["run"] = result_.counts.run;
    all["stale"] = result_.counts.stale;
    all["relaxed"] = result_.counts.relaxed;
  }
  [[nodiscard]] sssp::node source() const noexcept { return static_cast<sssp::node>(source_ - 1); }

  text_option file_{*this, "--graph", "", "a DIMACS .gr file; without it, a random graph"};
  number_option<std::int64_t> source_{*this, "--source", 1, no_limits{}, "node to start from; the first is 1"};
  number_option<sssp::node> n_{*this, "--n", 2000, between(1, 10'000'000), "nodes of the random graph"};
  number_option<double> density_{*this, "--density", 0.5, between(0, 1), "share of the possible edges that exist"};
  number_option<sssp::length> longest_{*this, "--longest", 1000, between(1, 1'000'000),
                                       "edges have lengths from 1 to this"};
  seed_option seed_{*this, "of the random graph"};
  flag_option is_dense_{*this, "--dense", "compute each edge when it is needed instead of keeping it"};
  choice_option<sssp::choice> how_{
      *this, "--strategy", "by-distance", {"by-distance", "none"}, "by-distance or none: what is given with each task"};
  std::optional<std::variant<sssp::sparse_graph, sssp::dense_graph>> graph_;
  std::vector<sssp::distance> right_;
  sssp::result result_;
};

}  // namespace

std::unique_ptr<app> make_sssp() { return std::make_unique<sssp_app>(); }

}  // namespace skua::apps
