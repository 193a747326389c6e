// SPDX-License-Identifier: MIT
// The app prefix-sum.
#include <concepts>
#include <optional>
#include <span>
#include <vector>

#include "apps/prefix_sum/problem.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

class prefix_sum_app final : public finish_app<prefix_sum_app> {
 public:
  prefix_sum_app()
      : finish_app("prefix-sum",
                   "prefix sums of arrays of 32-bit integers, in place; they need one pass where a worker is alone "
                   "(strategies, 2013)") {
    has_no_effect({"--strategy"}, ways::peers, "the twins always make two passes, the serial program makes one");
    has_no_effect({"--block"}, ways::serial, "the serial program scans whole arrays");
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
  }
  void openmp_run(unsigned workers) { prefix_sum::with_openmp(workers, blocked_); }
  void tbb_run(tbb_workers& threads, unsigned workers) { prefix_sum::with_tbb(threads, workers, blocked_); }
  [[nodiscard]] std::vector<std::span<std::byte const>> unowned() override { return {std::as_bytes(all())}; }

 private:
  static constexpr std::int64_t most_elements = std::int64_t{1} << 32;
  static constexpr std::int64_t most_blocks = 100'000'000;

  void build() override {
    require_between("prefix-sum: --n times --arrays", n_ * arrays_, 1, most_elements);
    require_between("prefix-sum: the number of blocks", (n_ + block_ - 1) / block_ * arrays_, 1, most_blocks);
    blocked_.clear();
    size_ = n_ * arrays_;
    data_ = std::make_unique_for_overwrite<prefix_sum::element[]>(size_);
    for (std::size_t i = 0; i < size_; i += n_) blocked_.push_back({all().subspan(i, n_), block_});
  }
  [[nodiscard]] std::string too_large() const override {
    return std::to_string(size_) + " elements (4 bytes each); a smaller --n or --arrays may fit";
  }
  void restore() override {
    prefix_sum::fill(all(), seed_);
    in_one_pass_.reset();
  }
  [[nodiscard]] std::string check() override { return prefix_sum::wrong(all(), n_, seed_); }
  void add_facts(json_value& known) const override {
    known["blocks"] = blocked_.size() * (blocked_.empty() ? 0 : blocked_.front().blocks());
    if (in_one_pass_) known["blocks_in_one_pass"] = *in_one_pass_;
  }
  [[nodiscard]] std::span<prefix_sum::element> all() const noexcept { return {data_.get(), size_}; }

  number_option<std::size_t> n_{*this, "--n", 100'000'000, between(1, most_elements),
                                "elements of each array; 4 bytes each"};
  number_option<std::size_t> arrays_{*this, "--arrays", 1, between(1, 10'000),
                                     "arrays, all at once; together at most 2^32 elements"};
  number_option<std::size_t> block_{*this, "--block", 4096, between(1, most_elements), "elements of a block"};
  seed_option seed_{*this, "of the elements", 1'000'000'000};
  choice_option<prefix_sum::choice> how_{*this,
                                         "--strategy",
                                         "in-order",
                                         {"in-order", "none"},
                                         "in-order or none: what is given with each task; none: two passes"};
  std::size_t size_ = 0;
  std::unique_ptr<prefix_sum::element[]> data_;
  std::vector<prefix_sum::blocked_array> blocked_;
  std::optional<std::size_t> in_one_pass_;  ///< of a run on a pool
};

}  // namespace

std::unique_ptr<app> make_prefix_sum() { return std::make_unique<prefix_sum_app>(); }

}  // namespace skua::apps
