// SPDX-License-Identifier: MIT
// `here` in the simulator: the interface of a program that runs in virtual time. Models `fork_join` and `has_finish`.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <stop_token>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "skua/machine/sim/live.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/trace/event.hpp"
#include "skua/program/flow/call_team.hpp"
#include "skua/program/flow/team.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/strategy/finish.hpp"

namespace skua { inline namespace v0 { namespace sim {

class here {
 public:
  here(live& program, live_fiber& f) noexcept : program_(program), fiber_(f) {}
  here(here const&) = delete;
  here& operator=(here const&) = delete;

  template <class... Args>
  auto join(Args&&... args) {
    return std::apply(
        [this](auto&&... c) {
          return this->join_all(std::array{as_hint(c.hint)...}, std::forward<decltype(c.function)>(c.function)...);
        },
        runtime::children_of(std::forward<Args>(args)...));
  }

  template <std::ranges::random_access_range Range, class Body>
    requires std::ranges::sized_range<Range>
  void join_each(Range&& range, Body&& body) {
    join_each(std::forward<Range>(range), [](auto&&) { return hint{}; }, std::forward<Body>(body));
  }
  template <std::ranges::random_access_range Range, class HintOf, class Body>
  void join_each(Range&& range, HintOf&& hint_of, Body&& body) {
    auto const element = [first = std::ranges::begin(range)](std::uint64_t i) -> decltype(auto) {
      return first[static_cast<std::ranges::range_difference_t<Range>>(i)];
    };
    run_group(
        tree_node_kind::each, static_cast<std::uint64_t>(std::ranges::size(range)),
        [&](std::uint64_t i) { return runtime::element_hint(hint_of(element(i))); },
        [&](std::uint64_t i, here& h) { body(h, element(i)); });
  }

  class body_group;
  class scope_type;
  template <class Body>
  decltype(auto) scope(Body&& body);
  class finish_type;
  template <class Body>
  decltype(auto) finish(Body&& body);

  /// Calls f(team) on as many workers as the scheduler chooses, hints in front of it, and waits for all members
  /// (flow/call_team.hpp). [arms-2021 3.2.1]
  template <class... Args>
  void team(Args&&... args) {
    runtime::call_team(*this, std::forward<Args>(args)...);
  }

  /// The kernel runs when the leaf has ended in virtual time, so that everything that runs later sees its writes; a
  /// measured kernel runs when the leaf begins.
  template <class... Args>
  decltype(auto) leaf(Args&&... args) {
    tree_node_id const id = open(tree_node_kind::leaf);
    (note(id, args), ...);
    if (!measured()) {
      yield(id);
      return runtime::call_kernel(std::forward<Args>(args)...);
    }
    using value = decltype(runtime::call_kernel(std::forward<Args>(args)...));
    if constexpr (std::is_void_v<value>) {
      runtime::call_kernel(std::forward<Args>(args)...);
      measure(id);
      yield(id);
    } else {
      value result = runtime::call_kernel(std::forward<Args>(args)...);
      measure(id);
      yield(id);
      return static_cast<value>(result);
    }
  }

  template <class F>
  decltype(auto) with_stop(std::stop_token token, F&& f) {
    watching const inner{*this, {watch_, nullptr, &token}};
    if (stop_requested()) throw cancelled{};
    return std::forward<F>(f)(*this);
  }
  [[nodiscard]] bool stop_requested() const noexcept { return watch_ != nullptr && watch_->requested(); }
  /// If time is measured: what ran since the last node ends now, before others hear of it. A counter that starts other tasks
  /// is counted down after this, or they would start before the virtual time at which this task had done its part.
  void charge_time() {
    if (measured()) end_step();
  }
  [[nodiscard]] worker_id worker() const noexcept;
  [[nodiscard]] std::uint32_t num_workers() const noexcept { return program_.workers_; }

  // For skua::mark, and for flows (program/flow/flow_trace.hpp).
  friend void note_mark(here& h, char const* name, std::uint64_t number) noexcept;
  friend std::uint32_t begin_traced_flow(here& h) noexcept;
  friend std::uint32_t name_in_trace(here& h, std::string_view text) noexcept;
  friend std::uint64_t trace_ticks(here const& h) noexcept;
  friend void note_event(here& h, trace::event const& e, char const* name) noexcept;
  friend void note_event_at(here& h, trace::event const& e) noexcept;
  /// The virtual time since the run began, when this code runs.
  [[nodiscard]] friend std::uint64_t virtual_ns(here const& h) noexcept { return h.program_.now_ns(); }

 private:
  friend class live;
  [[nodiscard]] run_trace* trace_of_run() const noexcept;

  /// While this object lives, `h` watches one more group or token.
  class watching {
   public:
    watching(here& h, stop_watch const& w) noexcept : here_(h), mine_(w), outer_(h.watch_) { h.watch_ = &mine_; }
    ~watching() { here_.watch_ = outer_; }
    watching(watching const&) = delete;
    watching& operator=(watching const&) = delete;

   private:
    here& here_;
    stop_watch const mine_;
    stop_watch const* const outer_;
  };

  template <class Call>
  class numbered final : public live_group {
   public:
    numbered(stop_watch const* outer, Call& c) noexcept : live_group(outer), call_(c) {}

   private:
    void call(std::uint64_t i, here& on) override { call_(i, on); }
    Call& call_;
  };

  template <std::size_t N, class... F>
  auto join_all(std::array<hint, N> const& hints, F&&... f) {
    std::tuple<std::optional<runtime::value_of<F, here&>>...> results;
    std::tuple<F&&...> functions{std::forward<F>(f)...};
    auto const call_child = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return [&](std::uint64_t i, here& h) {
        static_cast<void>(
            ((i == I &&
              (std::get<I>(results).emplace(skua::runtime::call(std::get<I>(std::move(functions)), h)), true)) ||
             ...));
      };
    }(std::index_sequence_for<F...>{});
    run_group(tree_node_kind::join, N, [&](std::uint64_t i) { return hints[i]; }, call_child);
    return std::apply([](auto&&... v) { return runtime::values(std::move(*v)...); }, std::move(results));
  }

  template <class HintOf, class Call>
  void run_group(tree_node_kind kind, std::uint64_t children, HintOf&& hint_of, Call&& call_child) {
    numbered<Call const> group{watch_, call_child};
    tree_node_id const id = open(kind);
    for (std::uint64_t i = 0; i < children; ++i) program_.add_child(id, hint_of(i), group, i);
    meet(id);
    group.check();
  }

  // live.cpp
  tree_node_id open(tree_node_kind kind);  ///< adds a node to the task that runs here
  void yield(tree_node_id step);           ///< announces a node; the engine continues until it comes back to this stack
  void meet(tree_node_id group);  ///< announces a group, then calls the children that the engine orders on this stack
  void body_ends();               ///< the same for a scope whose body has ended
  [[nodiscard]] bool is_running_inside(tree_node_id node) const noexcept;
  /// Announces a task of a finish region, and calls it here if the engine says so.
  void spawn(tree_node_id region, hint const& hinted, live_group& in, std::uint64_t number);
  /// Announces that this member of a team is at the barrier; returns when the engine has released it.
  void wait_for_team(tree_node_id member);
  [[nodiscard]] bool measured() const noexcept { return program_.measured_ == timing::on; }
  void measure(tree_node_id leaf);  ///< charges the time since the last node to this leaf
  void end_step();                  ///< ... or makes a step of it
  void forget_time();               ///< charges nothing until the next node

  void note(tree_node_id id, reads const& r) { program_.tree_.add_touch(id, touch_of(r)); }
  void note(tree_node_id id, writes const& w) { program_.tree_.add_touch(id, touch_of(w)); }
  void note(tree_node_id id, flops const& f) { program_.tree_.add_flops(id, f.count); }
  template <class Kernel>
    requires(!runtime::footprint_word<Kernel>)
  void note(tree_node_id, Kernel const&) noexcept {}

  live& program_;
  live_fiber& fiber_;
  tree_node_id node_ = no_tree_node;  ///< the task or scope body that runs
  stop_watch const* watch_ = nullptr;
};

/// A scope or a finish region: a body that is a part of its task's code, and children that are called by number.
class here::body_group : public live_group {
 public:
  body_group(body_group const&) = delete;
  body_group& operator=(body_group const&) = delete;

  /// Calls body(handle). When it returns or throws, all children have ended. The body's exception takes precedence over
  /// theirs, unless it is `cancelled`.
  template <class Handle, class Body>
  decltype(auto) run(Handle& handle, Body&& body) {
    using value = std::invoke_result_t<Body, Handle&>;
    if constexpr (std::is_void_v<value>) {
      run_body(handle, body);
      end();
      check();
    } else {
      decltype(auto) kept = run_body(handle, body);
      end();
      check();
      return static_cast<value>(kept);
    }
  }

 protected:
  body_group(here& h, tree_node_kind kind) : live_group(h.watch_), here_(h), outer_(h.node_), id_(h.open(kind)) {
    h.yield(id_);
    h.node_ = id_;
  }
  ~body_group() = default;

  here& here_;
  tree_node_id const outer_;
  tree_node_id const id_;

 private:
  template <class Handle, class Body>
  decltype(auto) run_body(Handle& handle, Body&& body) {
    watching const inner{here_, *watch()};
    try {
      return std::forward<Body>(body)(handle);
    } catch (cancelled const&) {
      abandon();
      end();
      if (failure()) std::rethrow_exception(failure());  // a child's real exception wins over the body's `cancelled`
      throw;
    } catch (...) {
      abandon();
      end();
      throw;
    }
  }
  /// Called when the body has ended; when it returns, all children have ended.
  void end() {
    here_.body_ends();
    here_.node_ = outer_;
  }
};

/// A scope's children: closures on the heap, each freed when it has run.
class here::scope_type final : public body_group {
 public:
  explicit scope_type(here& h) : body_group(h, tree_node_kind::scope) {}

  template <class F>
    requires runtime::forkable<F, here>
  void spawn(F&& f) {
    spawn(hint{}, std::forward<F>(f));
  }
  template <runtime::hint_word Hint, class F>
    requires runtime::forkable<F, here>
  void spawn(Hint hint, F&& f) {
    if (here_.node_ != id_) throw usage_error("simulator: scope.spawn is called outside the body of its scope");
    here_.charge_time();
    children_.push_back(std::make_unique<closure_of<std::decay_t<F>>>(std::forward<F>(f)));
    here_.yield(here_.program_.add_child(id_, as_hint(hint), *this, children_.size() - 1));
  }

 private:
  struct closure {
    virtual ~closure() = default;
    virtual void call(here& on) = 0;
  };
  template <class F>
  struct closure_of final : closure {
    template <class G>
    explicit closure_of(G&& g) : f(std::forward<G>(g)) {}
    void call(here& on) override { runtime::call_forked(on, std::move(f)); }
    F f;
  };

  void call(std::uint64_t i, here& on) override {
    std::unique_ptr<closure> const mine = std::move(children_[i]);
    mine->call(on);
  }

  std::vector<std::unique_ptr<closure>> children_;
};

/// A finish region's tasks: closures on the heap with their strategies, each freed when it has run or was dropped.
class here::finish_type final : public body_group {
 public:
  explicit finish_type(here& h) : body_group(h, tree_node_kind::finish) {}

  /// The region, for its body or one of its tasks.
  class handle : public runtime::spawn_forms<handle> {
   public:
    handle(finish_type& region, sim::here& h) noexcept : region_(region), here_(h), task_(h.node_) {}
    handle(handle const&) = delete;
    handle& operator=(handle const&) = delete;

    [[nodiscard]] sim::here& here() noexcept { return here_; }
    /// How many addresses the nodes of a flow should have, if they have none.
    [[nodiscard]] std::uint32_t address_keys() const noexcept { return here_.program_.address_keys(task_); }
    [[nodiscard]] bool wants_critical_path() const noexcept { return here_.program_.wants_critical_path(); }
    /// From now on the task only spawns what waited for it.
    void task_has_returned() noexcept { has_returned_ = true; }

   private:
    friend runtime::spawn_forms<handle>;

    /// Throws usage_error outside the call to which this handle was passed.
    template <strategy S, class F>
    void add_task(hint const& hinted, S const& s, F&& f) {
      if (!here_.is_running_inside(task_))
        throw usage_error("simulator: spawn is called outside the task of its region");
      region_.children_.push_back(std::make_unique<closure_of<S, std::decay_t<F>>>(s, std::forward<F>(f)));
      region_.children_.back()->is_unblocked = has_returned_;
      here_.spawn(region_.id_, hinted, region_, region_.children_.size() - 1);
    }

    template <strategy S, class Body, class Done>
    void add_team(hint hinted, S const& s, Body&& body, Done&& done) {
      if (!here_.is_running_inside(task_))
        throw usage_error("simulator: spawn is called outside the task of its region");
      hinted.type = runtime::as_team(hinted.type.value_or(task_type{0}));
      region_.children_.push_back(std::make_unique<team_of<S, std::decay_t<Body>, std::decay_t<Done>>>(
          s, std::forward<Body>(body), std::forward<Done>(done)));
      region_.children_.back()->is_unblocked = has_returned_;
      here_.spawn(region_.id_, hinted, region_, region_.children_.size() - 1);
    }

    finish_type& region_;
    sim::here& here_;
    tree_node_id const task_;  ///< the body, or the task
    bool has_returned_ = false;
  };

 private:
  struct closure {
    virtual ~closure() = default;
    virtual void call(handle& region) = 0;
    [[nodiscard]] virtual spawn_request spawned() const { return {}; }
    [[nodiscard]] virtual bool is_moldable() const { return false; }
    bool is_unblocked = false;  ///< the task that spawned it had returned
  };
  template <class S>
  static spawn_request request_of(S const& s) {
    return {
        .task = {.kind = runtime::kind_of<S>(), .value = &s, .value_size = sizeof(S), .weight = runtime::weight_of(s)},
        .may_be_call = runtime::allows_call(s),
        .is_declared = !std::same_as<S, runtime::no_strategy>};
  }
  template <class S, class F>
  struct closure_of final : closure {
    template <class G>
    closure_of(S const& chosen, G&& g) : s(chosen), f(std::forward<G>(g)) {}
    void call(handle& region) override { static_cast<void>(f(region)); }
    [[nodiscard]] spawn_request spawned() const override { return request_of(s); }
    S s;
    F f;
  };

  /// What the members of a team share, each on its own stack.
  class stacks_of_team final : public runtime::team_state {
   public:
    explicit stacks_of_team(std::uint32_t width) : team_state(width), left_(width), members_(width) {}
    void barrier(std::uint32_t m) noexcept override { members_[m].here->wait_for_team(members_[m].task); }
    void const*& exposed(std::uint32_t m) noexcept override { return members_[m].exposed; }
    void begin(std::uint32_t m, sim::here& h) { members_[m] = {&h, h.node_, nullptr}; }
    /// True for the last member, if none has failed.
    [[nodiscard]] bool end(std::uint32_t m, bool failed) noexcept {
      members_[m].exposed = nullptr;
      has_failed_ = has_failed_ || failed;
      return --left_ == 0 && !has_failed_;
    }

   private:
    struct member {
      sim::here* here = nullptr;
      tree_node_id task = no_tree_node;
      void const* exposed = nullptr;
    };
    std::uint32_t left_;
    bool has_failed_ = false;
    std::vector<member> members_;
  };
  /// A moldable task: called alone, or by each member.
  struct moldable : closure {
    virtual void call_body(runtime::team<sim::here>& mine) = 0;
    virtual void call_done(handle& region) = 0;
    void call(handle& region) final {
      runtime::lone_team only;
      runtime::team<sim::here> mine(region.here(), only, 0);
      call_body(mine);
      call_done(region);
    }
    [[nodiscard]] bool is_moldable() const final { return true; }
    void call_member(handle& region, std::uint32_t m) {
      state->begin(m, region.here());
      try {
        runtime::team<sim::here> mine(region.here(), *state, m);
        call_body(mine);
      } catch (...) {
        static_cast<void>(state->end(m, true));
        throw;
      }
      region.here().charge_time();
      if (state->end(m, false)) return call_done(region);
      region.here().forget_time();
    }
    std::unique_ptr<stacks_of_team> state;
  };
  template <class S, class Body, class Done>
  struct team_of final : moldable {
    template <class B, class D>
    team_of(S const& chosen, B&& b, D&& d) : s(chosen), body(std::forward<B>(b)), done(std::forward<D>(d)) {}
    void call_body(runtime::team<sim::here>& mine) override { static_cast<void>(body(mine)); }
    void call_done(handle& region) override { static_cast<void>(done(region)); }
    [[nodiscard]] spawn_request spawned() const override { return request_of(s); }
    S s;
    Body body;
    Done done;
  };
  struct member final : closure {
    member(std::shared_ptr<moldable> all, std::uint32_t m) : whole(std::move(all)), number(m) {}
    void call(handle& region) override { whole->call_member(region, number); }
    std::shared_ptr<moldable> const whole;
    std::uint32_t const number;
  };

  void call(std::uint64_t i, here& h) override {
    std::unique_ptr<closure> const mine = std::move(children_[i]);
    handle region(*this, h);
    mine->call(region);
  }
  [[nodiscard]] spawn_request spawned(std::uint64_t i) override {
    spawn_request asked = children_[i]->spawned();
    asked.is_unblocked = children_[i]->is_unblocked;
    return asked;
  }
  void drop(std::uint64_t i) override { children_[i].reset(); }
  [[nodiscard]] bool is_moldable(std::uint64_t i) const override { return children_[i]->is_moldable(); }
  std::uint64_t form_team(std::uint64_t i, std::uint32_t width) override {
    std::shared_ptr<moldable> const whole(static_cast<moldable*>(children_[i].release()));
    whole->state = std::make_unique<stacks_of_team>(width);
    std::uint64_t const first = children_.size();
    for (std::uint32_t m = 0; m < width; ++m) children_.push_back(std::make_unique<member>(whole, m));
    return first;
  }

  std::vector<std::unique_ptr<closure>> children_;
};

template <class Body>
decltype(auto) here::scope(Body&& body) {
  scope_type s{*this};
  return s.run(s, std::forward<Body>(body));
}

template <class Body>
decltype(auto) here::finish(Body&& body) {
  finish_type region{*this};
  finish_type::handle of_body(region, *this);
  return region.run(of_body, std::forward<Body>(body));
}

static_assert(runtime::has_finish<here>);

}}}  // namespace skua::v0::sim
