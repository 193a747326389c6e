// SPDX-License-Identifier: MIT
// A machine with messages needs nothing but the steps: here every node of the tree lives alone, messages arrive in any
// order, and the plan is the one that `hierarchical` makes for all ranks at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "skua/policy/balance/balance_tree.hpp"
#include "skua/policy/balance/donors.hpp"
#include "skua/policy/balance/hierarchical.hpp"
#include "skua/policy/balance/loads_for_test.hpp"
#include "skua/policy/balance/tree_node.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance { namespace {

using node = balance_tree::node;

/// From a child: its position, its subtree and what it passes up. From the parent: no subtree, and what is for this node.
struct message {
  node to;
  std::uint32_t position = 0;
  std::optional<subtree> child;
  std::vector<donated_task> tasks;
};

/// What one internal node knows before it has heard from all of its children, and after.
struct waiting {
  std::vector<subtree> children;
  std::vector<std::vector<donated_task>> pools;
  std::uint32_t heard = 0;
  std::optional<tree_node> filled;
};

class network {
 public:
  network(machine_loads const& loads, std::uint32_t arity, std::uint64_t seed)
      : loads_(loads), tree_(static_cast<std::uint32_t>(loads.size()), arity), roll_(seed) {
    average_ = average_of(totals_of(loads));
  }

  std::vector<migration> run() {
    for (std::uint32_t rank = 0; rank < tree_.ranks(); ++rank) {
      load_database database = measured(loads_[rank], load_database::detail::exact);
      ranks_.push_back(donate(rank, database, average_, 1.003));
    }
    for (std::uint32_t i = 0; i < sweeps; ++i) {
      nodes_.clear();
      for (std::uint32_t rank = 0; rank < tree_.ranks(); ++rank) {
        donation& d = ranks_[rank];
        send_up({0, rank}, {d.kept, 1}, take_longer(d.tasks, sweep_limit(i, sweeps, average_)));
      }
      deliver_all();
    }
    std::ranges::sort(migrations_, {}, [](migration const& m) { return std::tuple(m.donor, m.task, m.receiver); });
    return migrations_;
  }

 private:
  static constexpr std::uint32_t sweeps = hierarchical_options{}.sweeps;

  void deliver_all() {
    while (!sent_.empty()) {
      std::swap(sent_[roll_.below(static_cast<std::uint32_t>(sent_.size()))], sent_.back());
      message const m = std::move(sent_.back());
      sent_.pop_back();
      m.child ? from_child(m) : from_parent(m);
    }
  }
  /// The root sends to itself what it would send up.
  void send_up(node from, subtree const& whole, std::vector<donated_task> tasks) {
    if (from == tree_.root()) return sent_.push_back({from, 0, {}, std::move(tasks)});
    sent_.push_back({tree_.parent(from), tree_.position(from), whole, std::move(tasks)});
  }
  void from_child(message const& m) {
    waiting& at = nodes_[{m.to.level, m.to.index}];
    std::uint32_t const children = tree_.children(m.to);
    at.children.resize(children);
    at.pools.resize(children);
    at.children[m.position] = *m.child;
    at.pools[m.position] = m.tasks;
    if (++at.heard < children) return;
    std::vector<donated_task> pool;
    for (auto const& p : at.pools) pool.insert(pool.end(), p.begin(), p.end());
    at.filled.emplace(at.children, fill_rule{1.003 * average_, true});
    std::vector<donated_task> left = at.filled->fill(std::move(pool));
    send_up(m.to, at.filled->whole(), std::move(left));
  }
  void from_parent(message const& m) {
    if (m.to.level == 0) {
      for (donated_task const& t : m.tasks) ranks_[m.to.index].kept = plus(ranks_[m.to.index].kept, t.load);
      return add_migrations(m.tasks, m.to.index, migrations_);
    }
    waiting& at = nodes_[{m.to.level, m.to.index}];
    ASSERT_TRUE(at.filled.has_value()) << "the parent hears from all before it answers";
    auto down = at.filled->spread(m.tasks);
    for (std::uint32_t c = 0; c < down.size(); ++c) sent_.push_back({tree_.child(m.to, c), 0, {}, std::move(down[c])});
  }

  machine_loads const& loads_;
  balance_tree tree_;
  runtime::dice roll_;
  double average_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, waiting> nodes_;
  std::vector<donation> ranks_;
  std::vector<message> sent_;
  std::vector<migration> migrations_;
};

TEST(messages, in_any_order_they_make_the_plan_of_the_whole_machine) {
  for (std::uint32_t const ranks : machine_sizes) {
    for (std::uint64_t seed = 0; seed < (ranks < 100 ? 20 : 2); ++seed) {
      for (std::uint32_t const arity : {2U, 3U, 7U}) {
        machine_loads const loads = random_loads(ranks, 12, 20, seed);
        std::vector<migration> whole = hierarchical(loads, {.arity = arity}).migrations;
        std::ranges::sort(whole, {}, [](migration const& m) { return std::tuple(m.donor, m.task, m.receiver); });
        EXPECT_EQ(network(loads, arity, seed).run(), whole) << ranks << " ranks, arity " << arity << ", seed " << seed;
      }
    }
  }
}

}}}}}  // namespace skua::v0::policies::balance
