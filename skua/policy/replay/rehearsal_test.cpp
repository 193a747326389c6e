// SPDX-License-Identifier: MIT
#include "skua/policy/replay/rehearsal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay { namespace {

constexpr std::uint64_t price = rehearsal::price;

/// Pieces by hand. Groups of one parent must be added one after the other.
struct plan {
  std::vector<piece> pieces;
  std::vector<piece_group> groups;
  std::uint32_t root_groups = 0;

  /// Of the root (no_piece) or of a piece: one more group, with a piece for each (worker, ns).
  void group(std::uint32_t parent, std::vector<std::pair<std::uint32_t, std::uint64_t>> const& children,
             std::uint32_t inside = no_group) {
    if (parent == no_piece) {
      ++root_groups;
    } else {
      piece& p = pieces[parent];
      p.status = piece::state::opened;
      if (p.groups++ == 0) p.first_group = static_cast<std::uint32_t>(groups.size());
    }
    groups.push_back({.first = static_cast<std::uint32_t>(pieces.size()),
                      .pieces = static_cast<std::uint32_t>(children.size()),
                      .parent = parent,
                      .inside = inside});
    for (auto const& [worker, ns] : children) {
      pieces.push_back({.owner = worker, .ns = ns, .weight = ns, .assigned = worker, .parent = parent});
      pieces.back().group = static_cast<std::uint32_t>(groups.size() - 1);
      pieces.back().status = piece::state::whole;
    }
  }
  [[nodiscard]] std::uint64_t time(std::uint32_t workers) const {
    return rehearsal(workers, pieces.size()).time_of(pieces, groups, root_groups);
  }
};

TEST(rehearsal, pieces_of_one_worker_run_one_after_the_other_and_those_of_two_side_by_side) {
  plan alone;
  alone.group(no_piece, {{0, 1000}, {0, 2000}, {0, 3000}});
  EXPECT_EQ(alone.time(1), 6000 + 5 * price) << "the root before and after them";
  plan shared;
  shared.group(no_piece, {{0, 1000}, {1, 2000}, {0, 3000}});
  EXPECT_EQ(shared.time(2), 4000 + 4 * price);
}

TEST(rehearsal, groups_of_a_task_wait_for_each_other) {
  plan p;
  p.group(no_piece, {{0, 1000}, {1, 2000}});
  p.group(no_piece, {{0, 2000}, {1, 1000}});
  EXPECT_EQ(p.time(2), 4000 + 5 * price);
}

TEST(rehearsal, a_group_that_is_met_in_a_called_child_does_not_wait_for_the_one_around_it) {
  plan p;
  p.group(no_piece, {{1, 5000}});
  p.group(no_piece, {{0, 5000}}, 0);
  EXPECT_EQ(p.time(2), 5000 + 3 * price);
  p.group(no_piece, {{1, 1000}});  // after both
  EXPECT_EQ(p.time(2), 6000 + 5 * price);
}

TEST(rehearsal, what_a_piece_runs_itself_it_runs_after_it_has_sent_the_rest) {
  plan p;
  p.group(no_piece, {{1, 5000}});
  p.group(0, {{0, 3000}});
  EXPECT_EQ(p.time(2), 5000 + 3 * price);
}

TEST(rehearsal, what_a_piece_sends_waits_behind_what_its_worker_was_sent_before) {
  plan p;
  p.group(no_piece, {{1, 1000}, {0, 9000}});
  p.group(0, {{0, 500}, {1, 500}});
  // Worker 1 sends one of them, and waits until worker 0 has run 9000 and then that.
  EXPECT_EQ(p.time(2), (9000 + price) + (500 + price) + 3 * price);
}

/// Groups and pieces by chance. `nests`: some groups are met while one before them is open.
plan random_plan(runtime::dice& roll, std::uint32_t workers, bool nests) {
  plan p;
  auto const some = [&] {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> children(1 + roll.below(4));
    for (auto& [worker, ns] : children) {
      worker = roll.below(workers);
      ns = 12 * roll.below(1000);
    }
    return children;
  };
  auto const add = [&](std::uint32_t parent, std::uint32_t groups) {
    std::vector<std::uint32_t> open;  // of this parent
    for (; groups > 0; --groups) {
      while (!open.empty() && (!nests || roll.below(2) == 0)) open.pop_back();
      std::uint32_t const inside = open.empty() ? no_group : open.back();
      open.push_back(static_cast<std::uint32_t>(p.groups.size()));
      p.group(parent, some(), inside);
    }
  };
  add(no_piece, 1 + roll.below(3));
  for (std::uint32_t parent = 0; parent < p.pieces.size() && p.pieces.size() < 100; ++parent)
    add(parent, roll.below(4));
  return p;
}

/// The rules in another way: what each piece still has to do, and an agenda. Of several ends at one time, chance says which comes first.
class naive_rehearsal {
 public:
  naive_rehearsal(plan const& p, std::uint32_t workers, std::uint64_t seed)
      : p_(p), roll_(seed), root_(static_cast<std::uint32_t>(p.pieces.size())), tasks_(root_ + 1), lanes_(workers),
        left_(p.groups.size()) {
    for (std::uint32_t g = 0; g < p.groups.size(); ++g) {
      left_[g] = p.groups[g].pieces;
      tasks_[of(p.groups[g].parent)].groups.push_back(g);
    }
  }

  std::uint64_t time() {
    lanes_[0].resumed.push_back(root_);
    begin(0);
    std::uint64_t now = 0;
    while (!agenda_.empty()) {
      auto const ties = static_cast<std::uint32_t>(agenda_.count(agenda_.begin()->first));
      auto const at = std::next(agenda_.begin(), roll_.below(ties));
      now = now_ = at->first;
      std::uint32_t const worker = at->second;
      agenda_.erase(at);
      goes_on(worker);
    }
    return now;
  }

 private:
  struct task {
    std::vector<std::uint32_t> groups;  ///< all of them
    std::size_t met = 0;
    std::vector<std::uint32_t> open;
    bool waits = false;
  };
  struct lane_pair {
    std::deque<std::uint32_t> resumed;
    std::deque<std::uint32_t> sent;
    std::optional<std::uint32_t> runs;
  };

  [[nodiscard]] std::uint32_t of(std::uint32_t parent) const { return parent == no_piece ? root_ : parent; }
  [[nodiscard]] std::uint32_t worker_of(std::uint32_t t) const { return t == root_ ? 0 : p_.pieces[t].worker(); }

  /// An idle worker takes what is resumed before what is sent.
  void begin(std::uint32_t worker) {
    lane_pair& mine = lanes_[worker];
    auto& from = mine.resumed.empty() ? mine.sent : mine.resumed;
    if (mine.runs || from.empty()) return;
    mine.runs = from.front();
    from.pop_front();
    bool const is_leaf = mine.runs != root_ && tasks_[*mine.runs].groups.empty();
    agenda_.emplace(now_ + price + (is_leaf ? p_.pieces[*mine.runs].weight : 0), worker);
  }

  /// May it turn to what comes next? Leaves the groups that have ended before that.
  bool leaves_groups(task& t) {
    std::uint32_t const inside = t.met < t.groups.size() ? p_.groups[t.groups[t.met]].inside : no_group;
    while (!t.open.empty() && t.open.back() != inside) {
      if (left_[t.open.back()] > 0) return false;
      t.open.pop_back();
    }
    return true;
  }

  void goes_on(std::uint32_t worker) {
    std::uint32_t const number = *lanes_[worker].runs;
    task& t = tasks_[number];
    t.waits = !leaves_groups(t);
    if (!t.waits && t.met < t.groups.size()) {
      std::uint32_t const g = t.groups[t.met++];
      t.open.push_back(g);
      for (std::uint32_t const c : p_.groups[g].members()) {
        lanes_[worker_of(c)].sent.push_back(c);
        begin(worker_of(c));
      }
      agenda_.emplace(now_ + (number == root_ ? 0 : p_.pieces[number].ns / t.groups.size()), worker);
      return;
    }
    lanes_[worker].runs.reset();
    if (!t.waits && number != root_) ended(number);
    begin(worker);
  }

  void ended(std::uint32_t number) {
    std::uint32_t const group = p_.pieces[number].group;
    --left_[group];
    std::uint32_t const parent = of(p_.groups[group].parent);
    task& t = tasks_[parent];
    if (!t.waits || !leaves_groups(t)) return;
    t.waits = false;
    lanes_[worker_of(parent)].resumed.push_back(parent);
    if (worker_of(parent) != worker_of(number)) begin(worker_of(parent));
  }

  plan const& p_;
  runtime::dice roll_;
  std::uint32_t const root_;
  std::vector<task> tasks_;
  std::vector<lane_pair> lanes_;
  std::vector<std::uint32_t> left_;
  std::multimap<std::uint64_t, std::uint32_t> agenda_;
  std::uint64_t now_ = 0;
};

TEST(rehearsal, of_random_plans_takes_exactly_as_long_as_the_rules_say) {
  std::uint32_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    runtime::dice roll(seed);
    std::uint32_t const workers = 1 + roll.below(6);
    plan const p = random_plan(roll, workers, true);
    std::set<std::uint64_t> times;
    for (std::uint64_t order = 0; order < 16; ++order) times.insert(naive_rehearsal(p, workers, order).time());
    if (times.size() > 1) continue;  // it matters which of two ends comes first
    std::uint64_t const time = *times.begin();
    rehearsal r(workers, p.pieces.size() + roll.below(3));
    ++compared;
    ASSERT_EQ(r.time_of(p.pieces, p.groups, p.root_groups), time) << "seed " << seed;
    ASSERT_EQ(r.time_of(p.pieces, p.groups, p.root_groups), time) << "seed " << seed << ", the second time";
  }
  EXPECT_GT(compared, 150U);
}

TEST(rehearsal, of_random_plans_takes_as_long_as_the_busiest_worker_at_least_and_as_all_in_a_row_at_most) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    runtime::dice roll(seed);
    std::uint32_t const workers = 1 + roll.below(6);
    plan const p = random_plan(roll, workers, false);
    std::vector<std::uint64_t> loads(workers);
    std::uint64_t all = 0;
    std::uint64_t segments = 1 + p.root_groups;
    for (piece const& each : p.pieces) {
      std::uint64_t const ns = each.groups > 0 ? each.ns / each.groups * each.groups : each.ns;
      loads[each.worker()] += ns;
      all += ns;
      segments += 1 + each.groups;
    }
    std::uint64_t const time = p.time(workers);
    EXPECT_GE(time, std::ranges::max(loads)) << "seed " << seed;
    EXPECT_LE(time, all + segments * price) << "seed " << seed;
    if (workers == 1) {
      EXPECT_EQ(time, all + segments * price) << "seed " << seed;
    }
  }
}

}}}}}  // namespace skua::v0::policies::replay
