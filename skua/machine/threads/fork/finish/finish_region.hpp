// SPDX-License-Identifier: MIT
// A finish region on threads: tasks are spawned one by one, also by tasks, and the region's owner waits for all. States and
// proof: finish.md. [strategies-2013 3]
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/fork/fiber/failure.hpp"
#include "skua/machine/threads/fork/fiber/fiber.hpp"
#include "skua/machine/threads/fork/finish/finish_count.hpp"
#include "skua/parts/base/type_text.hpp"
#include "skua/parts/context/block_cache.hpp"
#include "skua/program/flow/team.hpp"
#include "skua/program/strategy/spawn_forms.hpp"
#include "skua/program/strategy/strategy.hpp"

namespace skua { inline namespace v0 { namespace runtime {

struct taken_task;  // ordered_store.hpp

/// The part that does not depend on the types of tasks: finish_region.cpp.
class finish_region : public group {
 public:
  explicit finish_region(fiber& owner) noexcept;
  finish_region(finish_region const&) = delete;
  finish_region& operator=(finish_region const&) = delete;

  /// The body has returned: waits for all tasks, then throws the exception of the first that failed.
  void finish();
  /// The body has thrown: tasks end early, and their exceptions are not the first.
  void abandon() noexcept;
  /// Call this after all tasks have ended: throws the exception of the first that failed, if any did.
  void rethrow_failure() { first_.rethrow(); }
  [[nodiscard]] stop_node const& inside() const noexcept { return inside_; }

  struct task;
  struct task_operations : task_kind {
    void (*call)(task&, fiber&);
    void (*end)(task*) noexcept;  ///< destroys it and gives its block back; null: it lies on a stack
    void (*call_member)(task&, fiber&, team_state&, std::uint32_t) = nullptr;  ///< null: no team can run it
    void (*after_team)(task&, fiber&) = nullptr;  ///< called once, when all members have ended
    bool is_gathered = false;                     ///< it spawns its rest beside itself (finish.md, "Gathered tasks")
  };
  struct task : runtime::task {
    task(task_operations const& k, finish_region& r, hint const& hinted, place_id p) noexcept
        : runtime::task{&k}, region(r), place(p), address(hinted.address), type(hinted.type) {}
    finish_region& region;
    place_id const place;  ///< hinted, or inherited from the task that spawned it [numa-ws-2018 III-A]
    decltype(hint::address) const address;
    decltype(hint::type) const type;
    [[nodiscard]] task_operations const& operations() const noexcept {
      return static_cast<task_operations const&>(*kind);
    }
  };

  /// A task that spawns its rest beside itself. Only such a task has a home: it would make every spawn dearer.
  struct gathered_task : task {
    gathered_task(task_operations const& k, finish_region& r, hint const& hinted, place_id p, worker_id on) noexcept
        : task(k, r, hinted, p), home(on) {}
    worker_id home;  ///< where it was placed
  };

  /// What the policy wrote on a task, and where it placed it.
  struct placed {
    task_tag tag;
    placement to;
  };

  /// What a spawn states about its task.
  struct spawn_options {
    strategy_kind const* kind;
    void const* value;
    std::size_t value_size;
    std::uint64_t weight;
    bool is_declared = false;                 ///< the spawn declares a strategy
    bool is_last_act = false;                 ///< the task that spawns has returned, and only spawns what waited for it
    std::optional<placed>* answer = nullptr;  ///< the policy's, if it was asked already; the spawn uses it up
  };
  /// From now on the task may be taken. `on` runs the body or a task of this region.
  void add(fiber& on, task& t, spawn_options const& how);
  /// The place of a task with this hint that the code on `on` spawns.
  [[nodiscard]] static place_id place_of(fiber const& on, hint const& hinted) noexcept;
  /// True if a spawn of a task with this place and weight should run inline. Ask only if the strategy allows it.
  [[nodiscard]] static bool calls_instead(fiber& on, place_id place, std::uint64_t weight) noexcept;
  /// True if the code on `on` may call a task with this hint, which it would spawn last, instead.
  [[nodiscard]] static bool keeps(fiber& on, hint const& hinted, bool may_be_team) noexcept;
  /// For a node that has returned, as the task `self`, and whose successor with this hint is ready: the policy's answer where it goes; none
  /// if `self` cannot go on with it, so that the spawn asks. (finish.md, "Nodes that go on")
  [[nodiscard]] static std::optional<placed> place_next(fiber& on, task const& self, hint const& hinted,
                                                        bool is_team) noexcept;
  /// True if the answer is that this worker runs it next.
  [[nodiscard]] static bool is_next(fiber const& on, placed const& answer) noexcept;
  /// Ends the node. True: the task goes on with `next`, which has begun. False: `next` is to be spawned, and has a new answer.
  [[nodiscard]] static bool goes_on(fiber& on, placed& next, bool is_team) noexcept;
  /// True if the policy places each released task with this hint, so that tasks with the same hints may be released as one.
  /// (finish.md, "Gathered tasks")
  [[nodiscard]] static bool gathers(fiber const& on, hint const& hinted) noexcept;
  /// For a flow that the code on `on` runs: how many positions on the line of addresses the policy tells apart. 0: it needs none, or
  /// the running task has data of its own, where nodes without an address stay.
  [[nodiscard]] static std::uint32_t address_keys(fiber const& on) noexcept;
  [[nodiscard]] static bool wants_critical_path(fiber const& on) noexcept;
  /// As add, for a part of the gathered task that `on` runs: it stays there, and may be stolen from there.
  void add_beside(fiber& on, task& t);
  /// True if the gathered task runs where it was placed: it was not stolen, or it has no data.
  [[nodiscard]] static bool is_at_home(fiber const& on, gathered_task const& t) noexcept;
  /// Runs a task that lies on the stack, as a part of the code on `on`.
  void call_now(fiber& on, task& t) noexcept;

  [[nodiscard]] static bool is_task(runtime::task const& t) noexcept { return t.kind->run == &run_task; }
  /// Returns null if it is not a task of a finish region.
  [[nodiscard]] static finish_region const* of(runtime::task const& t) noexcept {
    return is_task(t) ? &static_cast<task const&>(t).region : nullptr;
  }

  [[nodiscard]] static bool is_moldable(runtime::task const& t) noexcept {
    return is_task(t) && static_cast<task const&>(t).operations().call_member != nullptr;
  }

  // For teams, whose members watch inside().

  /// Returns false if the member threw, or was dropped.
  [[nodiscard]] bool call_member(fiber& on, task& t, team_state& team, std::uint32_t member) noexcept;
  /// Call it when all members have ended.
  void end_team(fiber& on, task& t) noexcept;
  /// The last step for a task.
  static void end_task(fiber& on, task& t) noexcept;

  // For finish_share.
  [[nodiscard]] finish_count<>& count() noexcept { return count_; }
  /// Called once all tasks have ended. Returns the owner's frame if it waits.
  [[nodiscard]] parked<>* ended() noexcept {
    return group::finish(1, 0, [] {});
  }

  /// The second word of its tasks' entries in `spawned`.
  [[nodiscard]] std::uint64_t key() const noexcept { return reinterpret_cast<std::uintptr_t>(this); }

  // The operations of all tasks.
  static void run_task(runtime::task& t, std::uint64_t extra, fiber& on) noexcept;
  static hint hint_of(runtime::task const& t, std::uint64_t) noexcept;
  static void drop_task(runtime::task& t, fiber& on) noexcept;

 private:
  [[nodiscard]] bool call(fiber& on, task& t) noexcept;
  template <class F>
  bool call_at_its_place(fiber& on, task& t, F&& f) noexcept;
  void release(fiber& on, task& t, spawn_options const& how) noexcept;
  static placed ask(fiber& on, hint const& hinted, bool is_team, cause why) noexcept;
  static void push_spawned(fiber& on, task& t) noexcept;
  [[nodiscard]] bool returns_inside(fiber& on, task& t) noexcept;
  void run_inside(fiber& on, task& t) noexcept;
  void end_tasks() noexcept;
  static task_operations const rest_of_tasks;
  void run_own_tasks(fiber& on) noexcept;
  [[nodiscard]] bool run_gathered(fiber& on, task const& first, bool returned) noexcept;
  [[nodiscard]] taken_task take_own(fiber_slot& s) noexcept;
  [[nodiscard]] bool leaves_tasks_to(task& rest) noexcept;
  static void note(fiber& on, finish_region& region, std::int64_t tasks) noexcept;

  fiber& owner_;
  stop_node const inside_;  ///< what the body and the tasks watch
  fiber::registration const registered_;
  finish_count<> count_;
  first_exception first_;
};

/// For the owner: true if the task that it would run next is of this region. A hint.
[[nodiscard]] bool next_is_of(fiber_slot& s, finish_region const& one) noexcept;
/// The same for the lanes whose tasks may run on top of the region's owner: those whose tasks the policy does not place.
[[nodiscard]] bool next_unplaced_is_of(fiber_slot& s, finish_region const& one) noexcept;

/// A finish region's interface for its body and its tasks.
template <class Here>
class finish_handle : public spawn_forms<finish_handle<Here>> {
 public:
  finish_handle(finish_region& region, Here& here, finish_region::task const* self = nullptr) noexcept
      : region_(region), here_(here), self_(self) {}
  finish_handle(finish_handle const&) = delete;
  finish_handle& operator=(finish_handle const&) = delete;

  [[nodiscard]] bool keeps(hint const& hinted, bool may_be_team) const noexcept {
    return finish_region::keeps(running(), hinted, may_be_team);
  }
  /// True if tasks with this hint may be spawned as one (spawn_gathered).
  [[nodiscard]] bool gathers(hint const& hinted) const noexcept { return finish_region::gathers(running(), hinted); }
  /// How many addresses the nodes of a flow should have, if they have none.
  [[nodiscard]] std::uint32_t address_keys() const noexcept { return finish_region::address_keys(running()); }
  /// True if the policy asks which nodes of a flow are on its critical path.
  [[nodiscard]] bool wants_critical_path() const noexcept { return finish_region::wants_critical_path(running()); }
  /// f(region, is_at_home) runs the first task, and spawns the others beside it, in parts, with the same hints. Where it was
  /// stolen it leaves them to the policy, by spawn_gathered.
  template <class F>
  void spawn_gathered(hint const& h, F&& f) {
    region_.add(running(), *made_gathered(h, std::forward<F>(f)), {});
  }
  template <class F>
  void spawn_beside(hint const& h, F&& f) {
    region_.add_beside(running(), *made_gathered(h, std::forward<F>(f)));
  }
  /// The `here` of the task that has this handle.
  [[nodiscard]] Here& here() noexcept { return here_; }
  /// From now on the task only spawns what waited for it. Policies that place tasks are told so.
  void task_has_returned() noexcept { has_returned_ = true; }
  /// For a task that has returned: true if the policy lets it go on with a task with this hint that has become ready. Otherwise spawn
  /// that one next. At most one task at a time.
  [[nodiscard]] bool takes_next(hint const& h, bool is_team) {
    if (self_ == nullptr || next_) return false;
    std::optional<finish_region::placed> const to = finish_region::place_next(running(), *self_, h, is_team);
    bool const is_next = to && finish_region::is_next(running(), *to);
    (is_next ? next_ : answer_) = to;
    return is_next;
  }
  /// True if there is one that it takes.
  [[nodiscard]] bool holds_next() const noexcept { return next_.has_value(); }
  /// True: the running task has ended, and the one that it takes next has begun: call its function. False: spawn it instead.
  [[nodiscard]] bool goes_on(bool is_team) noexcept {
    finish_region::placed next = *std::exchange(next_, std::nullopt);
    if (finish_region::goes_on(running(), next, is_team)) {
      has_returned_ = false;
      return true;
    }
    answer_ = next;
    return false;
  }

 private:
  [[nodiscard]] fiber& running() const noexcept { return fiber_of(here_); }

  friend spawn_forms<finish_handle>;

  template <strategy S, class F>
  void add_task(hint const& hinted, S const& s, F&& f) {
    std::uint64_t const weight = weight_of(s);
    place_id const place = finish_region::place_of(running(), hinted);
    if (has_conversion<S> && allows_call(s) && finish_region::calls_instead(running(), place, weight)) {
      task_of<std::remove_reference_t<F>&, false> called(region_, hinted, place, f);
      return region_.call_now(running(), called);
    }
    auto* const made = new task_of<std::decay_t<F>, true>(region_, hinted, place, std::forward<F>(f));
    region_.add(running(), *made, options_of(s, weight));
  }

  template <strategy S, class Body, class Done>
  void add_team(hint hinted, S const& s, Body&& body, Done&& done) {
    hinted.type = as_team(hinted.type.value_or(task_type{0}));
    place_id const place = finish_region::place_of(running(), hinted);
    auto* const made = new team_of<std::decay_t<Body>, std::decay_t<Done>>(
        region_, hinted, place, std::forward<Body>(body), std::forward<Done>(done));
    region_.add(running(), *made, options_of(s, weight_of(s)));
  }

  template <strategy S>
  [[nodiscard]] finish_region::spawn_options options_of(S const& s, std::uint64_t weight) noexcept {
    return {.kind = kind_of<S>(),
            .value = &s,
            .value_size = sizeof(S),
            .weight = weight,
            .is_declared = !std::same_as<S, no_strategy>,
            .is_last_act = has_returned_,
            .answer = &answer_};
  }

  template <class F>
  finish_region::task* made_gathered(hint const& h, F&& f) {
    return new gathered_of<std::decay_t<F>>(region_, h, running(), std::forward<F>(f));
  }

  template <class F, bool InBlock>
  struct task_of final : finish_region::task, in_block {
    template <class G>
    task_of(finish_region& r, hint const& h, place_id p, G&& g)
        : task(operations, r, h, p), function(std::forward<G>(g)) {}
    F function;

    static void call(finish_region::task& self, runtime::fiber& on) {
      finish_handle handle(self.region, here_of(on), &self);
      static_cast<void>(static_cast<task_of&>(self).function(handle));
    }
    static void end(finish_region::task* self) noexcept { delete static_cast<task_of*>(self); }
    static char const* name_of(runtime::task const&) noexcept { return type_text<F>(); }
    static constexpr finish_region::task_operations operations{{.run = &finish_region::run_task,
                                                                .hint_of = &finish_region::hint_of,
                                                                .name_of = &task_of::name_of,
                                                                .drop = &finish_region::drop_task},
                                                               &task_of::call,
                                                               InBlock ? &task_of::end : nullptr};
  };
  template <class F>
  struct gathered_of final : finish_region::gathered_task, in_block {
    template <class G>
    gathered_of(finish_region& r, hint const& h, fiber& on, G&& g)
        : gathered_task(operations, r, h, finish_region::place_of(on, h), on.worker()), function(std::forward<G>(g)) {}
    F function;

    static void call(finish_region::task& self, runtime::fiber& on) {
      finish_handle handle(self.region, here_of(on));
      auto& mine = static_cast<gathered_of&>(self);
      mine.function(handle, finish_region::is_at_home(on, mine));
    }
    static void end(finish_region::task* self) noexcept { delete static_cast<gathered_of*>(self); }
    static char const* name_of(runtime::task const&) noexcept { return type_text<F>(); }
    static constexpr finish_region::task_operations operations{{.run = &finish_region::run_task,
                                                                .hint_of = &finish_region::hint_of,
                                                                .name_of = &gathered_of::name_of,
                                                                .drop = &finish_region::drop_task},
                                                               &gathered_of::call,
                                                               &gathered_of::end,
                                                               nullptr,
                                                               nullptr,
                                                               true};
  };
  /// Calls body(team) on each member, then done(region).
  template <class Body, class Done>
  struct team_of final : finish_region::task, in_block {
    template <class B, class D>
    team_of(finish_region& r, hint const& h, place_id p, B&& b, D&& d)
        : task(operations, r, h, p), body(std::forward<B>(b)), done(std::forward<D>(d)) {}
    Body body;
    Done done;

    static void call(finish_region::task& self, runtime::fiber& on) {
      lone_team only;
      call_member(self, on, only, 0);
      finish_handle handle(self.region, here_of(on), &self);
      static_cast<void>(static_cast<team_of&>(self).done(handle));
    }
    static void call_member(finish_region::task& self, runtime::fiber& on, team_state& all, std::uint32_t member) {
      team<Here> mine(here_of(on), all, member);
      static_cast<void>(static_cast<team_of&>(self).body(mine));
    }
    static void after_team(finish_region::task& self, runtime::fiber& on) {
      finish_handle handle(self.region, here_of(on));
      static_cast<void>(static_cast<team_of&>(self).done(handle));
    }
    static void end(finish_region::task* self) noexcept { delete static_cast<team_of*>(self); }
    static char const* name_of(runtime::task const&) noexcept { return type_text<Body>(); }
    static constexpr finish_region::task_operations operations{{.run = &finish_region::run_task,
                                                                .hint_of = &finish_region::hint_of,
                                                                .name_of = &team_of::name_of,
                                                                .drop = &finish_region::drop_task},
                                                               &team_of::call,
                                                               &team_of::end,
                                                               &team_of::call_member,
                                                               &team_of::after_team};
  };

  finish_region& region_;
  Here& here_;
  finish_region::task const* const self_;          ///< null: it cannot go on with another one
  std::optional<finish_region::placed> next_{};    ///< the task that it takes next
  std::optional<finish_region::placed> answer_{};  ///< for the next spawn
  bool has_returned_ = false;
};

}}}  // namespace skua::v0::runtime
