// SPDX-License-Identifier: MIT
// The app uts.
#include <sys/resource.h>

#include <array>
#include <optional>
#include <string_view>

#include "apps/checks.hpp"
#include "apps/program_app.hpp"
#include "apps/uts/over_ranks.hpp"
#include "apps/uts/problem.hpp"
#include "apps/uts/spawned.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps {
namespace {

constexpr std::array<std::string_view, 2> forms{"fork", "spawn"};
constexpr std::array<std::string_view, 2> uts_strategies{"by-depth", "none"};

class uts_app final : public program_app<uts_app>, public openmp_twin, public tbb_twin, public ranks_program {
 public:
  [[nodiscard]] std::string_view name() const override { return "uts"; }
  [[nodiscard]] std::string_view about() const override {
    return "Unbalanced Tree Search: counts a tree that cannot be divided evenly in advance (LCPC 2006; strategies, "
           "retentive)";
  }

  [[nodiscard]] std::vector<option> options() override {
    return {
        {"--tree", &name_, "a published tree: T1, T2, T3, T4, T5, T1L, T2L, T3L, T1XL"},
        {"--type", &own_.kind, "instead of the tree's own: binomial, geometric or hybrid (-t)"},
        {"--shape", &own_.shape, "instead of the tree's own: linear, expdec, cyclic or fixed (-a)"},
        {"--depth", &own_.depth, "instead of the tree's own: depth of a geometric tree (-d)"},
        {"--branching", &own_.branching, "instead of the tree's own: mean children of the root (-b)"},
        {"--probability", &own_.probability, "instead of the tree's own: of a binomial node to have children (-q)"},
        {"--children", &own_.children, "instead of the tree's own: children of a binomial node (-m)"},
        {"--shift", &own_.shift, "instead of the tree's own: share of a hybrid tree's depth that is geometric (-f)"},
        {"--seed", &own_.seed, "instead of the tree's own: seed of the root (-r)"},
        {"--form", &form_, one_of(forms),
         "fork: join of the node's child and its next siblings; spawn: a task per node"},
        {"--strategy", &strategy_, one_of(uts_strategies), "by-depth or none: the strategy of each spawned task"},
    };
  }

  void prepare() override {
    require_allowed(name(), options());
    how_ = meaning_of<uts::choice>(strategy_, uts_strategies);
    auto const& known = uts::published(name_);
    tree_ = known.parameters;
    if (own_.replace_in(tree_)) {
      tree_.validate();
      right_ = uts::survey(tree_);
    } else {
      right_ = known.counts;
    }
  }
  void reset() override { result_.reset(); }

  /// Which spawns are calls does.
  [[nodiscard]] bool depends_on_schedule() const override { return spawns(); }

  void run_openmp(unsigned workers) override {
    require_stack("OpenMP");
    result_ = uts::with_openmp(workers, tree_);
  }
  void run_tbb(unsigned workers) override {
    require_stack("oneTBB");
    result_ = uts::with_tbb(tbb_workers_, workers, tree_);
  }

  void run_on_ranks(communicator& world, ranks_plan const& plan) override {
    result_ = uts::over_ranks(world, tree_, plan);
  }

  [[nodiscard]] std::string wrong() override {
    if (!result_) return "uts: no run yet";
    if (*result_ == right_) return {};
    return "uts: got " + in_words(*result_) + "; right is " + in_words(right_);
  }
  [[nodiscard]] json_value facts() const override {
    json_value known{{"tree", own_.any() ? "own" : name_}, {"form", form_}};
    if (result_) {
      known["nodes"] = result_->nodes;
      known["leaves"] = result_->leaves;
      known["depth"] = result_->depth;
    }
    return known;
  }

  template <has_finish Here>
  void program(Here& here, std::uint32_t) {
    result_ = spawns() ? uts::spawned(here, tree_, how_) : uts::program(here, tree_);
  }

 private:
  [[nodiscard]] bool spawns() const noexcept { return form_ == forms[1]; }

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

  /// The parameters that the user gave one by one.
  struct replacements {
    std::optional<std::string> kind;
    std::optional<std::string> shape;
    std::optional<std::int64_t> depth;
    std::optional<double> branching;
    std::optional<double> probability;
    std::optional<std::int64_t> children;
    std::optional<double> shift;
    std::optional<std::int64_t> seed;

    [[nodiscard]] bool any() const noexcept {
      return kind || shape || depth || branching || probability || children || shift || seed;
    }
    bool replace_in(uts::tree& t) const {
      if (kind) t.kind = uts::family_named(*kind);
      if (shape) t.shape = uts::outline_named(*shape);
      t.depth = depth.value_or(t.depth);
      t.branching = branching.value_or(t.branching);
      t.probability = probability.value_or(t.probability);
      t.children = children.value_or(t.children);
      t.shift = shift.value_or(t.shift);
      t.seed = seed.value_or(t.seed);
      return any();
    }
  };

  std::string name_ = "T1";
  replacements own_;
  std::string form_ = "fork";
  std::string strategy_ = "by-depth";
  uts::choice how_ = uts::choice::by_depth;
  uts::tree tree_;
  uts::tally right_;
  std::optional<uts::tally> result_;
  tbb_workers tbb_workers_;
};

}  // namespace

std::unique_ptr<app> make_uts() { return std::make_unique<uts_app>(); }

}  // namespace skua::apps
