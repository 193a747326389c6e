// SPDX-License-Identifier: MIT
// The app bipartition.
#include <algorithm>
#include <optional>
#include <vector>

#include "apps/bipartition/problem.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

class bipartition_app final : public finish_app<bipartition_app> {
 public:
  bipartition_app()
      : finish_app("bipartition",
                   "random graphs cut in two halves by branch and bound; tasks are ordered by their bounds "
                   "(strategies, 2013)") {}

  template <has_finish Here>
  void program(Here& here) {
    for (bipartition::graph const& g : graphs_) results_.push_back(bipartition::program(here, g, how_));
  }

 private:
  static constexpr std::uint32_t largest_exhaustive = 16;  // 13,000 partitions

  void build() override {
    graphs_.clear();
    for (std::uint64_t i = 0; i < instances_; ++i) {
      graphs_.push_back(bipartition::random_graph(n_, density_, weights_, seed_ + i));
    }
    known_.assign(graphs_.size(), std::nullopt);
    if (n_ <= largest_exhaustive) std::ranges::transform(graphs_, known_.begin(), bipartition::least_cut);
  }
  void restore() override { results_.clear(); }
  [[nodiscard]] std::string check() override {
    for (std::size_t i = 0; i < graphs_.size(); ++i) {
      if (std::string const why = bipartition::wrong(graphs_[i], results_[i]); !why.empty()) return why;
      if (!known_[i]) known_[i] = results_[i].cut;  // each run of this process must find the same
      if (results_[i].cut != *known_[i]) {
        return "bipartition: graph " + std::to_string(i) + ": cut " + std::to_string(results_[i].cut) + ", right is " +
               std::to_string(*known_[i]);
      }
    }
    return {};
  }
  void add_facts(json_value& all) const override {
    bipartition::result sum;
    all["instances"] = json_value::array();
    for (auto const& r : results_) {
      sum.expanded += r.expanded;
      sum.optimum_expanded += r.optimum_expanded;
      sum.optimum_ns += r.optimum_ns;
      all["instances"].push_back({{"cut", r.cut},
                                  {"expanded", r.expanded},
                                  {"optimum_expanded", r.optimum_expanded},
                                  {"optimum_ns", r.optimum_ns}});
    }
    all["expanded"] = sum.expanded;
    all["optimum_expanded"] = sum.optimum_expanded;
    all["optimum_ns"] = sum.optimum_ns;
  }

  number_option<std::uint32_t> n_{*this, "--n", 30, between(2, 64), "vertices of each graph, 2 to 64"};
  number_option<double> density_{*this, "--density", 0.5, between(0, 1), "probability of each edge"};
  number_option<bipartition::cost> weights_{*this, "--weights", 1, between(1, 1'000'000), "edges weigh 1 to this"};
  number_option<std::uint64_t> instances_{*this, "--instances", 1, between(1, 1000),
                                          "graphs, with seeds from --seed on"};
  seed_option seed_{*this, "of the first graph"};
  choice_option<bipartition::choice> how_{
      *this, "--strategy", "by-bound", {"by-bound", "none"}, "by-bound or none: what is given with each task"};
  std::vector<bipartition::graph> graphs_;
  std::vector<std::optional<bipartition::cost>> known_;  ///< least cuts
  std::vector<bipartition::result> results_;
};

}  // namespace

std::unique_ptr<app> make_bipartition() { return std::make_unique<bipartition_app>(); }

}  // namespace skua::apps
