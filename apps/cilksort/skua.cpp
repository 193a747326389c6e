// SPDX-License-Identifier: MIT
// The app cilksort.
#include <CLI/CLI.hpp>
#include <new>

#include "apps/checks.hpp"
#include "apps/cilksort/problem.hpp"
#include "apps/program_app.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps {
namespace {

class cilksort_app final : public program_app<cilksort_app>, public openmp_twin, public tbb_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return "cilksort"; }
  [[nodiscard]] std::string_view about() const override {
    return "merge sort with parallel merges of shuffled 32-bit keys (Cilk 5; adws, numa-ws)";
  }
  void options(CLI::App& command) override {
    command.add_option("--n", n_, "number of keys, 1 to 2^30; 12 bytes each")->capture_default_str();
    command.add_option("--seed", seed_, "seed of the initial order of the keys")->capture_default_str();
  }

  void prepare() override {
    require_between("cilksort: --n", n_, 1, cilksort::most_n);
    done_ = false;
    try {
      input_ = cilksort::shuffled(static_cast<std::size_t>(n_), seed_);
      data_ = input_;
      scratch_.assign(input_.size(), 0);
    } catch (std::bad_alloc const&) {
      throw resource_error("cilksort: no memory for " + std::to_string(n_) +
                           " keys (12 bytes each); a smaller --n may fit");
    }
  }
  void reset() override {
    std::ranges::copy(input_, data_.begin());
    done_ = false;
  }

  void run_openmp(unsigned workers) override {
    cilksort::with_openmp(workers, todo());
    done_ = true;
  }
  void run_tbb(unsigned workers) override {
    cilksort::with_tbb(tbb_workers_, workers, todo());
    done_ = true;
  }

  [[nodiscard]] std::string wrong() override { return done_ ? cilksort::wrong(data_) : "cilksort: no run yet"; }
  [[nodiscard]] nlohmann::json facts() const override { return {{"n", n_}, {"seed", seed_}}; }

  template <fork_join Here>
  void program(Here& here, std::uint32_t places) {
    cilksort::sort(here, todo(), {.first = 0, .count = places});
    done_ = true;
  }

 private:
  [[nodiscard]] cilksort::sorting todo() { return {data_, scratch_}; }

  std::int64_t n_ = 10'000'000;
  std::uint64_t seed_ = 1;
  std::vector<cilksort::key> input_;
  std::vector<cilksort::key> data_;
  std::vector<cilksort::key> scratch_;
  bool done_ = false;
  tbb_workers tbb_workers_;
};

}  // namespace

std::unique_ptr<app> make_cilksort() { return std::make_unique<cilksort_app>(); }

}  // namespace skua::apps
