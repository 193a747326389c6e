// SPDX-License-Identifier: MIT
// ARMS on a stage: workers that take turns, queues of tags, and teams; no thread. Work that all lies at one address.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "skua/policy/arms/arms.hpp"
#include "skua/policy/arms/example_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace {

using runtime::outcome;

/// In a turn each worker goes on with its task, or executes one probe. Only `migrated` and `inbox` are used.
class stage {
 public:
  stage(adaptive_moldable& by, std::uint32_t workers, std::function<std::uint32_t(std::uint16_t width)> turns)
      : by_(by), workers_(workers), turns_(std::move(turns)) {}

  void release(std::uint32_t from, hint const& h) {
    worker_policy& m = by_.of_worker(worker_id{from});
    task_tag root{};
    task_tag t = m.mark(root, h);
    placement const to = m.place(t, cause::released);
    EXPECT_EQ(to.lane, lane::migrated);
    workers_[index(to.worker)].migrated.push_back(t);
    ++unfinished_;
  }

  /// Until nothing is left; how many turns that took.
  std::uint64_t run() {
    std::uint64_t turns = 0;
    for (; unfinished_ > 0 && turns < 1'000'000; ++turns, ++now_) {
      for (std::uint32_t w = 0; w < workers_.size(); ++w) step(w);
    }
    EXPECT_EQ(unfinished_, 0);
    return turns;
  }
  /// Members that ran here.
  [[nodiscard]] std::uint64_t ran(std::uint32_t w) const { return workers_[w].ran; }

 private:
  struct member {
    task_tag tag;
    std::uint16_t width;
    bool leads;
    std::uint64_t placed;                 ///< the turn
    std::shared_ptr<std::uint32_t> left;  ///< members that have not ended
  };
  static constexpr std::uint64_t turn_ns = 100;
  struct one_worker {
    std::deque<task_tag> migrated;
    std::deque<member> inbox;
    std::optional<member> running;
    std::uint64_t since = 0;
    std::uint64_t ran = 0;
  };

  void step(std::uint32_t w) {
    one_worker& me = workers_[w];
    worker_policy& m = by_.of_worker(worker_id{w});
    if (!me.running) return search(w, m);
    if (++me.since < turns_(me.running->width)) return;
    if (me.running->leads) --unfinished_;
    if (--*me.running->left == 0 && me.running->width > 1)
      m.learn(team_ended{.task = me.running->tag, .duration_ns = turn_ns * (now_ - me.running->placed)});
    m.learn(ended{.task = me.running->tag, .duration_ns = turn_ns * me.since});
    me.running.reset();
  }

  void search(std::uint32_t w, worker_policy& m) {
    probe const p = m.next_probe();
    if (p.kind == action::rest) return;
    one_worker& me = workers_[w];
    if (p.lane == lane::inbox && !me.inbox.empty()) {
      member const found = me.inbox.front();
      me.inbox.pop_front();
      m.learn(probed{p, outcome::got});
      return begin(w, found);
    }
    std::optional<task_tag> const found = p.lane == lane::migrated ? take(p, m) : std::nullopt;
    bool const is_barred = !found && p.lane == lane::migrated && !workers_[index(p.victim)].migrated.empty();
    m.learn(probed{p, found ? outcome::got : is_barred ? outcome::barred : outcome::empty});
    if (!found) return;
    task_tag t = *found;
    placement const to = m.place(t, p.kind == action::pop ? cause::chosen : cause::stolen);
    EXPECT_EQ(to.lane, lane::inbox);
    if (to.width == 1 && to.worker == worker_id{w})
      return begin(w, {t, 1, true, now_, std::make_shared<std::uint32_t>(1)});
    auto const left = std::make_shared<std::uint32_t>(to.width);
    for (std::uint32_t i = 0; i < to.width; ++i)
      workers_[index(to.worker) + i].inbox.push_back({t, to.width, i == 0, now_, left});
  }

  std::optional<task_tag> take(probe const& p, worker_policy& m) {
    std::deque<task_tag>& from = workers_[index(p.victim)].migrated;
    for (std::size_t i = 0; i < from.size(); ++i) {
      auto const at = p.kind == action::pop ? from.begin() + static_cast<std::ptrdiff_t>(i)
                                            : from.end() - static_cast<std::ptrdiff_t>(i) - 1;
      if (p.kind == action::steal && !m.admits(at->words[0])) continue;
      task_tag const t = *at;
      from.erase(at);
      return t;
    }
    return {};
  }

  void begin(std::uint32_t w, member const& what) {
    workers_[w].running = what;
    workers_[w].since = 0;
    ++workers_[w].ran;
    by_.of_worker(worker_id{w}).learn(begun{.task = what.tag});
  }

  adaptive_moldable& by_;
  std::vector<one_worker> workers_;
  std::function<std::uint32_t(std::uint16_t)> turns_;
  std::int64_t unfinished_ = 0;
  std::uint64_t now_ = 0;  ///< turns so far
};

/// Two packages of four.

TEST(arms_balance, work_at_one_address_stays_in_its_package_until_enough_steals_were_rejected) {
  constexpr int tasks = 800;
  constexpr std::uint32_t length = 400;
  for (std::uint32_t const threshold : {arms_options{}.threshold, 1'000'000U}) {
    adaptive_moldable p(figure_4(), 1, {.threshold = threshold});
    stage s(p, 8, [](std::uint16_t) { return length; });
    for (int i = 0; i < tasks; ++i) s.release(5, address::of(1, 8) | task_type{.number = 1});
    auto const turns = static_cast<double>(s.run());
    std::uint64_t near = 0;
    for (std::uint32_t w = 0; w < 4; ++w) near += s.ran(w);
    if (threshold < 1'000'000) {
      EXPECT_LT(turns, 1.6 * tasks * length / 8) << "all eight work";
      EXPECT_GT(near, static_cast<std::uint64_t>(tasks) / 2) << "and those of the package more than the others";
    } else {
      EXPECT_EQ(near, static_cast<std::uint64_t>(tasks));
      EXPECT_LT(turns, 1.1 * tasks * length / 4);
    }
  }
}

TEST(arms_balance, tasks_spread_over_the_line_are_run_by_their_own_package) {
  adaptive_moldable p(figure_4(), 1);
  stage s(p, 8, [](std::uint16_t) { return 100U; });
  for (std::uint32_t i = 0; i < 800; ++i) s.release(0, address::of(i, 800) | task_type{.number = 1});
  EXPECT_LT(s.run(), 1.1 * 800 * 100 / 8);
  std::uint64_t near = 0;
  for (std::uint32_t w = 0; w < 4; ++w) near += s.ran(w);
  EXPECT_NEAR(static_cast<double>(near), 400, 8);
}

TEST(arms_balance, most_tasks_run_with_the_width_that_is_cheapest) {
  // All workers have work, so teams wait in queues: only the leader's own time shows what a team takes.
  adaptive_moldable p(figure_4(), 1, {.cost = arms::cost::product, .measure = arms::measure::leader});
  stage s(p, 8, [](std::uint16_t width) { return width == 1 ? 400U : width == 2 ? 150U : 140U; });
  for (std::uint32_t i = 0; i < 2000; ++i) s.release(0, address::of(i % 8, 8) | task_type{.number = 1, .moldable = 1});
  s.run();
  EXPECT_EQ(p.ended(1, 1) + p.ended(1, 2) + p.ended(1, 4), 2000U);
  EXPECT_GT(p.ended(1, 2), 1700U);
  EXPECT_GT(p.ended(1, 4), 0U);
}

}}}}  // namespace skua::v0::policies
