// SPDX-License-Identifier: MIT
// The app quicksort.
#include <algorithm>
#include <vector>

#include "apps/program_app.hpp"
#include "apps/quicksort/problem.hpp"

namespace skua::apps {
namespace {

class quicksort_app final : public finish_app<quicksort_app> {
 public:
  quicksort_app()
      : finish_app(
            "quicksort",
            "quicksort of 32-bit keys with sequential partitions; thieves take the largest part (strategies, 2013)") {
    has_no_effect({"--strategy"}, ways::twins, "the twins' tasks have no strategy");
  }

  template <has_finish Here>
  void program(Here& here) {
    quicksort::program(here, data_, {.cutoff = cutoff_, .how = how_});
  }
  void openmp_run(unsigned workers) { quicksort::with_openmp(workers, data_, cutoff_); }
  void tbb_run(tbb_workers& threads, unsigned workers) { quicksort::with_tbb(threads, workers, data_, cutoff_); }

 private:
  void build() override {
    input_ = quicksort::made_input(which_.word(), n_, seed_);
    data_ = input_;
    right_ = quicksort::fingerprint(input_);
  }
  [[nodiscard]] std::string too_large() const override {
    return std::to_string(n_) + " keys (8 bytes each); a smaller --n may fit";
  }
  void restore() override { std::ranges::copy(input_, data_.begin()); }
  [[nodiscard]] std::string check() override { return quicksort::wrong(data_, right_); }

  number_option<std::size_t> n_{*this, "--n", 10'000'000, between(1, quicksort::most_n),
                                "number of keys, 1 to 2^30; 8 bytes each"};
  choice_option<std::size_t> which_{*this, "--input", "random", quicksort::inputs,
                                    "random, sorted, reversed, organ-pipe, equal or few: the keys"};
  seed_option seed_{*this, "of the input"};
  number_option<std::size_t> cutoff_{*this, "--cutoff", 256, between(1, quicksort::most_n),
                                     "std::sort sorts so many keys at once"};
  choice_option<quicksort::choice> how_{
      *this, "--strategy", "by-size", {"by-size", "none"}, "by-size or none: what is given with each task"};
  std::vector<quicksort::key> input_;
  std::vector<quicksort::key> data_;
  std::uint64_t right_ = 0;  ///< fingerprint of the input
};

}  // namespace

std::unique_ptr<app> make_quicksort() { return std::make_unique<quicksort_app>(); }

}  // namespace skua::apps
