// SPDX-License-Identifier: MIT
// The app puzzle15.
#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "apps/checks.hpp"
#include "apps/finish_app.hpp"
#include "apps/puzzle15/ida_star.hpp"
#include "apps/puzzle15/korf.hpp"
#include "apps/puzzle15/problem.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/skua.hpp"

namespace skua::apps {
namespace {

constexpr std::array<std::string_view, 2> puzzle15_strategies{"best-first", "none"};

/// Its serial elision is iterative deepening: the program that one would write without tasks, and without a table.
class puzzle15_app final : public finish_app<puzzle15_app> {
 public:
  [[nodiscard]] std::string_view name() const override { return "puzzle15"; }
  [[nodiscard]] std::string_view about() const override {
    return "shortest solutions of the 15-puzzle; the order of tasks makes the search A* (Korf 1985; strategies, 2013)";
  }
  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--instance", &instance_, "korf:1 to korf:100, or 16 numbers; else a random walk from the goal"},
        {"--moves", &moves_, between(0, 1000), "length of the random walk, 0 to 1000"},
        {"--seed", &seed_, between(0, 1'000'000'000'000), "of the random walk"},
        {"--table-mib", &table_mib_, between(1, 1'000'000),
         "most memory for reached positions; waiting tasks need much more"},
        {"--strategy", &strategy_, one_of(puzzle15_strategies),
         "best-first or none (for short walks): the strategy of each task"},
    };
  }
  void prepare() override {
    require_allowed(name(), options());
    how_ = meaning_of<puzzle15::choice>(strategy_, puzzle15_strategies);
    within_ = {.table_bytes = static_cast<std::uint64_t>(table_mib_) << 20};
    right_.reset();
    make_start();
    static_cast<void>(puzzle15::costs());
  }
  void reset() override { result_.reset(); }

  template <has_finish Here>
  void program(Here& here) {
    if constexpr (std::same_as<Here, serial>) {
      auto got = puzzle15::ida_star(start_);
      result_ = puzzle15::result{.moves = std::move(got.moves), .expanded = got.visited};
    } else {
      result_ = puzzle15::program(here, start_, how_, within_);
    }
  }

  [[nodiscard]] std::string wrong() override {
    if (!result_) return "puzzle15: no run yet";
    if (std::string why = puzzle15::wrong(start_, result_->moves); !why.empty()) return why;
    if (!right_) right_ = result_->moves.size();  // each run of this process must find the same
    return differs("puzzle15: the length", result_->moves.size(), *right_);
  }
  [[nodiscard]] json_value facts() const override {
    json_value all = {{"instance", instance_}};
    if (instance_.empty()) all = {{"moves", moves_}, {"seed", seed_}};
    if (!result_) return all;
    all["length"] = result_->moves.size();
    all["expanded"] = result_->expanded;
    all["again"] = result_->again;
    all["stale"] = result_->stale;
    all["states"] = result_->states;
    all["table_mib"] = static_cast<double>(result_->table_bytes) / 0x1p20;
    return all;
  }

 private:
  /// Of longer walks the length is not computed beforehand: iterative deepening may need minutes.
  static constexpr std::int64_t longest_checked_walk = 40;

  void make_start() {
    if (instance_.empty()) {
      start_ = puzzle15::random_walk(static_cast<std::uint32_t>(moves_), static_cast<std::uint64_t>(seed_));
      within_.length = static_cast<std::uint32_t>(std::min<std::int64_t>(moves_, puzzle15::most_moves));
      if (moves_ <= longest_checked_walk) right_ = puzzle15::ida_star(start_).moves.size();
      return;
    }
    constexpr std::string_view korf = "korf:";
    if (!instance_.starts_with(korf)) {
      start_ = puzzle15::parse_board(instance_);
      return;
    }
    std::uint32_t number = 0;
    auto const digits = std::string_view(instance_).substr(korf.size());
    auto const [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (failed != std::errc{} || end != digits.data() + digits.size() || number < 1 ||
        number > puzzle15::korf_instances) {
      throw usage_error("puzzle15: --instance is '" + instance_ +
                        "'; allowed: korf:1 to korf:100, or the numbers 0 to 15, each once");
    }
    auto const known = puzzle15::korf(number);
    start_ = known.start;
    right_ = known.length;
  }

  std::string instance_;
  std::int64_t moves_ = 20;
  std::int64_t seed_ = 1;
  std::int64_t table_mib_ = 1024;
  std::string strategy_ = "best-first";
  puzzle15::choice how_ = puzzle15::choice::best_first;
  puzzle15::board start_ = puzzle15::goal;
  puzzle15::limits within_;
  std::optional<std::uint64_t> right_;
  std::optional<puzzle15::result> result_;
};

}  // namespace

std::unique_ptr<app> make_puzzle15() { return std::make_unique<puzzle15_app>(); }

}  // namespace skua::apps
