// SPDX-License-Identifier: MIT
// The app quicksort.
#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "apps/checks.hpp"
#include "apps/finish_app.hpp"
#include "apps/quicksort/problem.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps {
namespace {

constexpr std::array<std::string_view, 2> quicksort_strategies{"by-size", "none"};

class quicksort_app final : public finish_app<quicksort_app>, public openmp_twin, public tbb_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return "quicksort"; }
  [[nodiscard]] std::string_view about() const override {
    return "quicksort of 32-bit keys with sequential partitions; thieves take the largest part (strategies, 2013)";
  }
  [[nodiscard]] openmp_twin* openmp() override { return this; }
  [[nodiscard]] tbb_twin* tbb() override { return this; }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--n", &n_, between(1, quicksort::most_n), "number of keys, 1 to 2^30; 8 bytes each"},
        {"--input", &input_name_, one_of(quicksort::inputs),
         "random, sorted, reversed, organ-pipe, equal or few: the keys"},
        {"--seed", &seed_, between(0, most_seed), "of the input"},
        {"--cutoff", &cutoff_, between(1, quicksort::most_n), "largest number of keys for std::sort"},
        {"--strategy", &strategy_, one_of(quicksort_strategies), "by-size or none: the strategy of each task"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    auto const how = meaning_of<quicksort::choice>(strategy_, quicksort_strategies);
    with_ = {.cutoff = static_cast<std::size_t>(cutoff_), .how = how};
    done_ = false;
    try {
      input_ = quicksort::made_input(input_name_, static_cast<std::size_t>(n_), static_cast<std::uint64_t>(seed_));
      data_ = input_;
    } catch (std::bad_alloc const&) {
      throw resource_error("quicksort: no memory for " + std::to_string(n_) +
                           " keys (8 bytes each); a smaller --n may fit");
    }
    right_ = quicksort::fingerprint(input_);
  }
  void reset() override {
    std::ranges::copy(input_, data_.begin());
    done_ = false;
  }

  void run_openmp(unsigned workers) override {
    quicksort::with_openmp(workers, data_, with_.cutoff);
    done_ = true;
  }
  void run_tbb(unsigned workers) override {
    quicksort::with_tbb(tbb_workers_, workers, data_, with_.cutoff);
    done_ = true;
  }

  [[nodiscard]] std::string wrong() override {
    return done_ ? quicksort::wrong(data_, right_) : "quicksort: no run yet";
  }
  [[nodiscard]] json_value facts() const override {
    return {{"n", n_}, {"input", input_name_}, {"seed", seed_}, {"cutoff", cutoff_}, {"strategy", strategy_}};
  }

  template <has_finish Here>
  void program(Here& here) {
    quicksort::program(here, data_, with_);
    done_ = true;
  }

 private:
  static constexpr std::int64_t most_seed = 1'000'000'000'000;

  std::int64_t n_ = 10'000'000;
  std::string input_name_ = "random";
  std::int64_t seed_ = 1;
  std::int64_t cutoff_ = 256;
  std::string strategy_ = "by-size";
  quicksort::options with_;
  std::vector<quicksort::key> input_;
  std::vector<quicksort::key> data_;
  std::uint64_t right_ = 0;  ///< fingerprint of the input
  bool done_ = false;
  tbb_workers tbb_workers_;
};

}  // namespace

std::unique_ptr<app> make_quicksort() { return std::make_unique<quicksort_app>(); }

}  // namespace skua::apps
