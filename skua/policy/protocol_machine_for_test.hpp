// SPDX-License-Identifier: MIT
// A machine that keeps the protocol, by chance: each step is one of the calls that protocol.md allows where its worker stands, and the
// policy gives any answer that it may give. What is wrong there is known, too (protocol_machine_test.cpp).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/policy/protocol_checker.hpp"

namespace skua { inline namespace v0 { namespace policies {

inline constexpr std::uint32_t machine_workers = 3;

/// Any answer that a policy may give. Every tag that it writes is a new one.
struct any_answers final : worker_policy {
  any_answers(runtime::dice& by, std::uint64_t& count, worker_id me, policy_needs const& n)
      : roll(by), made(count), self(me), needs(n) {}

  task_tag fresh() noexcept { return {{++made, 7, 7, 7}}; }
  worker_id another() noexcept {
    return worker_id{(index(self) + 1 + roll.below(machine_workers - 1)) % machine_workers};
  }

  task_tag meet(task_tag&, double, std::uint64_t) noexcept override { return fresh(); }
  task_tag mark(task_tag& parent, hint const&) noexcept override {
    if (roll.below(2) == 0) parent = fresh();
    return fresh();
  }
  placement place(task_tag& task, cause why) noexcept override {
    if (why != cause::refused && roll.below(2) == 0) task = fresh();
    lane const mine[] = {lane::forks, lane::spawned, lane::inbox, lane::local, lane::migrated};
    if (why == cause::bypassed) return {.worker = self, .lane = roll.below(2) == 0 ? lane::local : lane::migrated};
    if (why == cause::preempted) return {.worker = self, .lane = roll.below(2) == 0 ? lane::local : lane::migrated};
    if (why == cause::called || roll.below(2) == 0) return {.worker = self, .lane = mine[roll.below(5)]};
    bool const may_be_wide = why == cause::stolen || why == cause::injected || why == cause::chosen;
    lane const theirs[] = {lane::inbox, lane::migrated, lane::mailbox};
    return {.worker = another(),
            .lane = theirs[roll.below(why == cause::refused ? 2 : 3)],
            .width = static_cast<std::uint16_t>(may_be_wide && roll.below(4) == 0 ? 2 : 1)};
  }
  void leave(task_tag const&, task_tag const&) noexcept override { ++left; }
  probe next_probe() noexcept override {
    if (roll.below(4) == 0) return {.kind = action::rest, .victim = self};
    lane const own[] = {lane::spawned, lane::inbox, lane::injected, lane::mailbox, lane::local, lane::migrated};
    if (roll.below(2) == 0) return {.kind = action::pop, .lane = own[roll.below(6)], .victim = self};
    lane const theirs[] = {lane::forks, lane::spawned, lane::mailbox, lane::local, lane::migrated, lane::ordered};
    return {.kind = action::steal, .lane = theirs[roll.below(6)], .victim = another()};
  }
  void learn(event const&) noexcept override { ++learnt; }
  [[nodiscard]] bool sees_forks() const noexcept override { return sees; }
  [[nodiscard]] bool admits(std::uint64_t first_word) const noexcept override { return first_word != 0; }

  runtime::dice& roll;
  std::uint64_t& made;
  worker_id const self;
  policy_needs const needs;
  bool sees = true;
  std::uint64_t left = 0;
  std::uint64_t learnt = 0;
};

struct any_policy final : policy {
  any_policy(runtime::dice& roll, policy_needs const& n) : needed(n) {
    for (std::uint32_t w = 0; w < machine_workers; ++w)
      workers.push_back(std::make_unique<any_answers>(roll, made, worker_id{w}, n));
  }
  [[nodiscard]] std::string_view name() const noexcept override { return "any"; }
  [[nodiscard]] policy_needs needs() const noexcept override { return needed; }
  worker_policy& of_worker(worker_id w) noexcept override { return *workers[index(w)]; }

  policy_needs needed;
  std::uint64_t made = 0;
  std::vector<std::unique_ptr<any_answers>> workers;
};

/// A group that is open.
struct open_group {
  task_tag of_task;  ///< that met it
  task_tag own;
  task_tag rest;
  task_tag child{};
  std::uint64_t children = 0;
  std::uint64_t placed = 0;
  bool keeps = false;
};
/// What runs on a worker, or waits to go on.
struct fiber {
  task_tag tag{};
  std::vector<open_group> groups = {};
};

/// One worker of the machine.
class sound_worker {
 public:
  enum class at : std::uint8_t { idle, probing, in_hands, placed_here, running, leaving };

  sound_worker(worker_policy& checked, any_answers& answers, runtime::dice& by, std::vector<fiber>& waiting,
               std::vector<task_tag>& tags)
      : m(checked), says(answers), roll(by), frames(waiting), known(tags) {}

  void step() {
    switch (now) {
      case at::idle: return search();
      case at::probing: return report();
      case at::in_hands: return place_it();
      case at::placed_here: return begin();
      case at::running: return run_on();
      case at::leaving: return turn_away();
    }
  }

  worker_policy& m;
  any_answers& says;
  runtime::dice& roll;
  std::vector<fiber>& frames;    ///< of the machine: whoever likes goes on with them
  std::vector<task_tag>& known;  ///< tags that were handed out

  at now = at::idle;
  probe asked{};
  bool was_asked = false;
  bool may_go_on = false;  ///< leaving, and what ran has been put nowhere yet
  bool has_sent = false;   ///< idle: what it took is on its way to another worker
  bool has_waited = false;
  bool began_open = false;
  bool is_told = true;        ///< the checker has heard that it runs
  bool knows_groups = false;  ///< the checker has seen all that this fiber has met
  bool is_task = false;       ///< in hands: surely no frame, and it begins with the tag that it got
  task_tag in_hands{};
  fiber running{};

  [[nodiscard]] task_tag any_known() { return known.empty() ? task_tag{} : known[roll.below(size_of(known))]; }
  [[nodiscard]] bool takes_without_tag() const {
    return asked.lane == lane::forks || asked.lane == lane::spawned || asked.lane == lane::ordered;
  }
  [[nodiscard]] bool must_place() const {
    return asked.kind == action::steal || asked.lane == lane::injected ||
           (asked.lane == lane::spawned && says.needs.chosen == which_tasks::all);
  }
  [[nodiscard]] cause why_placed() const {
    return asked.kind == action::steal ? cause::stolen : asked.lane == lane::injected ? cause::injected : cause::chosen;
  }
  task_tag keep(task_tag const& t) {
    known.push_back(t);
    return t;
  }

 private:
  template <class List>
  static std::uint32_t size_of(List const& l) {
    return static_cast<std::uint32_t>(l.size());
  }
  void search() {
    if (!frames.empty() && roll.below(3) == 0) return take_frame();
    if (roll.below(8) == 0) return call_from_outside();
    look();
  }
  void look() {
    asked = m.next_probe();
    was_asked = true;
    has_sent = false;
    now = asked.kind == action::rest ? at::idle : at::probing;
    if (now == at::idle && says.needs.rests && roll.below(2) == 0) m.learn(rested{});
  }
  /// A thread from outside takes this worker's place.
  void call_from_outside() {
    asked = {.kind = action::pop, .lane = lane::injected, .victim = says.self};
    in_hands = {};
    m.place(in_hands, cause::called);
    keep(in_hands);
    is_task = true;
    now = at::placed_here;
  }
  /// Its last child has ended here.
  void take_frame() {
    std::uint32_t const which = roll.below(size_of(frames));
    fiber f = std::exchange(frames[which], frames.back());
    frames.pop_back();
    task_tag t = f.tag;
    placement const to = m.place(t, cause::resumed);
    keep(t);
    if (roll.below(2) == 0) f.tag = t;  // a frame may begin with the tag that it has
    if (to.worker != says.self) {
      has_sent = true;
      return frames.push_back(std::move(f));
    }
    go_on_with(std::move(f));
  }
  /// It begins something else than the task that it keeps.
  void bypass() {
    if (says.needs.released == which_tasks::none || roll.below(4) != 0) return;
    task_tag kept = any_known();
    m.place(kept, cause::bypassed);
    keep(kept);
  }
  void go_on_with(fiber f) {
    bypass();
    running = std::move(f);
    m.learn(begun{running.tag, true});
    began_open = true;
    knows_groups = false;
    now = at::running;
  }

  void report() {
    if (roll.below(2) == 0) {
      m.learn(probed{asked, roll.below(2) == 0 ? runtime::outcome::empty : runtime::outcome::lost});
      now = at::idle;
      return;
    }
    if (asked.kind == action::steal && !m.admits(1)) return;
    m.learn(probed{asked, runtime::outcome::got});
    if ((asked.lane == lane::inbox || asked.lane == lane::mailbox) && asked.kind == action::pop) {
      // A task with a tag, or a frame.
      if (!frames.empty() && roll.below(2) == 0) {
        fiber f = std::move(frames.back());
        frames.pop_back();
        return go_on_with(std::move(f));
      }
      running = {.tag = any_known()};
      return begin_with(running.tag, false);
    }
    now = at::in_hands;
  }

  void place_it() {
    bool const is_popped = asked.kind == action::pop && asked.lane != lane::injected;
    if (is_popped && (says.needs.chosen == which_tasks::none || (asked.lane != lane::spawned && roll.below(2) == 0))) {
      if (asked.lane != lane::spawned) return begin_with(any_known(), false);
      task_tag seen{{any_known().words[0]}};  // where nobody asks: with the last first word, or marked
      if (roll.below(2) == 0) seen = keep(m.mark(seen, {}));
      return begin_with(seen, false);
    }
    task_tag t = asked.lane == lane::injected ? task_tag{} : any_known();
    if (takes_without_tag()) t = {{t.words[0]}};
    if (takes_without_tag() || roll.below(4) == 0) t = keep(m.mark(t, {}));
    placement to = m.place(t, why_placed());
    bool const can_be_refused = to.width > 1 || (to.worker != says.self && to.lane == lane::mailbox);
    if (can_be_refused && roll.below(2) == 0) to = m.place(t, cause::refused);
    keep(t);
    in_hands = t;
    is_task = takes_without_tag() || asked.lane == lane::injected;
    has_sent = to.worker != says.self || to.width > 1;
    now = has_sent ? at::idle : at::placed_here;
  }
  void begin() { begin_with(in_hands, is_task); }
  void begin_with(task_tag const& t, bool knows) {
    bypass();
    m.learn(begun{t, false});
    running = {.tag = t};
    began_open = false;
    knows_groups = knows || (asked.lane == lane::spawned && asked.kind == action::pop);
    now = at::running;
  }

  void run_on() {
    run_a_little();
    is_told = true;
  }
  void run_a_little() {
    bool const is_in_group = !running.groups.empty();
    switch (roll.below(10)) {
      case 0:
      case 1: return is_in_group && running.groups.back().keeps ? come_back() : meet();
      case 2:
      case 3:
      case 4: return is_in_group ? go_on_in_group(running.groups.back()) : meet();
      case 5: return (says.needs.released != which_tasks::none) ? spawn() : meet();
      case 6: return wait();
      case 7: return preempt();
      default: break;
    }
    if (is_in_group) return go_on_in_group(running.groups.back());
    if (roll.below(4) == 0) return end_unseen_group();
    if ((says.needs.times != which_tasks::none) && roll.below(2) == 0) return m.learn(part_ended{running.tag, 1});
    if ((says.needs.times != which_tasks::none) && roll.below(4) == 0) m.learn(team_ended{running.tag, 1});
    m.learn(ended{running.tag, 1});
    now = at::idle;
  }
  void meet() {
    std::uint64_t const n = roll.below(4);
    task_tag const own = keep(m.meet(running.tag, 0, n));
    open_group const g{.of_task = running.tag, .own = own, .rest = own, .children = n};
    if (n == 0) running.tag = g.own;
    running.groups.push_back(g);
  }
  void go_on_in_group(open_group& g) {
    if (g.keeps) return come_back();
    if (g.placed == g.children || roll.below(3) == 0) return leave();
    g.child = keep(m.mark(g.rest, {}));
    keep(g.rest);
    placement to = m.place(g.child, cause::forked);
    if (to.worker != says.self && to.lane == lane::mailbox && roll.below(2) == 0) to = m.place(g.child, cause::refused);
    keep(g.child);
    ++g.placed;
    g.keeps = to.worker == says.self && to.lane != lane::migrated;
    if (g.keeps) running.tag = g.child;
  }
  void come_back() {
    open_group& g = running.groups.back();
    m.learn(returned{g.child});
    g.keeps = false;
    running.tag = g.rest;
  }
  /// The youngest group has ended: at once, or its task is asked for, and may go on elsewhere.
  void leave() {
    open_group const g = running.groups.back();
    task_tag t = g.of_task;
    if (roll.below(2) == 0) {
      knows_groups = knows_groups && is_told;
      task_tag own = t;
      bool const is_marked = roll.below(3) == 0;
      if (is_marked) t = keep(m.mark(own, {}));
      bool const moves = m.place(t, cause::resumed).worker != says.self;
      keep(t);
      if (is_marked) keep(own);
      if (moves) {
        running.groups.back().of_task = running.tag = t;
        frames.push_back(std::exchange(running, {}));
        may_go_on = false;
        now = at::leaving;
        return;
      }
      if (is_marked && roll.below(2) == 0) t = own;
    }
    m.leave(t, g.own);
    running.tag = t;
    running.groups.pop_back();
  }
  /// A group that was not exposed has ended, of which something was stolen.
  void end_unseen_group() {
    knows_groups = knows_groups && is_told;
    bool const moves = m.place(running.tag, cause::resumed).worker != says.self;
    keep(running.tag);
    if (moves) {
      frames.push_back(std::exchange(running, {}));
      may_go_on = false;
      now = at::leaving;
      return;
    }
    if (!is_told) m.learn(waiting{}), may_go_on = true, now = at::leaving;
  }
  void spawn() {
    task_tag seen = running.tag;
    task_tag t = keep(m.mark(seen, {}));
    m.place(t, roll.below(2) == 0 ? cause::released : cause::unblocked);
    keep(t);
  }
  void wait() {
    m.learn(waiting{});
    has_waited = true;
    may_go_on = true;
    now = at::leaving;
  }
  void preempt() {
    for (std::uint32_t offered = roll.below(3); offered > 0; --offered) {
      task_tag seen{{running.tag.words[0]}};
      task_tag t = keep(m.mark(seen, {}));
      m.place(t, cause::preempted);
      keep(t);
    }
    m.place(running.tag, cause::preempted);
    keep(running.tag);
    frames.push_back(std::exchange(running, {}));
    may_go_on = false;
    now = at::leaving;
  }
  /// There is no memory for another fiber: it looks for what it waits for, and goes on.
  void go_on_in_place() {
    for (std::uint32_t looks = roll.below(3); looks > 0; --looks) {
      knows_groups = false;
      asked = m.next_probe();
      was_asked = true;
      if (asked.kind != action::rest) m.learn(probed{asked, runtime::outcome::empty});
    }
    is_told = false;
    now = at::running;
  }
  void turn_away() {
    if (may_go_on && roll.below(3) == 0) return go_on_in_place();
    now = at::idle;
    if (!may_go_on) return look();
    frames.push_back(std::exchange(running, {}));
    search();
  }
};

}}}  // namespace skua::v0::policies
