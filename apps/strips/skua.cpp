// SPDX-License-Identifier: MIT
// The app strips.
#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "apps/checks.hpp"
#include "apps/finish_app.hpp"
#include "apps/strips/mesh_file.hpp"
#include "apps/strips/problem.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps {
namespace {

constexpr std::array<std::string_view, 2> strips_strategies{"by-neighbours", "none"};

class strips_app final : public finish_app<strips_app> {
 public:
  [[nodiscard]] std::string_view name() const override { return "strips"; }
  [[nodiscard]] std::string_view about() const override {
    return "triangle strips from a mesh, started where few neighbours are free (strategies, 2013)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--mesh", &file_, "a PLY, OBJ or STL file; without it, a torus with holes"},
        {"--triangles", &triangles_, between(1, 100'000'000), "of the torus"},
        {"--seed", &seed_, between(0, 1'000'000'000'000), "of the torus"},
        {"--interval", &interval_, between(1, strips::most_triangles), "triangles per task that spawns others"},
        {"--strategy", &strategy_, one_of(strips_strategies), "by-neighbours or none: the strategy of each task"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    with_.how = meaning_of<strips::choice>(strategy_, strips_strategies);
    with_.interval = static_cast<strips::triangle>(interval_);
    result_.reset();
    try {
      make_mesh();
    } catch (std::bad_alloc const&) {
      throw resource_error("strips: no memory for the mesh; one with fewer triangles may fit");
    }
  }
  void reset() override { result_.reset(); }

  [[nodiscard]] std::string wrong() override {
    return result_ ? strips::wrong(*mesh_, result_->next, result_->counts.strips) : "strips: no run yet";
  }
  [[nodiscard]] json_value facts() const override {
    json_value all = {{"triangles", mesh_->triangles()},
                      {"crowded_edges", mesh_->crowded_edges()},
                      {"interval", interval_},
                      {"strategy", strategy_}};
    if (!result_) return all;
    all["strips"] = result_->counts.strips;
    all["starts"] = result_->counts.starts;
    all["average_length"] = mesh_->triangles() / static_cast<double>(result_->counts.strips);
    return all;
  }

  template <has_finish Here>
  void program(Here& here) {
    result_ = strips::program(here, *mesh_, with_);
  }

 private:
  void make_mesh() {
    if (file_.empty()) {
      mesh_.emplace(
          strips::generated_surface(static_cast<strips::triangle>(triangles_), static_cast<std::uint64_t>(seed_)));
      return;
    }
    try {
      mesh_.emplace(strips::read_mesh_file(file_));
    } catch (usage_error const& e) {
      throw usage_error(std::string("strips: --mesh ") + e.what());
    }
  }

  std::string file_;
  std::int64_t triangles_ = 1'000'000;
  std::int64_t seed_ = 1;
  std::int64_t interval_ = 4096;
  std::string strategy_ = "by-neighbours";
  strips::options with_;
  std::optional<strips::mesh> mesh_;
  std::optional<strips::result> result_;
};

}  // namespace

std::unique_ptr<app> make_strips() { return std::make_unique<strips_app>(); }

}  // namespace skua::apps
