// SPDX-License-Identifier: MIT
// The app puzzle15.
#include <algorithm>
#include <charconv>
#include <optional>

#include "apps/program_app.hpp"
#include "apps/puzzle15/ida_star.hpp"
#include "apps/puzzle15/korf.hpp"
#include "apps/puzzle15/problem.hpp"

namespace skua::apps {
namespace {

class puzzle15_app final : public finish_app<puzzle15_app> {
 public:
  puzzle15_app()
      : finish_app("puzzle15",
                   "shortest solutions of the 15-puzzle; the order of tasks makes the search A* (Korf 1985; "
                   "strategies, 2013)") {
    has_no_effect({"--strategy", "--table-mib"}, ways::serial,
                  "the serial program is iterative deepening, which has neither tasks nor a table");
    has_no_effect({"--moves"}, "--instance", "only the random walk has a length");
  }

  template <has_finish Here>
  void program(Here& here) {
    result_ = puzzle15::program(here, start_, how_, within_);
  }
  /// Iterative deepening: without a table, too.
  void run_alone() {
    auto got = puzzle15::ida_star(start_);
    result_ = {.moves = std::move(got.moves), .expanded = got.visited};
  }

 private:
  /// Of longer walks the length is not computed beforehand: iterative deepening may need minutes.
  static constexpr std::uint32_t longest_checked_walk = 40;

  void build() override {
    within_ = {.table_bytes = table_mib_ << 20};
    right_.reset();
    make_start();
    static_cast<void>(puzzle15::costs());
  }
  void make_start() {
    if (instance_.empty()) {
      start_ = puzzle15::random_walk(moves_, seed_);
      within_.length = std::min<std::uint32_t>(moves_, puzzle15::most_moves);
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
  void restore() override { result_ = {}; }
  [[nodiscard]] std::string check() override {
    if (std::string why = puzzle15::wrong(start_, result_.moves); !why.empty()) return why;
    if (!right_) right_ = result_.moves.size();  // each run of this process must find the same
    return differs("puzzle15: the length", result_.moves.size(), *right_);
  }
  void add_facts(json_value& all) const override {
    if (!ran()) return;
    all["length"] = result_.moves.size();
    all["expanded"] = result_.expanded;
    all["again"] = result_.again;
    all["stale"] = result_.stale;
    all["states"] = result_.states;
    all["table_mib"] = static_cast<double>(result_.table_bytes) / 0x1p20;
  }

  text_option instance_{*this, "--instance", "", "korf:1 to korf:100, or 16 numbers; else a random walk from the goal"};
  number_option<std::uint32_t> moves_{*this, "--moves", 20, between(0, 1000), "length of the random walk, 0 to 1000"};
  seed_option seed_{*this, "of the random walk"};
  number_option<std::uint64_t> table_mib_{*this, "--table-mib", 1024, between(1, 1'000'000),
                                          "most memory for reached positions; waiting tasks need much more"};
  choice_option<puzzle15::choice> how_{*this,
                                       "--strategy",
                                       "best-first",
                                       {"best-first", "none"},
                                       "best-first or none (for short walks): what is given with each task"};
  puzzle15::board start_ = puzzle15::goal;
  puzzle15::limits within_;
  std::optional<std::uint64_t> right_;
  puzzle15::result result_;
};

}  // namespace

std::unique_ptr<app> make_puzzle15() { return std::make_unique<puzzle15_app>(); }

}  // namespace skua::apps
