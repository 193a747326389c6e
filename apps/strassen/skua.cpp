// SPDX-License-Identifier: MIT
// The apps strassen and strassen-z: one program on two layouts.
#include <limits>
#include <optional>
#include <vector>

#include "apps/matmul/problem.hpp"
#include "apps/program_app.hpp"
#include "apps/strassen/program.hpp"

namespace skua::apps {
namespace {

template <class Problem, template <class> class View>
class strassen_app final : public program_app<strassen_app<Problem, View>> {
 public:
  strassen_app(std::string_view name, std::string_view about, bool has_rows) : program_app<strassen_app>(name, about) {
    if (has_rows) {
      tight_.emplace(*this, "--tight", "leave no gap between rows, even if they are a multiple of 1 KiB apart");
    }
  }

  /// The schedule decides which temporaries a step gets.
  [[nodiscard]] bool depends_on_schedule() const override { return true; }
  template <fork_join Here>
  void program(Here& here) {
    strassen::program(here, begin(here.num_workers()), tools_);
  }
  void openmp_run(unsigned workers) { strassen::with_openmp(workers, begin(workers), tools_); }
  void tbb_run(tbb_workers& threads, unsigned workers) { strassen::with_tbb(threads, workers, begin(workers), tools_); }
  [[nodiscard]] std::vector<std::span<std::byte const>> unowned() override { return problem_.memory(); }

 private:
  static constexpr std::int64_t most_side = 32768;

  void build() override {
    row_gap const gap = tight_ && *tight_ ? row_gap::none : row_gap::against_conflicts;
    plan_ = strassen::plan(n_, cutoff_, leaf_);
    matmul::input const given{.size = {plan_.n, plan_.n, plan_.n},
                              .room = matmul::sizes{plan_.room, plan_.room, plan_.room},
                              .side = plan_.side,
                              .seed = seed_,
                              .growth = plan_.growth(),
                              .gap = gap};
    if (given.most_entry() < 1) {
      throw usage_error(std::string(this->name()) + ": --cutoff is " + std::to_string(cutoff_) +
                        "; allowed: " + std::to_string(exact_cutoff()) + " or more with --n " + std::to_string(n_) +
                        "; the sums of " + std::to_string(plan_.levels) + " steps are not exact");
    }
    problem_ = Problem(given);
    std::vector<std::size_t> floats;
    for (unsigned level = 0; level < plan_.levels; ++level) {
      floats.push_back(strassen::step<View>::floats(plan_.room >> (level + 1), plan_.side, gap));
    }
    room_ = std::make_unique<strassen::workspaces>(floats);
    tools_ = {.room = room_.get(),
              .leaf = matmul::leaves().back().function,
              .sum = strassen::sums().back().function,
              .levels = plan_.levels,
              .gap = gap};
  }
  void restore() override { problem_.reset(); }
  [[nodiscard]] std::string check() override {
    std::string const found = problem_.wrong();
    return found.empty() ? found : std::string(this->name()) + ": " + found;
  }
  void add_facts(json_value& all) const override {
    all["stored_n"] = plan_.room;
    all["levels"] = plan_.levels;
    all["leaf"] = plan_.side;
    all["kernel"] = matmul::leaves().back().name;
    all["temporaries_bytes"] = room_->bytes();
    all["temporaries_spilled"] = room_->spilled();
    all["checked_with"] = problem_.knows_product() ? "OpenBLAS" : "random vectors";
  }
  /// The product C = A * B, with temporaries for so many workers.
  matmul::product<View> begin(unsigned workers) {
    room_->reserve(workers);
    auto whole = problem_.whole();
    whole.replace = true;
    return whole;
  }
  [[nodiscard]] std::size_t exact_cutoff() const {
    for (std::size_t cutoff = cutoff_;; cutoff *= 2) {
      strassen::plan const p(plan_.n, cutoff, leaf_);
      if (matmul::input{.size = {p.n, p.n, p.n}, .growth = p.growth()}.most_entry() >= 1) return cutoff;
    }
  }

  number_option<std::size_t> n_{*this, "--n", 2048, between(1, most_side), "rows and columns"};
  number_option<std::size_t> cutoff_{*this, "--cutoff", 512, between(matmul::column_group, most_side),
                                     "longest side of a product that matmul computes"};
  number_option<std::size_t> leaf_{*this, "--leaf", 128, between(matmul::column_group, most_side),
                                   "longest side of a block, rounded down to a multiple of 32"};
  seed_option seed_{*this, "seed of the matrices", std::numeric_limits<std::int64_t>::max()};
  std::optional<flag_option> tight_;  ///< of rows; blocks have no gaps
  strassen::plan plan_;
  Problem problem_;
  std::unique_ptr<strassen::workspaces> room_;
  strassen::tools<View> tools_;
};

}  // namespace

std::unique_ptr<app> make_strassen() {
  return std::make_unique<strassen_app<matmul::problem, matmul::rows_view>>(
      "strassen", "Strassen's matrix product in Winograd's form, seven products of half the side (NUMA-WS 2018)", true);
}
std::unique_ptr<app> make_strassen_z() {
  return std::make_unique<strassen_app<matmul::z_problem, z_view>>(
      "strassen-z", "strassen on matrices laid out in blocks on a Z curve (NUMA-WS 2018)", false);
}

}  // namespace skua::apps
