// SPDX-License-Identifier: MIT
// The app bipartition.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/bipartition/problem.hpp"
#include "apps/checks.hpp"
#include "apps/finish_app.hpp"

namespace skua::apps {
namespace {

constexpr std::array<std::string_view, 2> bipartition_strategies{"by-bound", "none"};

class bipartition_app final : public finish_app<bipartition_app> {
 public:
  [[nodiscard]] std::string_view name() const override { return "bipartition"; }
  [[nodiscard]] std::string_view about() const override {
    return "random graphs cut in two halves by branch and bound; tasks are ordered by their bounds (strategies, 2013)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--n", &n_, between(2, 64), "vertices of each graph, 2 to 64"},
        {"--density", &density_, between(0, 1), "probability of each edge"},
        {"--weights", &weights_, between(1, 1'000'000), "edges weigh 1 to this"},
        {"--instances", &instances_, between(1, 1000), "graphs, with seeds from --seed on"},
        {"--seed", &seed_, between(0, most_seed), "of the first graph"},
        {"--strategy", &strategy_, one_of(bipartition_strategies), "by-bound or none: the strategy of each task"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    how_ = meaning_of<bipartition::choice>(strategy_, bipartition_strategies);
    graphs_.clear();
    for (std::int64_t i = 0; i < instances_; ++i) {
      graphs_.push_back(bipartition::random_graph(static_cast<std::uint32_t>(n_), density_,
                                                  static_cast<bipartition::cost>(weights_),
                                                  static_cast<std::uint64_t>(seed_ + i)));
    }
    known_.assign(graphs_.size(), std::nullopt);
    if (n_ <= largest_exhaustive) std::ranges::transform(graphs_, known_.begin(), bipartition::least_cut);
  }
  void reset() override { results_.clear(); }

  [[nodiscard]] std::string wrong() override {
    if (results_.empty()) return "bipartition: no run yet";
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
  [[nodiscard]] json_value facts() const override {
    json_value all = {{"n", n_}, {"density", density_}, {"weights", weights_}, {"seed", seed_}};
    std::uint64_t expanded = 0;
    double improved_s = 0;
    all["instances"] = json_value::array();
    for (auto const& r : results_) {
      expanded += r.expanded;
      improved_s += static_cast<double>(r.found_after_ns) * 1e-9;
      all["instances"].push_back({{"cut", r.cut},
                                  {"expanded", r.expanded},
                                  {"expanded_until", r.expanded_until},
                                  {"last_improvement_s", static_cast<double>(r.found_after_ns) * 1e-9}});
    }
    all["expanded"] = expanded;
    all["last_improvement_s"] = improved_s;
    return all;
  }

  template <has_finish Here>
  void program(Here& here) {
    for (bipartition::graph const& g : graphs_) results_.push_back(bipartition::program(here, g, how_));
  }

 private:
  static constexpr std::int64_t most_seed = 1'000'000'000'000;
  static constexpr std::int64_t largest_exhaustive = 16;  // 13,000 partitions

  std::int64_t n_ = 30;
  double density_ = 0.5;
  std::int64_t weights_ = 1;
  std::int64_t instances_ = 1;
  std::int64_t seed_ = 1;
  std::string strategy_ = "by-bound";
  bipartition::choice how_ = bipartition::choice::by_bound;
  std::vector<bipartition::graph> graphs_;
  std::vector<std::optional<bipartition::cost>> known_;  ///< least cuts
  std::vector<bipartition::result> results_;
};

}  // namespace

std::unique_ptr<app> make_bipartition() { return std::make_unique<bipartition_app>(); }

}  // namespace skua::apps
