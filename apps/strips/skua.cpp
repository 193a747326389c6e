// SPDX-License-Identifier: MIT
// The app strips.
#include <optional>

#include "apps/program_app.hpp"
#include "apps/strips/mesh_file.hpp"
#include "apps/strips/problem.hpp"
#include "apps/strips/strip_lines.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/whole_file.hpp"

namespace skua::apps {
namespace {

class strips_app final : public finish_app<strips_app> {
 public:
  strips_app()
      : finish_app("strips", "triangle strips from a mesh, started where few neighbours are free (strategies, 2013)") {
    has_no_effect({"--triangles"}, "--mesh", "the file has its own triangles");
  }

  template <has_finish Here>
  void program(Here& here) {
    result_ = strips::program(here, *mesh_, {.interval = interval_, .how = how_});
  }

 private:
  void build() override {
    result_.reset();
    written_ = false;
    require_writable("--output", output_);
    if (file_.empty()) {
      mesh_.emplace(strips::generated_surface(triangles_, seed_));
    } else {
      read_for("--mesh", [&] { mesh_.emplace(strips::read_mesh_file(file_.text())); });
      if (!output_.empty() && !strips::keeps_numbers_of(file_.text()))
        throw usage_error(
            "strips: --output beside an OBJ or STL file, whose vertices have other numbers here; allowed: PLY");
    }
  }
  [[nodiscard]] std::string too_large() const override { return "the mesh; one with fewer triangles may fit"; }
  void restore() override { result_.reset(); }
  /// Also writes --output, once: only verified strips are worth keeping.
  [[nodiscard]] std::string check() override {
    std::string found = strips::wrong(*mesh_, result_->next, result_->counts.strips);
    if (!found.empty() || output_.empty() || written_) return found;
    runtime::write_whole_file(output_.text(), strips::text_of_strips(*mesh_, result_->next));
    written_ = true;
    return found;
  }
  void add_facts(json_value& all) const override {
    all["triangles"] = mesh_->triangles();
    all["crowded_edges"] = mesh_->crowded_edges();
    if (!ran()) return;
    all["strips"] = result_->counts.strips;
    all["starts"] = result_->counts.starts;
    all["average_length"] = mesh_->triangles() / static_cast<double>(result_->counts.strips);
  }

  text_option file_{*this, "--mesh", "", "a PLY, OBJ or STL file; without it, a torus with holes"};
  number_option<strips::triangle> triangles_{*this, "--triangles", 1'000'000, between(1, 100'000'000), "of the torus"};
  seed_option seed_{*this, "of the torus"};
  number_option<strips::triangle> interval_{*this, "--interval", 4096, between(1, strips::most_triangles),
                                            "triangles per task that spawns others"};
  choice_option<strips::choice> how_{*this,
                                     "--strategy",
                                     "by-neighbours",
                                     {"by-neighbours", "none"},
                                     "by-neighbours or none: what is given with each task"};
  text_option output_{*this, "--output", "",
                      "write the verified strips to this file: a line of vertices for each, from 0"};
  std::optional<strips::mesh> mesh_;
  std::optional<strips::result> result_;
  bool written_ = false;
};

}  // namespace

std::unique_ptr<app> make_strips() { return std::make_unique<strips_app>(); }

}  // namespace skua::apps
