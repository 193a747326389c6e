// SPDX-License-Identifier: MIT
// A machine without time or threads for policies that look at forks: it runs a tree of tasks, one small step of a worker
// chosen by a die at a time, and shows groups as policy.hpp says. A task is some steps of work, then its groups, one
// after the other; after a kept child has returned, the children after it are shown as well while the policy asks for it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/policy/protocol_checker.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// A tree; node 0 is the root.
struct script_node {
  std::uint32_t steps = 1;
  std::vector<std::vector<std::uint32_t>> groups = {};
};
using script_tree = std::vector<script_node>;

class stage {
 public:
  stage(policy& p, std::uint32_t workers, std::uint64_t seed)
      : policy_(p, workers, {.of_machine = false, .aborts = false}), roll_(seed), workers_(workers) {}

  /// A task from outside. Its tree stays where it is until `run` has returned.
  void bring(script_tree const& tree) {
    outside_.push_back({.what = item::task_from_outside, .tree = &tree, .node = 0});
    ++roots_;
  }

  /// Until all tasks from outside have ended, or nothing has happened for too long. True: all have ended.
  [[nodiscard]] bool run(std::uint64_t most_steps = 20'000'000) {
    for (std::uint64_t i = 0; roots_ > 0 && i < most_steps; ++i) {
      std::uint32_t const w = roll_.below(static_cast<std::uint32_t>(workers_.size()));
      if (workers_[w].calls) {
        step(w);
      } else {
        next_probe(w);
      }
    }
    EXPECT_EQ(policy_.breaches(), std::vector<std::string>{});
    return roots_ == 0;
  }

  /// (tree, node) -> workers, one for each time that it was run, in order.
  std::map<std::pair<script_tree const*, std::uint32_t>, std::vector<std::uint32_t>> ran;
  std::uint64_t steals = 0;
  std::uint64_t exposed = 0;                      ///< groups
  std::uint64_t taken = 0;                        ///< tasks and frames from lanes
  static constexpr std::uint64_t step_ns = 1000;  ///< what policies are told

 private:
  struct join;
  /// A call that has not returned: a task, or a share of a group.
  struct call {
    script_tree const* tree = nullptr;
    std::uint32_t node = 0;                   ///< the task, or the task whose group it is
    task_tag own{};                           ///< of the task; of a group: what is left of it
    task_tag of_task{};                       ///< of a group: its task's
    std::shared_ptr<join> gathers = nullptr;  ///< of a group
    std::uint32_t next = 0;                   ///< task: the next group; group: the next child
    std::uint32_t steps = 0;                  ///< of a task, left
    bool is_exposed = false;                  ///< of a group: met
    bool is_owner = false;                    ///< of a group: not a thief's share
    bool has_called = false;                  ///< of a group: a child was called and has not been looked after
    bool has_offered = false;                 ///< of a group: the rest lies in a lane
    task_tag child{};                         ///< of a group: that was called
    task_tag met{};                           ///< of a group: as the policy gave it
    bool has_waited = false;                  ///< of a group: its owner
    std::uint32_t group = 0;
  };
  struct stack : std::vector<call> {
    std::uint64_t ran = 0;  ///< steps
  };
  struct join {
    std::uint32_t shares = 1;
    std::unique_ptr<stack> waits;
  };
  struct item {
    enum kind : std::uint8_t { task_from_outside, rest, child, frame } what = rest;
    script_tree const* tree = nullptr;
    std::uint32_t node = 0;
    std::uint32_t group = 0;
    std::uint32_t next = 0;
    task_tag own{};
    task_tag of_task{};
    bool is_exposed = false;
    std::shared_ptr<join> gathers = nullptr;
    std::shared_ptr<std::unique_ptr<stack>> resumes = nullptr;
  };
  struct worker {
    std::unique_ptr<stack> calls;
    std::deque<item> lanes[lane_kinds];
  };

  static std::vector<std::uint32_t> const& children(call const& c) { return (*c.tree)[c.node].groups[c.group]; }
  worker_policy& of_worker(std::uint32_t w) { return policy_.of_worker(worker_id{w}); }
  std::deque<item>& lane_of(std::uint32_t w, lane l) { return workers_[w].lanes[static_cast<std::size_t>(l)]; }

  task_tag running_tag(std::uint32_t w) const {
    if (!workers_[w].calls) return {};
    call const& top = workers_[w].calls->back();
    return top.gathers ? top.of_task : top.own;
  }

  // ---- idle ----------------------------------------------------------------------------------------------------------

  void next_probe(std::uint32_t w) {
    worker_policy& m = of_worker(w);
    probe const p = m.next_probe();
    if (p.kind == action::rest) return;
    std::optional<item> got;
    runtime::outcome const how = take(w, p, got);
    m.learn(probed{p, how});
    if (!got) return;
    ++taken;
    if (p.kind == action::steal) ++steals;
    receive(w, std::move(*got), p);
  }

  runtime::outcome take(std::uint32_t w, probe const& p, std::optional<item>& got) {
    EXPECT_EQ(p.kind == action::pop, p.victim == worker_id{w});
    std::deque<item>& from = p.lane == lane::injected ? outside_ : lane_of(index(p.victim), p.lane);
    if (from.empty()) return runtime::outcome::empty;
    bool const steals_one = p.kind == action::steal;
    if (steals_one && p.lane == lane::forks && !of_worker(w).admits(running_tag(index(p.victim)).words[0])) {
      return runtime::outcome::barred;
    }
    bool const newest = steals_one ? p.lane == lane::migrated : p.lane != lane::migrated && p.lane != lane::inbox;
    for (std::size_t i = 0; i < from.size(); ++i) {
      std::size_t const at = newest ? from.size() - 1 - i : i;
      if (steals_one && p.lane != lane::forks && !of_worker(w).admits(from[at].own.words[0])) continue;
      got = std::move(from[at]);
      from.erase(from.begin() + static_cast<std::ptrdiff_t>(at));
      return runtime::outcome::got;
    }
    return runtime::outcome::barred;
  }

  void receive(std::uint32_t w, item it, probe const& by) {
    worker_policy& m = of_worker(w);
    bool const is_stolen = by.kind == action::steal;
    if (is_stolen && by.lane == lane::forks) {
      task_tag parent = running_tag(index(by.victim));
      it.own = it.of_task = m.mark(parent, {});
    }
    if (is_stolen || by.lane == lane::injected) {
      placement const to = m.place(it.own, is_stolen ? cause::stolen : cause::injected);
      if (to.worker != worker_id{w}) return lane_of(index(to.worker), to.lane).push_back(std::move(it));
    }
    if (it.what == item::frame) return resume(w, it);
    m.learn(begun{.task = it.own});
    workers_[w].calls = std::make_unique<stack>();
    if (it.what == item::rest) {
      workers_[w].calls->push_back({.tree = it.tree,
                                    .node = it.node,
                                    .own = it.own,
                                    .of_task = it.of_task,
                                    .gathers = std::move(it.gathers),
                                    .next = it.next,
                                    .is_exposed = it.is_exposed,
                                    .group = it.group});
    } else {
      if (it.gathers) {  // a child that was sent: its end is the end of a share
        workers_[w].calls->push_back({.tree = it.tree,
                                      .node = it.node,
                                      .own = it.own,
                                      .of_task = it.of_task,
                                      .gathers = std::move(it.gathers),
                                      .next = no_more,
                                      .group = it.group});
        call_child(w, it.tree, it.next, it.own);
      } else {
        call_child(w, it.tree, 0, it.own);
      }
    }
  }

  static std::size_t last_task(stack const& s) {
    std::size_t i = s.size() - 1;
    while (s[i].gathers) --i;
    return i;
  }

  // ---- busy ----------------------------------------------------------------------------------------------------------

  void call_child(std::uint32_t w, script_tree const* tree, std::uint32_t node, task_tag const& t) {
    ran[{tree, node}].push_back(w);
    workers_[w].calls->push_back({.tree = tree, .node = node, .own = t, .steps = (*tree)[node].steps});
  }

  void step(std::uint32_t w) {
    call& top = workers_[w].calls->back();
    if (top.gathers) return step_group(w);
    if (top.steps > 0) {
      --top.steps;
      ++workers_[w].calls->ran;
    } else if (top.next < (*top.tree)[top.node].groups.size()) {
      open_group(w);
    } else {
      end_task(w);
    }
  }

  void open_group(std::uint32_t w) {
    worker_policy& m = of_worker(w);
    call& t = workers_[w].calls->back();
    call g{.tree = t.tree,
           .node = t.node,
           .own = t.own,
           .of_task = t.own,
           .gathers = std::make_shared<join>(),
           .is_exposed = m.sees_forks(),
           .is_owner = true,
           .group = t.next++};
    if (g.is_exposed) {
      ++exposed;
      g.own = g.met = m.meet(t.own, 0, children(g).size());
    }
    workers_[w].calls->push_back(std::move(g));
  }

  void end_task(std::uint32_t w) {
    stack& s = *workers_[w].calls;
    if (s.size() > 1) {
      task_tag const own = s.back().own;
      s.pop_back();
      call& below = s.back();
      // What was taken from a lane ends with the tag that its stack has now.
      if (!below.is_owner && (!below.is_exposed || below.next == no_more)) below.own = own;
      return;
    }
    of_worker(w).learn(ended{.task = s.back().own, .duration_ns = s.ran * step_ns});
    workers_[w].calls.reset();
    --roots_;
  }

  /// Look after the child that was called, then place children until one is kept, and call it.
  void step_group(std::uint32_t w) {
    worker_policy& m = of_worker(w);
    call& g = workers_[w].calls->back();
    if (std::exchange(g.has_called, false)) {
      if (g.is_exposed) m.learn(returned{.child = g.child});
      if (std::exchange(g.has_offered, false) && !take_back(w, g)) return end_share(w);
    }
    if (g.next >= children(g).size()) return end_share(w);
    std::uint32_t const node = children(g)[g.next++];
    g.child = g.own;
    if (g.is_exposed && m.sees_forks()) {
      g.child = m.mark(g.own, {});
      placement const to = m.place(g.child, cause::forked);
      if (to.lane != lane::local) {
        ++g.gathers->shares;
        return lane_of(index(to.worker), to.lane)
            .push_back({.what = item::child,
                        .tree = g.tree,
                        .node = g.node,
                        .group = g.group,
                        .next = node,
                        .own = g.child,
                        .of_task = g.of_task,
                        .gathers = g.gathers});
      }
      EXPECT_EQ(to.worker, worker_id{w});
    }
    g.has_called = true;
    if (g.next < children(g).size()) {
      g.has_offered = true;
      ++g.gathers->shares;
      lane_of(w, g.is_exposed ? lane::local : lane::forks)
          .push_back({.what = item::rest,
                      .tree = g.tree,
                      .node = g.node,
                      .group = g.group,
                      .next = g.next,
                      .own = g.own,
                      .of_task = g.of_task,
                      .is_exposed = g.is_exposed,
                      .gathers = g.gathers});
    }
    task_tag const t = g.child;
    call_child(w, g.tree, node, t);
  }

  bool take_back(std::uint32_t w, call& g) {
    std::deque<item>& l = lane_of(w, g.is_exposed ? lane::local : lane::forks);
    if (l.empty() || l.back().gathers != g.gathers || l.back().next != g.next) return false;
    if (g.is_exposed) g.own = l.back().own;
    l.pop_back();
    --g.gathers->shares;
    return true;
  }

  void end_share(std::uint32_t w) {
    worker_policy& m = of_worker(w);
    stack& s = *workers_[w].calls;
    std::shared_ptr<join> const j = s.back().gathers;
    bool const is_last = --j->shares == 0;
    if (s.back().is_owner) {
      if (is_last) return go_on(w);
      s.back().has_waited = true;
      m.learn(waiting{});
      j->waits = std::move(workers_[w].calls);
      return;
    }
    EXPECT_EQ(s.size(), 1U);
    m.learn(ended{.task = s.back().own, .duration_ns = s.ran * step_ns});
    workers_[w].calls.reset();
    if (is_last) wake_up(w, std::move(j->waits));
  }

  /// The group on top of the running stack has ended: its task goes on where the policy wants.
  void go_on(std::uint32_t w) {
    stack& s = *workers_[w].calls;
    task_tag task = end_group(w, s, s.back().of_task);
    placement const to = of_worker(w).place(task, cause::resumed);
    s[last_task(s)].own = task;
    if (to.worker != worker_id{w}) send_frame(to, task, std::move(workers_[w].calls));
  }

  /// The last child of the group on which a stack waits has ended on this worker.
  void wake_up(std::uint32_t w, std::unique_ptr<stack> calls) {
    task_tag task = calls->back().of_task;
    placement const to = of_worker(w).place(task, cause::resumed);
    if (to.worker != worker_id{w}) return send_frame(to, task, std::move(calls));
    resume(w, {.what = item::frame, .own = task, .resumes = shared(std::move(calls))});
  }

  void resume(std::uint32_t w, item const& frame) {
    workers_[w].calls = std::move(*frame.resumes);
    stack& s = *workers_[w].calls;
    bool const has_waited = s.back().has_waited;
    of_worker(w).learn(begun{.task = frame.own, .open = has_waited});
    if (has_waited) end_group(w, s, frame.own);
    s[last_task(s)].own = frame.own;
  }

  task_tag end_group(std::uint32_t w, stack& s, task_tag const& task) {
    call const g = s.back();
    s.pop_back();
    if (g.is_exposed) of_worker(w).leave(task, g.met);
    return task;
  }

  static std::shared_ptr<std::unique_ptr<stack>> shared(std::unique_ptr<stack> calls) {
    return std::make_shared<std::unique_ptr<stack>>(std::move(calls));
  }
  void send_frame(placement const& to, task_tag const& task, std::unique_ptr<stack> calls) {
    lane_of(index(to.worker), to.lane)
        .push_back({.what = item::frame, .own = task, .resumes = shared(std::move(calls))});
  }

  static constexpr std::uint32_t no_more = 0xffff'ffffU;

  protocol_checker policy_;  ///< of its answers: this machine keeps a tag per call, where others keep one per fiber
  runtime::dice roll_;
  std::vector<worker> workers_;
  std::deque<item> outside_;
  std::uint64_t roots_ = 0;
};

}}}  // namespace skua::v0::policies
