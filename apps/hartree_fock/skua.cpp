// SPDX-License-Identifier: MIT
// The app hartree-fock.
#include <optional>

#include "apps/hartree_fock/molecules/molecular_problem.hpp"
#include "apps/hartree_fock/over_ranks.hpp"
#include "apps/hartree_fock/problem.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

namespace molecules = hartree_fock::molecules;

class hartree_fock_app final : public program_app<hartree_fock_app>, public ranks_program {
 public:
  hartree_fock_app()
      : program_app(
            "hartree-fock",
            "self-consistent field of a chain of beryllium atoms (retentive stealing, HPDC 2012) or a molecule") {
    has_no_effect({"--hints"}, ways::serial, "only Skua's policies read hints");
    has_no_effect({"--hints"}, ways::ranks, "collections have no hints");
    has_no_effect({"--tolerance", "--hints", "--count-only"}, ways::simulated_ranks,
                  "simulated ranks have the times of the tasks alone");
    has_no_effect({"--tolerance", "--iterations", "--hints"}, "--count-only", "nothing is solved then");
    has_no_effect({"--molecule", "--basis", "--charge"}, ways::ranks | ways::simulated_ranks,
                  "ranks compute chains of atoms");
    has_no_effect({"--atoms", "--tile", "--count-only"}, "--molecule", "a molecule has its own atoms and tasks");
  }

  template <fork_join Here>
  void program(Here& here) {
    if (molecule_) {
      molecules::program(here, *molecule_, work_hints_);
    } else if (count_only_) {
      here.leaf(flops{0}, [&] { counted_ = count(screen()); });
    } else {
      hartree_fock::program(here, *problem_, work_hints_);
    }
  }
  void expect_ranks(communicator& world, ranks_plan const& plan) override {
    // What a dead rank has accumulated to others cannot be told from what they have of live ones.
    shared_by_ = plan.on_loss == lost_tasks::fail ? &world : nullptr;
  }
  void run_on_ranks(communicator& world, ranks_plan const& plan) override {
    if (count_only_) {
      counted_ = count(screen());
    } else if (shared_) {
      remote_bytes_ = hartree_fock::over_ranks(world, *shared_, plan);
    } else {
      hartree_fock::over_ranks_with_copies(world, *problem_, plan);
    }
    has_run();
  }
  void prepare_check(communicator&) override {
    if (shared_) shared_->repeat_last_build();
  }
  [[nodiscard]] std::optional<std::uint64_t> remote_bytes() const override { return remote_bytes_; }
  [[nodiscard]] ranks_load load() override {
    require_allowed(name(), rows());
    return hartree_fock::load_of(screen());
  }

 private:
  static constexpr std::int64_t most_atoms_to_solve = 512;
  static constexpr std::int64_t most_tasks_to_solve = 100'000'000;
  struct counts {
    std::uint64_t tasks;
    std::uint64_t non_null;
    std::uint64_t integrals;
  };

  void build() override {
    problem_.reset();
    shared_.reset();
    molecule_.reset();
    if (!molecule_file_.empty()) return build_molecule();
    if (!basis_file_.empty()) throw usage_error("hartree-fock: --basis is given; allowed: only with --molecule");
    if (charge_) throw usage_error("hartree-fock: --charge is given; allowed: only with --molecule");
    if (count_only_) return;
    require_between("hartree-fock: --atoms without --count-only", std::uint32_t{atoms_}, 1, most_atoms_to_solve);
    hartree_fock::screening on = screen();
    require_between("hartree-fock: tasks that are not null", on.non_null(), 0, most_tasks_to_solve);
    hartree_fock::scf_options const options{.tolerance = tolerance(), .most_iterations = iterations_};
    if (shared_by_ == nullptr) {
      problem_.emplace(std::move(on), options);
    } else {
      shared_.emplace(*shared_by_, std::move(on), options);
    }
  }
  void build_molecule() {
    if (std::string const why = molecules::why_no_integrals(); !why.empty())
      throw usage_error("hartree-fock: --molecule is given, but " + why);
    if (basis_file_.empty()) throw usage_error("hartree-fock: --molecule is given; allowed: with --basis FILE");
    molecules::molecule of = read_for("--molecule", [&] { return molecules::read_xyz_file(molecule_file_.text()); });
    of.charge = charge_.value_or(0);
    of.require_pairs();
    molecules::basis_set const set =
        read_for("--basis", [&] { return molecules::read_basis_file(basis_file_.text()); });
    molecule_.emplace(std::move(of), set, basis_file_.text(),
                      molecules::molecular_options{
                          .threshold = threshold(), .tolerance = tolerance(), .most_iterations = iterations_});
  }
  [[nodiscard]] std::string too_large() const override {
    return molecule_file_.empty() ? "the matrices; fewer --atoms may fit" : "the matrices; a smaller --basis may fit";
  }
  void restore() override {
    counted_.reset();
    remote_bytes_.reset();
    if (molecule_) molecule_->reset();
    if (problem_) problem_->reset();
    if (shared_) shared_->reset();
  }
  /// The integrals of all tasks do not depend on the tile: another one must have as many.
  [[nodiscard]] std::string check() override {
    if (molecule_) return molecule_->wrong();
    if (shared_) return shared_->wrong();
    if (!count_only_) return problem_->wrong();
    hartree_fock::screening const other({.atoms = atoms_}, hartree_fock::chain::functions_per_atom, threshold());
    return differs("hartree-fock: integrals", counted_->integrals, other.integrals());
  }
  void add_facts(json_value& all) const override {
    all["threshold"] = threshold();
    all["tolerance"] = tolerance();
    if (molecule_) return add_facts_of_molecule(all);
    if (counted_ || problem_ || shared_) {
      counts const some = counted_ ? *counted_ : count(problem_ ? problem_->on() : shared_->on());
      all["tasks"] = some.tasks;
      all["non_null_tasks"] = some.non_null;
      all["integrals"] = some.integrals;
    }
    std::optional<hartree_fock::answer> const found = problem_  ? problem_->found()
                                                      : shared_ ? shared_->found()
                                                                : std::nullopt;
    if (!found) return;
    all["iterations"] = found->iterations;
    all["converged"] = found->converged;
    all["energy_hartree"] = found->energy;
    all["change"] = found->change;
  }
  void add_facts_of_molecule(json_value& all) const {
    molecules::quartets const& on = molecule_->on();
    all["atoms"] = molecule_->of().nuclei.size();
    all["electrons"] = molecule_->of().electrons();
    all["functions"] = on.of().functions;
    all["tasks"] = on.tasks();
    all["quartets"] = on.computed();
    all["quartets_left_out"] = on.left_out();
    all["screening_error_hartree"] = on.error();
    std::optional<molecules::molecular_answer> const& found = molecule_->found();
    if (!found) return;
    all["iterations"] = found->iterations;
    all["converged"] = found->converged;
    all["energy_hartree"] = found->energy;
    all["change"] = found->change;
    all["orbital_energies_hartree"] = found->levels;
    all["occupied_orbitals"] = molecule_->of().electrons() / 2;
  }
  [[nodiscard]] double threshold() const {
    return threshold_.value_or(molecule_file_.empty() ? hartree_fock::screening::usual_threshold
                                                      : molecules::molecular_options{}.threshold);
  }
  [[nodiscard]] double tolerance() const {
    return tolerance_.value_or(molecule_file_.empty() ? hartree_fock::scf_options{}.tolerance
                                                      : molecules::molecular_options{}.tolerance);
  }
  [[nodiscard]] hartree_fock::screening screen() const { return {{.atoms = atoms_}, tile_, threshold()}; }
  [[nodiscard]] static counts count(hartree_fock::screening const& on) noexcept {
    return {.tasks = on.tiles().tasks(), .non_null = on.non_null(), .integrals = on.integrals()};
  }

  number_option<std::uint32_t> atoms_{*this, "--atoms", 4, between(1, hartree_fock::chain::most_atoms),
                                      "of beryllium; 15 functions each"};
  number_option<std::uint32_t> tile_{*this, "--tile", 20, between(1, 100'000),
                                     "functions in a tile; a task is four tiles"};
  maybe_option<double> threshold_{
      *this, "--threshold", between(0., 1.),
      "integrals whose bound is smaller are left out; by default 1e-6, of a molecule 1e-14"};
  maybe_option<double> tolerance_{
      *this, "--tolerance", between(0., 1.),
      "largest change of the density when it has converged; by default 1e-6, of a molecule 1e-9"};
  number_option<std::uint32_t> iterations_{*this, "--iterations", hartree_fock::scf_options{}.most_iterations,
                                           between(1, 10'000), "at most"};
  choice_option<bool> work_hints_{*this, "--hints", "none", hint_words, "none, or work: each task says its integrals"};
  flag_option count_only_{*this, "--count-only", "count tasks and integrals, and solve nothing"};
  text_option molecule_file_{*this, "--molecule", "", "an XYZ file, instead of the chain; it needs --basis"};
  text_option basis_file_{*this, "--basis", "", "of the molecule: a file of Basis Set Exchange, JSON or NWChem's form"};
  maybe_option<std::int64_t> charge_{*this, "--charge", between(-1000, 1000), "of the molecule; by default 0"};
  std::optional<counts> counted_;
  std::optional<hartree_fock::problem> problem_;
  std::optional<molecules::molecular_problem> molecule_;  ///< instead of problem_
  communicator* shared_by_ = nullptr;  ///< whose ranks share the matrices; null: this process has them
  std::optional<hartree_fock::distributed_problem> shared_;  ///< instead of problem_
  std::optional<std::uint64_t> remote_bytes_;
};

}  // namespace

std::unique_ptr<app> make_hartree_fock() { return std::make_unique<hartree_fock_app>(); }

}  // namespace skua::apps
