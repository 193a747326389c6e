// SPDX-License-Identifier: MIT
// The app prefix-sum.
#include <array>
#include <concepts>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/checks.hpp"
#include "apps/finish_app.hpp"
#include "apps/prefix_sum/problem.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps {
namespace {

constexpr std::array<std::string_view, 2> prefix_sum_strategies{"in-order", "none"};

class prefix_sum_app final : public finish_app<prefix_sum_app>, public openmp_twin, public tbb_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return "prefix-sum"; }
  [[nodiscard]] std::string_view about() const override {
    return "prefix sums of arrays of 32-bit integers, in place; they need one pass where a worker is alone "
           "(strategies, "
           "2013)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--n", &n_, between(1, most_elements), "elements of each array; 4 bytes each"},
        {"--arrays", &arrays_, between(1, 10'000), "arrays, all at once; together at most 2^32 elements"},
        {"--block", &block_, between(1, most_elements), "elements of a block"},
        {"--seed", &seed_, between(0, 1'000'000'000), "of the elements"},
        {"--strategy", &strategy_, one_of(prefix_sum_strategies),
         "in-order or none: the strategy of each task; none: two passes"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    require_between("prefix-sum: --n times --arrays", n_ * arrays_, 1, most_elements);
    require_between("prefix-sum: the number of blocks", (n_ + block_ - 1) / block_ * arrays_, 1, most_blocks);
    how_ = meaning_of<prefix_sum::choice>(strategy_, prefix_sum_strategies);
    blocked_.clear();
    auto const n = static_cast<std::size_t>(n_);
    size_ = n * static_cast<std::size_t>(arrays_);
    try {
      data_ = std::make_unique_for_overwrite<prefix_sum::element[]>(size_);
    } catch (std::bad_alloc const&) {
      throw resource_error("prefix-sum: no memory for " + std::to_string(size_) +
                           " elements (4 bytes each); a smaller --n or --arrays may fit");
    }
    for (std::size_t i = 0; i < size_; i += n) {
      blocked_.push_back({all().subspan(i, n), static_cast<std::size_t>(block_)});
    }
    done_ = false;
  }
  void reset() override {
    prefix_sum::fill(all(), static_cast<std::uint64_t>(seed_));
    in_one_pass_.reset();
    done_ = false;
  }

  [[nodiscard]] openmp_twin* openmp() override { return this; }
  [[nodiscard]] tbb_twin* tbb() override { return this; }
  void run_openmp(unsigned workers) override {
    prefix_sum::with_openmp(workers, blocked_);
    done_ = true;
  }
  void run_tbb(unsigned workers) override {
    prefix_sum::with_tbb(tbb_workers_, workers, blocked_);
    done_ = true;
  }

  [[nodiscard]] std::string wrong() override {
    if (!done_) return "prefix-sum: no run yet";
    return prefix_sum::wrong(all(), static_cast<std::size_t>(n_), static_cast<std::uint64_t>(seed_));
  }
  [[nodiscard]] json_value facts() const override {
    json_value known = {{"n", n_}, {"arrays", arrays_}, {"block", block_}, {"strategy", strategy_}};
    known["blocks"] = blocked_.size() * (blocked_.empty() ? 0 : blocked_.front().blocks());
    if (in_one_pass_) known["blocks_in_one_pass"] = *in_one_pass_;
    return known;
  }

  /// Its serial elision is the sequential algorithm: the program that one would write without tasks.
  template <has_finish Here>
  void program(Here& here) {
    if constexpr (std::same_as<Here, serial>) {
      for (auto const& array : blocked_) {
        here.leaf(writes{array.data.data(), array.data.size_bytes()}, flops{static_cast<double>(array.data.size())},
                  [&] { prefix_sum::scan(array.data); });
      }
    } else {
      in_one_pass_ = prefix_sum::program(here, blocked_, how_);
    }
    done_ = true;
  }

 private:
  static constexpr std::int64_t most_elements = std::int64_t{1} << 32;
  static constexpr std::int64_t most_blocks = 100'000'000;

  [[nodiscard]] std::span<prefix_sum::element> all() const noexcept { return {data_.get(), size_}; }

  std::int64_t n_ = 100'000'000;
  std::int64_t arrays_ = 1;
  std::int64_t block_ = 4096;
  std::int64_t seed_ = 1;
  std::string strategy_ = "in-order";
  prefix_sum::choice how_ = prefix_sum::choice::in_order;
  std::size_t size_ = 0;
  std::unique_ptr<prefix_sum::element[]> data_;
  std::vector<prefix_sum::blocked_array> blocked_;
  std::optional<std::size_t> in_one_pass_;  ///< of a run on a pool
  bool done_ = false;
  tbb_workers tbb_workers_;
};

}  // namespace

std::unique_ptr<app> make_prefix_sum() { return std::make_unique<prefix_sum_app>(); }

}  // namespace skua::apps
