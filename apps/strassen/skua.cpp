// SPDX-License-Identifier: MIT
// The apps strassen and strassen-z: one program on two layouts.
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "apps/checks.hpp"
#include "apps/matmul/problem.hpp"
#include "apps/program_app.hpp"
#include "apps/strassen/program.hpp"

namespace skua::apps {
namespace {

constexpr std::int64_t most_strassen_side = 32768;

/// The differences between the two apps.
struct strassen_in_rows {
  using problem = matmul::problem;
  static constexpr std::string_view name = "strassen";
  static constexpr std::string_view about =
      "Strassen's matrix product in Winograd's form, seven products of half the side (NUMA-WS 2018)";
  static constexpr bool has_rows = true;
};
struct strassen_in_z_order {
  using problem = matmul::z_problem;
  static constexpr std::string_view name = "strassen-z";
  static constexpr std::string_view about = "strassen on matrices laid out in blocks on a Z curve (NUMA-WS 2018)";
  static constexpr bool has_rows = false;
};

template <class Layout, template <class> class View>
class strassen_app final : public program_app<strassen_app<Layout, View>>, public openmp_twin, public tbb_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return Layout::name; }
  [[nodiscard]] std::string_view about() const override { return Layout::about; }
  [[nodiscard]] std::vector<option> options() override {
    std::vector<option> all{
        {"--n", &n_, between(1, most_strassen_side), "rows and columns"},
        {"--cutoff", &cutoff_, between(matmul::column_group, most_strassen_side),
         "longest side of a product that matmul computes"},
        {"--leaf", &leaf_, between(matmul::column_group, most_strassen_side),
         "longest side of a block, rounded down to a multiple of 32"},
        {"--seed", &seed_, between(0, std::numeric_limits<std::int64_t>::max()), "seed of the matrices"},
    };
    if constexpr (Layout::has_rows) {
      all.push_back({"--tight", &tight_, "leave no gap between rows, even if they are a multiple of 1 KiB apart"});
    }
    return all;
  }
  void prepare() override {
    require_allowed(name(), options());
    auto const option = [](char const* word) { return std::string(Layout::name) + ": " + word; };
    row_gap const gap = tight_ ? row_gap::none : row_gap::against_conflicts;
    plan_ = strassen::plan(static_cast<std::size_t>(n_), static_cast<std::size_t>(cutoff_),
                           static_cast<std::size_t>(leaf_));
    matmul::input const given{.size = {plan_.n, plan_.n, plan_.n},
                              .room = matmul::sizes{plan_.room, plan_.room, plan_.room},
                              .side = plan_.side,
                              .seed = static_cast<std::uint64_t>(seed_),
                              .growth = plan_.growth(),
                              .gap = gap};
    if (given.most_entry() < 1) {
      throw usage_error(option("--cutoff") + " is " + std::to_string(cutoff_) +
                        "; allowed: " + std::to_string(exact_cutoff()) + " or more with --n " + std::to_string(n_) +
                        "; the sums of " + std::to_string(plan_.levels) + " steps are not exact");
    }
    problem_ = typename Layout::problem(given);
    std::vector<std::size_t> floats;
    for (unsigned level = 0; level < plan_.levels; ++level) {
      floats.push_back(strassen::step<View>::floats(plan_.room >> (level + 1), plan_.side, gap));
    }
    room_ = std::make_unique<strassen::workspaces>(floats);
    auto const leaf = matmul::leaves().back();
    kernel_ = leaf.name;
    tools_ = {.room = room_.get(),
              .leaf = leaf.function,
              .sum = strassen::sums().back().function,
              .levels = plan_.levels,
              .gap = gap};
  }
  [[nodiscard]] std::vector<std::span<std::byte const>> unowned() override { return problem_.memory(); }
  void reset() override {
    problem_.reset();
    ran_ = false;
  }

  void run_openmp(unsigned workers) override { strassen::with_openmp(workers, begin(workers), tools_); }
  void run_tbb(unsigned workers) override { strassen::with_tbb(tbb_workers_, workers, begin(workers), tools_); }

  [[nodiscard]] std::string wrong() override {
    std::string const found = ran_ ? problem_.wrong() : "no run yet";
    return found.empty() ? found : std::string(Layout::name) + ": " + found;
  }
  [[nodiscard]] json_value facts() const override {
    return {{"n", plan_.n},
            {"stored_n", plan_.room},
            {"levels", plan_.levels},
            {"cutoff", cutoff_},
            {"leaf", plan_.side},
            {"kernel", kernel_},
            {"temporaries_bytes", room_->bytes()},
            {"temporaries_spilled", room_->spilled()},
            {"checked_with", problem_.knows_product() ? "OpenBLAS" : "random vectors"}};
  }

  /// The schedule decides which temporaries a step gets.
  [[nodiscard]] bool depends_on_schedule() const override { return true; }

  template <fork_join Here>
  void program(Here& here, std::uint32_t) {
    strassen::program(here, begin(here.num_workers()), tools_);
  }

 private:
  /// The product C = A * B, with temporaries for this many workers.
  matmul::product<View> begin(unsigned workers) {
    room_->reserve(workers);
    ran_ = true;
    auto whole = problem_.whole();
    whole.replace = true;
    return whole;
  }
  [[nodiscard]] std::int64_t exact_cutoff() const {
    std::int64_t cutoff = cutoff_;
    for (;; cutoff *= 2) {
      strassen::plan const p(plan_.n, static_cast<std::size_t>(cutoff), static_cast<std::size_t>(leaf_));
      if (matmul::input{.size = {p.n, p.n, p.n}, .growth = p.growth()}.most_entry() >= 1) return cutoff;
    }
  }

  std::int64_t n_ = 2048;
  std::int64_t cutoff_ = 512;
  std::int64_t leaf_ = 128;
  std::int64_t seed_ = 1;
  bool tight_ = false;
  std::string_view kernel_;
  strassen::plan plan_;
  typename Layout::problem problem_;
  std::unique_ptr<strassen::workspaces> room_;
  strassen::tools<View> tools_;
  bool ran_ = false;
  tbb_workers tbb_workers_;
};

}  // namespace

std::unique_ptr<app> make_strassen() { return std::make_unique<strassen_app<strassen_in_rows, matmul::rows_view>>(); }
std::unique_ptr<app> make_strassen_z() { return std::make_unique<strassen_app<strassen_in_z_order, z_view>>(); }

}  // namespace skua::apps
