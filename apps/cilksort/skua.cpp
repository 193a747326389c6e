// SPDX-License-Identifier: MIT
// The app cilksort.
#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <variant>
#include <vector>

#include "apps/checks.hpp"
#include "apps/cilksort/problem.hpp"
#include "apps/placed_array.hpp"
#include "apps/program_app.hpp"
#include "skua/parts/base/error.hpp"

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

class cilksort_app final : public program_app<cilksort_app>, public openmp_twin, public tbb_twin {
 public:
  [[nodiscard]] std::string_view name() const override { return "cilksort"; }
  [[nodiscard]] std::string_view about() const override {
    return "merge sort with parallel merges of shuffled 32-bit or 64-bit keys (Cilk 5; adws, numa-ws)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--n", &n_, between(1, cilksort::most_n), "number of keys, 1 to 2^30; three times their width each"},
        {"--key-bits", &key_bits_, one_of(widths), "width of the keys: 32 or 64, as in Cilk 5 and in NUMA-WS (2018)"},
        {"--seed", &seed_, "seed of the initial order of the keys"},
    };
  }

  void prepare() override {
    require_allowed(name(), options());
    auto const width = meaning_of<std::size_t>(key_bits_, widths);
    done_ = false;
    auto const n = static_cast<std::size_t>(n_);
    try {
      if (width == 0) {
        of_.emplace<arrays<std::int32_t>>(n, seed_);
      } else {
        of_.emplace<arrays<std::int64_t>>(n, seed_);
      }
    } catch (std::bad_alloc const&) {
      throw resource_error("cilksort: no memory for " + std::to_string(n_) + " keys (" + (width == 0 ? "12" : "24") +
                           " bytes each); a smaller --n may fit");
    }
  }
  void reset() override {
    std::visit([](auto& of) { std::ranges::copy(of.input, of.data.data()); }, of_);
    done_ = false;
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

  void run_openmp(unsigned workers) override {
    std::visit([workers](auto& of) { cilksort::with_openmp(workers, of.todo()); }, of_);
    done_ = true;
  }
  void run_tbb(unsigned workers) override {
    std::visit([&](auto& of) { cilksort::with_tbb(tbb_workers_, workers, of.todo()); }, of_);
    done_ = true;
  }

  [[nodiscard]] std::string wrong() override {
    if (!done_) return "cilksort: no run yet";
    return std::visit([]<class Key>(arrays<Key>& of) { return cilksort::wrong<Key>(of.data.elements()); }, of_);
  }
  [[nodiscard]] json_value facts() const override {
    return {{"n", n_}, {"key_bits", std::stoi(key_bits_)}, {"seed", seed_}};
  }

  template <fork_join Here>
  void program(Here& here, std::uint32_t places) {
    std::visit([&](auto& of) { cilksort::sort(here, of.todo(), {.first = 0, .count = places}); }, of_);
    done_ = true;
  }

 private:
  static constexpr std::array<std::string_view, 2> widths{"32", "64"};

  std::int64_t n_ = 10'000'000;
  std::string key_bits_ = "32";
  std::uint64_t seed_ = 1;
  std::variant<arrays<std::int32_t>, arrays<std::int64_t>> of_{std::in_place_index<0>, 0, 0};
  bool done_ = false;
  tbb_workers tbb_workers_;
};

}  // namespace

std::unique_ptr<app> make_cilksort() { return std::make_unique<cilksort_app>(); }

}  // namespace skua::apps
