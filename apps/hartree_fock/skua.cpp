// SPDX-License-Identifier: MIT
// The app hartree-fock.
#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "apps/checks.hpp"
#include "apps/hartree_fock/over_ranks.hpp"
#include "apps/hartree_fock/problem.hpp"
#include "apps/iterated_apps.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

constexpr std::uint32_t most_atoms_to_solve = 512;
constexpr std::uint64_t most_tasks_to_solve = 100'000'000;

class hartree_fock_app final : public program_app<hartree_fock_app>, public ranks_program {
 public:
  [[nodiscard]] std::string_view name() const override { return "hartree-fock"; }
  [[nodiscard]] std::string_view about() const override {
    return "self-consistent field of a chain of beryllium atoms (retentive stealing, HPDC 2012)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--atoms", &atoms_, between(1, hartree_fock::chain::most_atoms), "of beryllium; 15 functions each"},
        {"--tile", &tile_, between(1, 100'000), "functions in a tile; a task is four tiles"},
        {"--threshold", &threshold_, between(0, 1), "integrals whose bound is smaller are left out"},
        {"--tolerance", &tolerance_, between(0, 1), "largest change of the density when it has converged"},
        {"--iterations", &iterations_, between(1, 10'000), "at most"},
        {"--hints", &hints_, one_of(hint_words), "none, or work: each task's number of integrals"},
        {"--count-only", &count_only_, "count tasks and integrals without solving"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    work_hints_ = meaning_of<bool>(hints_, hint_words);
    problem_.reset();
    counted_.reset();
    if (count_only_) return;
    require_between("hartree-fock: --atoms without --count-only", atoms_, 1, std::int64_t{most_atoms_to_solve});
    hartree_fock::screening on = screen();
    require_between("hartree-fock: tasks that are not null", static_cast<std::int64_t>(on.non_null()), 0,
                    std::int64_t{most_tasks_to_solve});
    try {
      problem_ = std::make_unique<hartree_fock::problem>(
          std::move(on), hartree_fock::scf_options{.tolerance = tolerance_,
                                                   .most_iterations = static_cast<std::uint32_t>(iterations_)});
    } catch (std::bad_alloc const&) {
      throw resource_error("hartree-fock: no memory for the matrices; fewer --atoms may fit");
    }
  }
  void reset() override {
    counted_.reset();
    if (problem_ != nullptr) problem_->reset();
  }

  template <fork_join Here>
  void program(Here& here, std::uint32_t) {
    if (count_only_) {
      here.leaf(flops{0}, [&] { counted_ = count(screen()); });
    } else {
      hartree_fock::program(here, *problem_, work_hints_);
    }
  }

  void run_on_ranks(communicator& world, ranks_plan const& plan) override {
    if (count_only_) {
      counted_ = count(screen());
    } else {
      hartree_fock::over_ranks(world, *problem_, plan);
    }
  }
  [[nodiscard]] ranks_load load() override {
    require_allowed(name(), options());
    return hartree_fock::load_of(screen());
  }

  /// The integrals of all tasks do not depend on the tile: another one must have as many.
  [[nodiscard]] std::string wrong() override {
    if (!count_only_) return problem_->wrong();
    if (!counted_) return "hartree-fock: no run yet";
    hartree_fock::screening const other({.atoms = atoms()}, hartree_fock::chain::functions_per_atom, threshold_);
    return differs("hartree-fock: integrals", counted_->integrals, other.integrals());
  }
  [[nodiscard]] json_value facts() const override {
    json_value all{{"atoms", atoms_}, {"tile", tile_}};
    if (problem_ != nullptr) add(all, count(problem_->on()));
    if (counted_) add(all, *counted_);
    if (problem_ == nullptr || !problem_->found()) return all;
    hartree_fock::answer const& found = *problem_->found();
    all["iterations"] = found.iterations;
    all["converged"] = found.converged;
    all["energy_hartree"] = found.energy;
    all["change"] = found.change;
    return all;
  }

 private:
  struct counts {
    std::uint64_t tasks;
    std::uint64_t non_null;
    std::uint64_t integrals;
  };
  [[nodiscard]] std::uint32_t atoms() const noexcept { return static_cast<std::uint32_t>(atoms_); }
  [[nodiscard]] hartree_fock::screening screen() const {
    return {{.atoms = atoms()}, static_cast<std::uint32_t>(tile_), threshold_};
  }
  [[nodiscard]] static counts count(hartree_fock::screening const& on) noexcept {
    return {.tasks = on.tiles().tasks(), .non_null = on.non_null(), .integrals = on.integrals()};
  }
  static void add(json_value& all, counts const& some) {
    all["tasks"] = some.tasks;
    all["non_null_tasks"] = some.non_null;
    all["integrals"] = some.integrals;
  }

  std::int64_t atoms_ = 4;
  std::int64_t tile_ = 20;
  double threshold_ = hartree_fock::screening::usual_threshold;
  double tolerance_ = hartree_fock::scf_options{}.tolerance;
  std::int64_t iterations_ = hartree_fock::scf_options{}.most_iterations;
  std::string hints_ = "none";
  bool count_only_ = false;
  bool work_hints_ = false;
  std::optional<counts> counted_;
  std::unique_ptr<hartree_fock::problem> problem_;
};

}  // namespace

std::unique_ptr<app> make_hartree_fock() { return std::make_unique<hartree_fock_app>(); }

}  // namespace skua::apps
