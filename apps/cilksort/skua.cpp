// SPDX-License-Identifier: MIT
// The app cilksort.
#include <algorithm>
#include <variant>
#include <vector>

#include "apps/cilksort/problem.hpp"
#include "apps/placed_array.hpp"
#include "apps/program_app.hpp"

namespace skua::apps {
namespace {

/// The input, and what a run works on.
template <cilksort::sort_key Key>
struct arrays {
  std::vector<Key> input;
  placed_array<Key> data;
  placed_array<Key> scratch;

  arrays(std::size_t n, std::uint64_t seed) : input(cilksort::shuffled<Key>(n, seed)), data(input), scratch(n) {
    std::ranges::fill(scratch.elements(), Key{0});
  }
  [[nodiscard]] cilksort::sorting<Key> todo() const { return {data.elements(), scratch.elements()}; }
};

class cilksort_app final : public program_app<cilksort_app> {
 public:
  cilksort_app()
      : program_app("cilksort",
                    "merge sort with parallel merges of shuffled 32-bit or 64-bit keys (Cilk 5; adws, numa-ws)") {}

  template <fork_join Here>
  void program(Here& here, std::uint32_t places) {
    std::visit([&](auto& of) { cilksort::sort(here, of.todo(), {.first = 0, .count = places}); }, of_);
  }
  void openmp_run(unsigned workers) {
    std::visit([workers](auto& of) { cilksort::with_openmp(workers, of.todo()); }, of_);
  }
  void tbb_run(tbb_workers& threads, unsigned workers) {
    std::visit([&](auto& of) { cilksort::with_tbb(threads, workers, of.todo()); }, of_);
  }
  [[nodiscard]] std::vector<owned_array> owned(std::uint32_t places) override {
    return std::visit(
        [places](auto& of) {
          auto const shares = [n = of.data.size(), places] {
            return cilksort::owners(n, {.first = 0, .count = places});
          };
          return std::vector<owned_array>{{.memory = &of.data, .shares = shares},
                                          {.memory = &of.scratch, .shares = shares}};
        },
        of_);
  }

 private:
  enum class width : std::uint8_t { of_32, of_64 };

  void build() override {
    if (width_ == width::of_32) {
      of_.emplace<arrays<std::int32_t>>(n_, seed_);
    } else {
      of_.emplace<arrays<std::int64_t>>(n_, seed_);
    }
  }
  [[nodiscard]] std::string too_large() const override {
    return std::to_string(n_) + " keys (" + (width_ == width::of_32 ? "12" : "24") +
           " bytes each); a smaller --n may fit";
  }
  void restore() override {
    std::visit([](auto& of) { std::ranges::copy(of.input, of.data.data()); }, of_);
  }
  [[nodiscard]] std::string check() override {
    return std::visit([]<class Key>(arrays<Key>& of) { return cilksort::wrong<Key>(of.data.elements()); }, of_);
  }
  void add_facts(json_value& all) const override { all["key_bits"] = width_ == width::of_32 ? 32 : 64; }

  number_option<std::size_t> n_{*this, "--n", 10'000'000, between(1, cilksort::most_n),
                                "number of keys, 1 to 2^30; three times their width each"};
  choice_option<width> width_{
      *this, "--key-bits", "32", {"32", "64"}, "width of the keys: 32 or 64, as in Cilk 5 and in NUMA-WS (2018)"};
  number_option<std::uint64_t, std::uint64_t> seed_{*this, "--seed", 1, no_limits{},
                                                    "seed of the initial order of the keys"};
  std::variant<arrays<std::int32_t>, arrays<std::int64_t>> of_{std::in_place_index<0>, 0, 0};
};

}  // namespace

std::unique_ptr<app> make_cilksort() { return std::make_unique<cilksort_app>(); }

}  // namespace skua::apps
