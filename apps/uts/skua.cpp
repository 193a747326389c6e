// SPDX-License-Identifier: MIT
// The app uts.
#include <sys/resource.h>

#include "apps/program_app.hpp"
#include "apps/uts/over_ranks.hpp"
#include "apps/uts/problem.hpp"
#include "apps/uts/spawned.hpp"

namespace skua::apps {
namespace {

class uts_app final : public program_app<uts_app>, public ranks_program {
 public:
  uts_app()
      : program_app("uts",
                    "Unbalanced Tree Search: counts a tree that cannot be divided evenly in advance (LCPC 2006; "
                    "strategies, retentive)") {
    has_no_effect({"--form", "--strategy"}, ways::twins, "the twins' tasks are forks, without a strategy");
    has_no_effect({"--form", "--strategy"}, ways::ranks, "on ranks each inner node is a task of a collection");
  }

  /// Which spawns are calls does.
  [[nodiscard]] bool depends_on_schedule() const override { return spawns_; }
  template <has_finish Here>
  void program(Here& here) {
    result_ = spawns_ ? uts::spawned(here, tree_, how_) : uts::program(here, tree_);
  }
  void openmp_run(unsigned workers) {
    require_stack("OpenMP");
    result_ = uts::with_openmp(workers, tree_);
  }
  void tbb_run(tbb_workers& threads, unsigned workers) {
    require_stack("oneTBB");
    result_ = uts::with_tbb(threads, workers, tree_);
  }
  void run_on_ranks(communicator& world, ranks_plan const& plan) override {
    result_ = uts::over_ranks(world, tree_, plan);
    has_run();
  }

 private:
  void build() override {
    if (!spawns_ && how_ != uts::choice::by_depth)
      throw usage_error("uts: --strategy is none; allowed: with --form spawn, because forks have no strategy");
    auto const& known = uts::published(name_.text());
    tree_ = known.parameters;
    if (!is_own()) {
      right_ = known.counts;
      return;
    }
    if (kind_) tree_.kind = uts::family_named(*kind_);
    if (shape_) tree_.shape = uts::outline_named(*shape_);
    tree_.depth = depth_.value_or(tree_.depth);
    tree_.branching = branching_.value_or(tree_.branching);
    tree_.probability = probability_.value_or(tree_.probability);
    tree_.children = children_.value_or(tree_.children);
    tree_.shift = shift_.value_or(tree_.shift);
    tree_.seed = seed_.value_or(tree_.seed);
    tree_.validate();
    require_meaning();
    right_ = uts::survey(tree_);
  }
  /// Throws usage_error for an option that this kind of tree does not have.
  void require_meaning() const {
    auto const refuse = [](bool given, char const* option, char const* kinds) {
      if (given) throw usage_error("uts: " + std::string(option) + " is given; allowed: for " + kinds + " trees only");
    };
    if (tree_.kind == uts::family::binomial) {
      refuse(static_cast<bool>(shape_), "--shape", "geometric and hybrid");
      refuse(static_cast<bool>(depth_), "--depth", "geometric and hybrid");
    }
    if (tree_.kind == uts::family::geometric) {
      refuse(static_cast<bool>(probability_), "--probability", "binomial and hybrid");
      refuse(static_cast<bool>(children_), "--children", "binomial and hybrid");
    }
    refuse(shift_ && tree_.kind != uts::family::hybrid, "--shift", "hybrid");
  }
  void restore() override {}
  [[nodiscard]] std::string check() override {
    return result_ == right_ ? "" : "uts: got " + in_words(result_) + "; right is " + in_words(right_);
  }
  void add_facts(json_value& known) const override {
    if (is_own()) known["tree"] = "own";
    if (!ran()) return;
    known["nodes"] = result_.nodes;
    known["leaves"] = result_.leaves;
    known["depth"] = result_.depth;
  }
  [[nodiscard]] bool is_own() const noexcept {
    return kind_ || shape_ || depth_ || branching_ || probability_ || children_ || shift_ || seed_;
  }

  /// The twins recurse on their threads' stacks and need up to 1 KiB per level (measured: T3, T3L); without this check
  /// a tree as deep as T3L would kill them with a bare SIGSEGV. Throws resource_error.
  void require_stack(std::string_view twin) const {
    rlimit limit{};
    std::uint64_t const needed_kib = std::uint64_t{right_.depth} + 256;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur / 1024 >= needed_kib) return;
    throw resource_error("uts: this tree is " + std::to_string(right_.depth) + " levels deep and the " +
                         std::string(twin) + " twin recurses on its threads' stacks: it needs ulimit -s " +
                         std::to_string(needed_kib) + " or more");
  }

  text_option name_{*this, "--tree", "T1", "a published tree: T1, T2, T3, T4, T5, T1L, T2L, T3L, T1XL"};
  maybe_option<std::string> kind_{*this, "--type", "instead of the tree's own: binomial, geometric or hybrid (-t)"};
  maybe_option<std::string> shape_{*this, "--shape", "instead of the tree's own: linear, expdec, cyclic or fixed (-a)"};
  maybe_option<std::int64_t> depth_{*this, "--depth", "instead of the tree's own: depth of a geometric tree (-d)"};
  maybe_option<double> branching_{*this, "--branching", "instead of the tree's own: mean children of the root (-b)"};
  maybe_option<double> probability_{*this, "--probability",
                                    "instead of the tree's own: of a binomial node to have children (-q)"};
  maybe_option<std::int64_t> children_{*this, "--children",
                                       "instead of the tree's own: children of a binomial node (-m)"};
  maybe_option<double> shift_{*this, "--shift",
                              "instead of the tree's own: share of a hybrid tree's depth that is geometric (-f)"};
  maybe_option<std::int64_t> seed_{*this, "--seed", "instead of the tree's own: seed of the root (-r)"};
  choice_option<bool> spawns_{*this,
                              "--form",
                              "fork",
                              {"fork", "spawn"},
                              "fork: join of the node's child and its next siblings; spawn: a task per node"};
  choice_option<uts::choice> how_{
      *this, "--strategy", "by-depth", {"by-depth", "none"}, "by-depth or none: what is given with each spawned task"};
  uts::tree tree_;
  uts::tally right_;
  uts::tally result_;
};

}  // namespace

std::unique_ptr<app> make_uts() { return std::make_unique<uts_app>(); }

}  // namespace skua::apps
