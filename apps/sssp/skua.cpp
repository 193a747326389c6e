// SPDX-License-Identifier: MIT
// The app sssp.
#include <array>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "apps/checks.hpp"
#include "apps/finish_app.hpp"
#include "apps/sssp/gr_file.hpp"
#include "apps/sssp/problem.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/skua.hpp"

namespace skua::apps {
namespace {

constexpr std::array<std::string_view, 2> sssp_strategies{"by-distance", "none"};

/// Its serial elision is Dijkstra's algorithm with a binary heap: the program that one would write without tasks.
class sssp_app final : public finish_app<sssp_app> {
 public:
  [[nodiscard]] std::string_view name() const override { return "sssp"; }
  [[nodiscard]] std::string_view about() const override {
    return "shortest paths from one node; the order of tasks takes the role of the priority queue (strategies, 2013)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--graph", &file_, "a DIMACS .gr file; without it, a random graph"},
        {"--source", &source_, "node to start from; the first is 1"},
        {"--n", &n_, between(1, 10'000'000), "nodes of the random graph"},
        {"--density", &density_, between(0, 1), "share of the possible edges that exist"},
        {"--longest", &longest_, between(1, 1'000'000), "edges have lengths from 1 to this"},
        {"--seed", &seed_, between(0, 1'000'000'000'000), "of the random graph"},
        {"--dense", &dense_, "compute each edge when it is needed instead of keeping it"},
        {"--strategy", &strategy_, one_of(sssp_strategies), "by-distance or none: the strategy of each task"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    how_ = meaning_of<sssp::choice>(strategy_, sssp_strategies);
    make_graph();
    std::int64_t const nodes = std::visit([](auto const& g) { return std::int64_t{g.nodes()}; }, *graph_);
    require_between("sssp: --source", source_, 1, nodes);
    right_ = std::visit([this](auto const& g) { return sssp::dijkstra(g, source()).distances; }, *graph_);
  }
  void reset() override { result_.reset(); }

  template <has_finish Here>
  void program(Here& here) {
    std::visit(
        [&](auto const& g) {
          if constexpr (std::same_as<Here, serial>) {
            result_ = sssp::dijkstra(g, source());
          } else {
            result_ = sssp::program(here, g, source(), how_);
          }
        },
        *graph_);
  }

  [[nodiscard]] std::string wrong() override {
    return result_ ? sssp::wrong(result_->distances, right_) : "sssp: no run yet";
  }
  [[nodiscard]] json_value facts() const override {
    json_value all = {{"nodes", right_.size()}, {"source", source_}};
    if (!result_) return all;
    all["spawned"] = result_->counts.spawned;
    all["run"] = result_->counts.run;
    all["stale"] = result_->counts.stale;
    all["relaxed"] = result_->counts.relaxed;
    return all;
  }

 private:
  using any_graph = std::variant<sssp::sparse_graph, sssp::dense_graph>;

  void make_graph() {
    if (!file_.empty()) {
      try {
        graph_ = std::make_unique<any_graph>(sssp::read_gr_file(file_));
      } catch (usage_error const& e) {
        throw usage_error(std::string("sssp: --graph ") + e.what());
      }
      return;
    }
    sssp::random_shape const shape{.nodes = static_cast<sssp::node>(n_),
                                   .density = density_,
                                   .longest = static_cast<sssp::length>(longest_),
                                   .seed = static_cast<std::uint64_t>(seed_)};
    graph_ = dense_ ? std::make_unique<any_graph>(sssp::dense_graph(shape))
                    : std::make_unique<any_graph>(sssp::random_sparse(shape));
  }
  [[nodiscard]] sssp::node source() const noexcept { return static_cast<sssp::node>(source_ - 1); }

  std::string file_;
  std::int64_t source_ = 1;
  std::int64_t n_ = 2000;
  double density_ = 0.5;
  std::int64_t longest_ = 1000;
  std::int64_t seed_ = 1;
  bool dense_ = false;
  std::string strategy_ = "by-distance";
  sssp::choice how_ = sssp::choice::by_distance;
  std::unique_ptr<any_graph> graph_;
  std::vector<sssp::distance> right_;
  std::optional<sssp::result> result_;
};

}  // namespace

std::unique_ptr<app> make_sssp() { return std::make_unique<sssp_app>(); }

}  // namespace skua::apps
