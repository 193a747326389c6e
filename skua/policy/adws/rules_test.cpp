// SPDX-License-Identifier: MIT
// The rules of README.md in another way: groups in plain stacks, every candidate looked at. Whatever a machine asks ADWS in random
// programs, the answer is the one of these rules; where chance decides, it is one that they allow.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "skua/policy/adws/adws.hpp"
#include "skua/policy/replay/iterated_for_test.hpp"
#include "skua/policy/replay/stage_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace adws { namespace {

constexpr std::uint32_t never_active = std::numeric_limits<std::uint32_t>::max();

/// A group, with those that share its node.
struct open_node {
  range where;
  group_id parent;
  std::uint32_t active_from = never_active;  ///< the lowest level that is active
};

class rules {
 public:
  rules(std::uint32_t n, adws_options const& chosen) : workers(n), options(chosen), of(n), stacks(n) {}

  struct worker_state {
    bool divides = false;
    bool searches = false;
    group_id in{};
    double remaining = 0;
    bool alike = false;
  };

  [[nodiscard]] open_node* node_of(node_id id) {
    if (id == none || id % 64 >= stacks[id / 64].size()) return nullptr;
    return &stacks[id / 64][id % 64];
  }
  group_id open(std::uint32_t owner, range const& r, group_id parent) {
    auto const depth = static_cast<node_id>(stacks[owner].size());
    stacks[owner].push_back({r, parent});
    ++changes;
    return {.node = owner * 64 + depth};
  }
  /// A group that is met inside of another one.
  group_id nest(std::uint32_t owner, range const& r, group_id parent) {
    bool const is_top = !stacks[owner].empty() && parent.node == owner * 64 + stacks[owner].size() - 1;
    if (is_top && r.left - r.right > 0.75 * (unpacked(packed(stacks[owner].back().where)).width()))
      return {.node = parent.node, .level = parent.level + 1};
    return open(owner, r, parent);
  }
  void activate(group_id g) {
    open_node* const n = node_of(g.node);
    if (!options.steal || n == nullptr) return;
    n->active_from = std::min(n->active_from, g.level);
    ++changes;
  }
  void deactivate(group_id g) {
    open_node* const n = node_of(g.node);
    if (n != nullptr && n->active_from >= g.level) n->active_from = never_active;
    ++changes;
  }
  void close(group_id g) {
    if (g.node == none) return;
    if (g.level > 0) return deactivate(g);
    EXPECT_EQ(g.node % 64 + 1, stacks[g.node / 64].size()) << "the youngest of its owner";
    stacks[g.node / 64].pop_back();
    ++changes;
  }
  /// A group that this one is in, or it, is active.
  [[nodiscard]] bool is_active(group_id g) {
    for (open_node* n = node_of(g.node); n != nullptr; n = node_of(g.node)) {
      if (n->active_from <= g.level) return true;
      g = n->parent;
    }
    return false;
  }
  [[nodiscard]] bool is_inside(node_id id, node_id of_node) {
    while (id != none && id != of_node) {
      open_node* const n = node_of(id);
      id = n == nullptr ? none : n->parent.node;
    }
    return id != none;
  }
  void end_search(std::uint32_t w) {
    if (of[w].divides) activate(of[w].in);
    of[w].searches = of[w].divides = false;
  }
  [[nodiscard]] bool may_be_taken_outside(tag_fields const& c) { return !c.is_root && is_active(c.group); }

  struct candidate {
    node_id id;
    range where;
  };
  /// Of the active groups with several workers, among them this one: those that are in no other.
  [[nodiscard]] std::vector<candidate> topmost(std::uint32_t w) {
    std::vector<candidate> all;
    for (std::uint32_t owner = 0; owner < workers; ++owner) {
      for (node_id depth = 0; depth < stacks[owner].size(); ++depth) {
        open_node const& n = stacks[owner][depth];
        range const r = unpacked(packed(n.where));
        if (n.active_from != never_active && r.spans() && r.covers(w)) all.push_back({owner * 64 + depth, r});
      }
    }
    auto const is_in_another = [&](candidate const& c) {
      return std::ranges::any_of(all, [&](candidate const& d) { return d.id != c.id && is_inside(c.id, d.id); });
    };
    std::vector<candidate> top;
    std::ranges::copy_if(all, std::back_inserter(top), [&](candidate const& c) { return !is_in_another(c); });
    return top;
  }
  /// Adds the groups around these.
  void widen(std::vector<candidate>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      open_node* const n = node_of(all[i].id);
      open_node* const around = n == nullptr ? nullptr : node_of(n->parent.node);
      if (around != nullptr) all.push_back({n->parent.node, unpacked(packed(around->where))});
    }
  }
  /// The groups with several workers, among them this one.
  [[nodiscard]] std::vector<candidate> open_around(std::uint32_t w) {
    std::vector<candidate> all;
    for (std::uint32_t owner = 0; owner < workers; ++owner) {
      for (node_id depth = 0; depth < stacks[owner].size(); ++depth) {
        range const r = unpacked(packed(stacks[owner][depth].where));
        if (r.spans() && r.covers(w)) all.push_back({owner * 64 + depth, r});
      }
    }
    return all;
  }

  std::uint32_t const workers;
  adws_options const options;
  std::vector<worker_state> of;
  std::vector<std::vector<open_node>> stacks;  ///< by owner
  bool has_root = false;
  std::uint32_t free_tasks = 0;
  std::uint64_t waiting_root = 0;  ///< its first word, if another worker has sent it to worker 0
  std::uint64_t changes = 0;       ///< of the groups
  std::uint64_t compared = 0;      ///< decisions about victims
  std::uint64_t whole_rounds = 0;
  std::uint64_t greedy = 0;  ///< searches in groups that are not active
};

/// Asks the policy and the rules.
class both final : public worker_policy {
 public:
  both(worker_policy& inner, rules& by, std::uint32_t self, std::uint64_t seed)
      : inner_(inner), by_(by), self_(self), me_(by.of[self]), roll_(seed + 77 * self) {}

  task_tag meet(task_tag& task, double, std::uint64_t n) noexcept override {
    // Works that need not be the children's.
    double const total = roll_.below(3) == 0 ? 0 : roll_.unit() * static_cast<double>(n);
    task_tag const group = inner_.meet(task, total, n);
    tag_fields c = tag_fields::read(task);
    me_.alike = !(total > 0);
    me_.remaining = me_.alike ? static_cast<double>(n) : total;
    me_.searches = true;
    if (c.is_root) by_.deactivate(c.group);
    if (c.is_search_root()) {
      c.group = c.is_root ? by_.open(self_, c.range, c.group) : by_.nest(self_, c.range, c.group);
      me_.in = c.group;
    }
    c.is_root = c.is_outside = false;
    EXPECT_EQ(group, c.written());
    if (n == 0) by_.end_search(self_);
    return expect_same(group);
  }
  task_tag mark(task_tag& parent, hint const&) noexcept override {
    if (std::exchange(took_unmarked_, false)) parent = {{parent.words[0]}};  // all that a thief sees
    double const mine = roll_.below(4) == 0 ? 0 : roll_.unit();
    tag_fields rest = tag_fields::read(parent);
    task_tag const before = parent;
    task_tag const child = inner_.mark(parent, as_hint(work{mine}));
    if (!me_.searches) {
      EXPECT_EQ(child, before);
      EXPECT_EQ(parent, before);
      return child;
    }
    tag_fields wanted = rest;
    double const all = me_.remaining;
    me_.remaining -= me_.alike ? 1 : work_of(as_hint(work{mine}));
    if (rest.is_search_root()) wanted.range.right = rest.range.left = cut(rest.range, all - me_.remaining, all);
    EXPECT_EQ(child, wanted.written());
    EXPECT_EQ(parent, rest.written());
    return expect_same(child);
  }
  placement place(task_tag& task, cause why) noexcept override {
    tag_fields c = tag_fields::read(task);
    placement wanted{.worker = worker_id{self_}, .lane = lane::inbox};
    switch (why) {
      case cause::forked: {
        std::uint32_t const owner = c.range.owner();
        bool const stays = !me_.searches || c.is_fixed || c.is_free || owner == self_;
        wanted.lane = stays ? lane::local : c.range.spans() ? lane::mailbox : lane::migrated;
        if (!stays) wanted.worker = worker_id{owner};
        break;
      }
      case cause::injected:
        c = {.range = {.right = 0, .left = static_cast<double>(by_.workers)}, .is_outside = true};
        if (by_.has_root) {
          c.is_free = true;
          ++by_.free_tasks;
        } else {
          by_.has_root = c.is_root = true;
          c.group = by_.open(0, c.range, {});
          wanted = {.worker = worker_id{0}, .lane = lane::mailbox};
          if (self_ != 0) by_.waiting_root = c.written().words[0];
        }
        break;
      case cause::stolen:
        if (!c.is_root) break;  // else worker 0 did not come for it
        EXPECT_EQ(std::exchange(by_.waiting_root, 0), task.words[0]);
        by_.close(c.group);
        by_.has_root = c.is_root = false;
        c.is_free = true;
        ++by_.free_tasks;
        break;
      case cause::resumed:
        if (!c.is_search_root()) break;
        if (by_.may_be_taken_outside(c)) {
          c.is_fixed = true;
        } else if (c.range.owner() != self_) {
          wanted = {.worker = worker_id{c.range.owner()}, .lane = lane::mailbox};
        }
        break;
      default: break;
    }
    bool const knows_all = task.words[3] != 0 || why == cause::injected;
    task_tag const asked = task;
    EXPECT_EQ(inner_.place(task, why), wanted);
    EXPECT_EQ(task, knows_all ? c.written() : asked) << static_cast<int>(why);
    expect_same(task);
    return wanted;
  }
  void leave(task_tag const& task, task_tag const& group) noexcept override {
    inner_.leave(task, group);
    tag_fields const c = tag_fields::read(task);
    group_id const opened = tag_fields::read(group).group;
    if (opened != c.group) by_.close(opened);
    me_ = {.divides = c.is_search_root() && c.range.owner() == self_ && !by_.may_be_taken_outside(c), .in = c.group};
    expect_same(task);
  }
  probe next_probe() noexcept override {
    probe const p = inner_.next_probe();
    // Nothing but a root is stolen from a mailbox, and who looks for that looks into the other lanes as well.
    fetches_ = p.kind == action::steal && (p.lane == lane::mailbox || fetches_);
    in_mailbox_ = p.kind == action::steal && p.lane == lane::mailbox;
    // While nothing has been placed, a victim is tried from `forks` on. Own lanes come between two victims.
    if (p.kind == action::steal && !stole_before_ && is_new_ && !fetches_) look_at_victim(p);
    if (p.kind == action::rest) end_round();
    is_new_ = false;
    return p;
  }
  void learn(event const& seen) noexcept override {
    inner_.learn(seen);
    if (auto const* p = std::get_if<probed>(&seen)) {
      is_new_ = true;
      stole_before_ = p->probe.kind == action::steal;
      candidates_ = by_.topmost(self_);
      if (empty_rounds_ >= 199 && by_.options.widen != widening::never) {
        // It may not have found the active ones yet.
        std::ranges::copy(by_.open_around(self_), std::back_inserter(candidates_));
        ++by_.greedy;
      }
      if (by_.options.widen != widening::never) by_.widen(candidates_);
      had_free_tasks_ = by_.free_tasks > 0;
      bool const has_got = p->outcome == runtime::outcome::got;
      took_unmarked_ = has_got && p->probe.kind == action::steal && p->probe.lane == lane::forks;
      if (has_got) begin_rounds();
      bool const is_own = p->probe.kind == action::pop;
      if (has_got && is_own && (p->probe.lane == lane::mailbox || p->probe.lane == lane::migrated))
        empty_rounds_ = 0;
      else if (has_got)
        ++empty_rounds_;
    } else if (auto const* b = std::get_if<begun>(&seen)) {
      tag_fields const c = tag_fields::read(b->task);
      if (c.is_root) by_.waiting_root = 0;
      me_ = {.divides = !b->open && c.is_search_root() && c.range.owner() == self_, .in = c.group};
    } else if (auto const* r = std::get_if<returned>(&seen)) {
      ended_here(tag_fields::read(r->child));
    } else if (std::holds_alternative<waiting>(seen)) {
      by_.end_search(self_);
    } else if (auto const* e = std::get_if<ended>(&seen)) {
      tag_fields const c = tag_fields::read(e->task);
      if (!c.is_outside) {
        ended_here(c);
      } else {
        me_.searches = me_.divides = false;
        if (c.is_root) by_.close(c.group);
        (c.is_root ? by_.has_root : forget_) = false;
        by_.free_tasks -= c.is_root ? 0 : 1;
      }
    }
    EXPECT_EQ(inner_.sees_forks(), me_.divides);
  }
  [[nodiscard]] bool sees_forks() const noexcept override { return inner_.sees_forks(); }
  [[nodiscard]] bool preempts() const noexcept override { return inner_.preempts(); }
  [[nodiscard]] bool is_choosy() const noexcept override { return inner_.is_choosy(); }
  [[nodiscard]] bool admits(std::uint64_t first_word) const noexcept override {
    bool const yes = inner_.admits(first_word);
    if (fetches_ && !in_mailbox_) return yes;
    if (first_word == everybody || fetches_) {
      EXPECT_EQ(yes, first_word == everybody || first_word == by_.waiting_root);
    } else if (yes || !had_free_tasks_at_victim_) {
      std::uint32_t allow = 0;
      for (rules::candidate const& c : of_victim_) allow += by_.is_inside(node_of(first_word), c.id) ? 1 : 0;
      EXPECT_TRUE(allow > 0 || !yes) << "what it takes belongs to its range";
      // The groups may have changed since it chose; then it may know more than a moment ago.
      EXPECT_TRUE(allow < of_victim_.size() || of_victim_.empty() || yes) << "what belongs to its range is admitted";
    }
    return yes;
  }

 private:
  task_tag expect_same(task_tag const& t) {
    EXPECT_EQ(inner_.sees_forks(), me_.divides);
    return t;
  }
  void ended_here(tag_fields const& c) {
    by_.end_search(self_);
    if (c.is_search_root()) by_.activate(c.group);
  }
  /// The groups in whose range the victim is.
  void look_at_victim(probe const& p) {
    std::uint32_t const whom = index(p.victim);
    EXPECT_NE(whom, self_);
    EXPECT_TRUE(by_.options.steal);
    ++victims_;
    ++by_.compared;
    of_victim_.clear();
    had_free_tasks_at_victim_ = had_free_tasks_;
    std::ranges::copy_if(candidates_, std::back_inserter(of_victim_),
                         [&](rules::candidate const& c) { return c.where.covers(whom); });
    EXPECT_TRUE(!of_victim_.empty() || had_free_tasks_) << "worker " << self_ << " tries worker " << whom;
  }
  /// If nothing has changed for long enough that it knows its only range, it has tried as many victims as there are others.
  void end_round() {
    ++empty_rounds_;
    bool const is_known = candidates_.size() == 1 && !had_free_tasks_ && by_.changes == seen_changes_;
    rounds_ = is_known ? rounds_ + 1 : 0;
    if (rounds_ > by_.workers + 2 && by_.options.widen == widening::never) {
      range const& r = candidates_.front().where;
      EXPECT_EQ(victims_, r.leftmost() - r.owner()) << "worker " << self_;
      ++by_.whole_rounds;
    }
    bool const is_idle = candidates_.empty() && !had_free_tasks_ && by_.changes == seen_changes_;
    EXPECT_TRUE(!is_idle || victims_ == 0 || empty_rounds_ >= 199);
    begin_rounds();
  }
  void begin_rounds() {
    victims_ = 0;
    if (by_.changes != seen_changes_) rounds_ = 0;
    seen_changes_ = by_.changes;
  }

  worker_policy& inner_;
  rules& by_;
  std::uint32_t const self_;
  rules::worker_state& me_;
  runtime::dice roll_;
  bool is_new_ = true;
  bool fetches_ = false;
  bool stole_before_ = false;  ///< the last probe was of a victim
  bool in_mailbox_ = false;
  bool forget_ = false;
  bool took_unmarked_ = false;
  std::vector<rules::candidate> candidates_;
  std::vector<rules::candidate> of_victim_;
  bool had_free_tasks_ = false;
  bool had_free_tasks_at_victim_ = false;
  std::uint32_t victims_ = 0;       ///< in this round
  std::uint32_t rounds_ = 0;        ///< since something has changed
  std::uint32_t empty_rounds_ = 0;  ///< since the last task that was sent here
  std::uint64_t seen_changes_ = 0;
};

class watched_adws final : public policy {
 public:
  watched_adws(std::uint32_t workers, std::uint64_t seed, adws_options const& chosen)
      : inner_(layout::flat(workers), seed, chosen), by(workers, chosen) {
    for (std::uint32_t w = 0; w < workers; ++w)
      all_.push_back(std::make_unique<both>(inner_.of_worker(worker_id{w}), by, w, seed));
  }
  [[nodiscard]] std::string_view name() const noexcept override { return "watched"; }
  [[nodiscard]] policy_needs needs() const noexcept override { return inner_.needs(); }
  worker_policy& of_worker(worker_id w) noexcept override { return *all_[index(w)]; }

 private:
  almost_deterministic inner_;
  std::vector<std::unique_ptr<both>> all_;

 public:
  rules by;
};

TEST(adws_rules, are_what_it_decides_by_in_random_programs) {
  constexpr adws_options choices[] = {{.widen = widening::never, .delays_steals = false},
                                      {.widen = widening::always, .delays_steals = false},
                                      {},
                                      {.steal = false}};
  std::uint64_t compared = 0;
  std::uint64_t whole_rounds = 0;
  std::uint64_t greedy = 0;
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    runtime::dice roll(seed);
    std::uint32_t const workers = 1 + roll.below(9);
    watched_adws p(workers, seed, choices[seed % 4]);
    stage s(p, workers, seed);
    std::vector<script_tree> programs;
    for (std::uint32_t roots = 1 + roll.below(2); roots > 0; --roots) {
      programs.push_back(iterated(roll.next(), 1 + roll.below(3), 1, 4));
      for (script_node& n : programs.back()) {
        if (roll.below(40) == 0) n.steps = 3000;  // time for others to find out that there is nothing
      }
    }
    for (script_tree const& t : programs) s.bring(t);
    ASSERT_TRUE(s.run());
    for (auto const& stack : p.by.stacks) ASSERT_TRUE(stack.empty()) << "all groups are closed";
    EXPECT_FALSE(p.by.has_root);
    EXPECT_EQ(p.by.free_tasks, 0U);
    if (::testing::Test::HasFailure()) return;
    compared += p.by.compared;
    whole_rounds += p.by.whole_rounds;
    greedy += p.by.greedy;
  }
  EXPECT_GT(compared, 10'000U);
  EXPECT_GT(whole_rounds, 100U);
  EXPECT_GT(greedy, 100U);
}

}}}}}  // namespace skua::v0::policies::adws
