// SPDX-License-Identifier: MIT
// A flow: a directed acyclic graph of tasks. In each run every node runs once, after its predecessors. [arms-2021 2]
//
//     skua::flow graph(here);
//     auto a = graph.add([](auto& here) { return 3; });
//     auto b = graph.add(skua::takes(a), [](auto& here, int x) { .. });
//     auto c = graph.add(skua::reads{&block, sizeof block}, [](auto& here) { .. });
//     graph.edge(b, c);
//     graph.run(here);         // and again, as often as you like
//
// Nodes are tasks of a finish region, so joins, scopes, other flows, exceptions and stops work in them as in any task.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/type_text.hpp"
#include "skua/program/children.hpp"
#include "skua/program/flow/flow_trace.hpp"
#include "skua/program/flow/graph.hpp"
#include "skua/program/flow/kept_value.hpp"
#include "skua/program/flow/team.hpp"
#include "skua/program/flow/words.hpp"
#include "skua/program/mark.hpp"
#include "skua/program/strategy/finish.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A directed acyclic graph of tasks, which can run many times. One thread at a time builds and runs it; nodes that run
/// may add nodes. Not copyable or movable.
template <class Here>
class flow : public flow_graph {
  static_assert(runs_flows<Here>, "flow: this `here` runs no flows; simulate them live");
  using region = finish_region_of<Here>;

 public:
  flow() = default;
  /// For deduction: flow graph(here).
  explicit flow(Here const&) noexcept {}

  /// The `in` of a node that adds nodes while the flow runs: its function is called as f(here, in, ..).
  class growth {
   public:
    growth(growth const&) = delete;
    growth& operator=(growth const&) = delete;

    /// As flow::add. The new node does not begin before this node has ended.
    template <class... Args>
    auto add(Args&&... args) {
      return flow_.make(added_, std::forward<Args>(args)...);
    }
    /// Makes b run after a. Throws usage_error if b may have begun. b cannot have begun if this node added it or is one
    /// of its predecessors. If a has finished, b does not wait for it in this run.
    template <class A, class B>
    void edge(node<A> const& a, node<B> const& b) {
      if (!flow_.connect(a.get(), b.get())) return;
      flow_.trace_.is_on() ? flow_.template spawn<is_traced>(tasks_, b.get())
                           : flow_.template spawn<untraced>(tasks_, b.get());
    }

   private:
    friend flow;
    growth(flow& in, region& tasks) noexcept : flow_(in), tasks_(tasks) {}
    ~growth() { flow_.put_in(added_); }
    flow& flow_;
    region& tasks_;
    flow_nodes added_;
  };

  /// Adds a node that calls f(here), or f(here, in), where in.add adds more nodes while the flow runs. In front of f
  /// stand, in any order: hints; after(nodes..); takes(nodes..), whose values f receives as further arguments; reads
  /// and writes: the node waits for earlier nodes that touch the same blocks. The address of its first byte identifies
  /// a block. The flow keeps f until it is destroyed. Throws usage_error while the flow runs, and std::bad_alloc; after
  /// that the flow may have one node more, which does nothing. Cost: an allocation per some hundred nodes.
  template <class... Args>
  auto add(Args&&... args) {
    expect_at_rest("add");
    addition made{*this};
    return make(made.nodes, std::forward<Args>(args)...);
  }

  /// As add, for a node that may run on several workers: each of them calls f(team) (team.hpp). [arms-2021 3.2.1]
  template <class... Args>
  node<void> add_team(Args&&... args) {
    expect_at_rest("add_team");
    addition made{*this};
    return make_team(made.nodes, std::forward<Args>(args)...);
  }

  /// Makes b run after a. Throws usage_error while the flow runs, and as growth::edge.
  template <class A, class B>
  void edge(node<A> const& a, node<B> const& b) {
    expect_at_rest("edge");
    static_cast<void>(connect(a.get(), b.get()));  // between runs no node is ready
  }

  /// Runs the flow `times` times: each run runs every node once and waits for all. Nodes that a run adds belong to
  /// later runs, too. Rethrows the first exception of a node; other nodes may then not have run. Throws usage_error if
  /// the flow already runs, or if the graph has a cycle, before the second run at the latest. Throws cancelled if a
  /// stop was requested. If times > 1, each run is an iteration in the trace (mark.hpp).
  void run(Here& here, std::uint64_t times = 1) {
    for (std::uint64_t i = 0; i < times; ++i) {
      if (times > 1) mark(here, "iteration", i);
      run_once(here);
    }
  }

 private:
  struct kind_of_node : flow_node_kind {
    void (*call)(flow_node&, growth&);
    void (*call_member)(flow_node&, team<Here>&);  ///< null: the node does not run as a team
  };
  static void call_nothing(flow_node&, growth&) {}

  /// Puts its nodes into the flow when it is destroyed, also by an exception, because other nodes may have edges to
  /// them.
  struct addition {
    flow& owner;
    flow_nodes nodes{};
    ~addition() { owner.put_in(nodes); }
  };

  template <class F, class T, class... Inputs>
  struct node_of final : flow_node {
    template <class G>
    node_of(G&& g, std::tuple<Inputs const*...> const& i)
        : flow_node(operations), function(std::forward<G>(g)), inputs(i) {}
    F function;
    [[no_unique_address]] std::tuple<Inputs const*...> inputs;
    [[no_unique_address]] std::conditional_t<std::is_void_v<T>, nothing_kept, kept_value<nonvoid<T>>> returned{};

    static void call(flow_node& self, growth& in) {
      auto& me = static_cast<node_of&>(self);
      std::apply(
          [&](auto const*... input) {
            me.returned.keep([&]() -> decltype(auto) { return call_node(me.function, in, *input...); });
          },
          me.inputs);
    }
    static void destroy(flow_node& self) noexcept { std::destroy_at(&static_cast<node_of&>(self)); }
    static constexpr kind_of_node operations{{&node_of::destroy, type_text<F>()}, &node_of::call, nullptr};
    static constexpr kind_of_node given_up{{&node_of::destroy, type_text<F>()}, &call_nothing, nullptr};
  };

  template <class F>
  struct team_node_of final : flow_node {
    template <class G>
    explicit team_node_of(G&& g) : flow_node(operations), function(std::forward<G>(g)) {}
    F function;

    static void call_member(flow_node& self, team<Here>& mine) {
      static_cast<void>(static_cast<team_node_of&>(self).function(mine));
    }
    static void call(flow_node& self, growth& in) {
      lone_team only;
      team<Here> mine(in.tasks_.here(), only, 0);
      call_member(self, mine);
    }
    static void destroy(flow_node& self) noexcept { std::destroy_at(&static_cast<team_node_of&>(self)); }
    static constexpr kind_of_node operations{
        {&team_node_of::destroy, type_text<F>()}, &team_node_of::call, &team_node_of::call_member};
    static constexpr kind_of_node given_up{{&team_node_of::destroy, type_text<F>()}, &call_nothing, nullptr};
  };

  template <class F, class... Inputs>
  static decltype(auto) call_node(F& f, growth& in, Inputs const&... inputs) {
    Here& here = in.tasks_.here();
    if constexpr (std::invocable<F&, Here&, growth&, Inputs const&...>) {
      return f(here, in, inputs...);
    } else {
      return f(here, inputs...);
    }
  }
  template <class F, class... Inputs>
  static constexpr bool can_call =
      std::invocable<F&, Here&, growth&, Inputs const&...> || std::invocable<F&, Here&, Inputs const&...>;

  template <class F, class Tuple>
  struct of_inputs;
  template <class F, class... Inputs>
  struct of_inputs<F, std::tuple<Inputs const*...>> {
    static_assert(can_call<F, Inputs...>,
                  "flow.add: the last argument is called as f(here, values..), with the values that takes() names");
    using value = std::decay_t<decltype(call_node(std::declval<F&>(), std::declval<growth&>(),
                                                  std::declval<Inputs const&>()...))>;
    using made = node_of<F, value, Inputs...>;
  };

  template <class... Args>
  auto make(flow_nodes& added, Args&&... args) {
    constexpr std::size_t words = sizeof...(Args) - 1;
    auto all = std::forward_as_tuple(std::forward<Args>(args)...);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return make_of(added, std::get<words>(std::move(all)), std::get<I>(all)...);
    }(std::make_index_sequence<words>());
  }

  template <class F, class... Words>
  auto make_of(flow_nodes& added, F&& f, Words const&... words) {
    static_assert((flow_word<Words> && ...),
                  "flow.add: only hints, after(..), takes(..), reads{..} and writes{..} may precede the function");
    (vet(words), ...);
    auto const inputs = values_taken(words...);
    using kinds = of_inputs<std::decay_t<F>, std::remove_const_t<decltype(inputs)>>;
    using made_node = typename kinds::made;
    auto* const made = ::new (take(sizeof(made_node), alignof(made_node))) made_node(std::forward<F>(f), inputs);
    enter(added, *made, words...);
    if constexpr (std::is_void_v<typename kinds::value>) {
      return node<void>(*made);
    } else {
      return node<typename kinds::value>(*made, made->returned.address());
    }
  }

  template <class... Args>
  node<void> make_team(flow_nodes& added, Args&&... args) {
    constexpr std::size_t words = sizeof...(Args) - 1;
    auto all = std::forward_as_tuple(std::forward<Args>(args)...);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      using function = std::decay_t<std::tuple_element_t<words, decltype(all)>>;
      static_assert((flow_word<std::tuple_element_t<I, decltype(all)>> && ...) &&
                        !(is_takes<std::remove_cvref_t<std::tuple_element_t<I, decltype(all)>>> || ...),
                    "flow.add_team: only hints, after(..), reads{..} and writes{..} may precede the function");
      static_assert(std::invocable<function&, team<Here>&>, "flow.add_team: the last argument is called as f(team)");
      using made_node = team_node_of<function>;
      (vet(std::get<I>(all)), ...);
      auto* const made = ::new (take(sizeof(made_node), alignof(made_node))) made_node(std::get<words>(std::move(all)));
      enter(added, *made, std::get<I>(all)...);
      return node<void>(*made);
    }(std::make_index_sequence<words>());
  }

  /// If memory runs out when the node has some of its edges, the node stays and does nothing: other nodes may release
  /// it.
  template <class Node, class... Words>
  void enter(flow_nodes& added, Node& made, Words const&... words) {
    number(made);
    added.push_back(made);
    try {
      (obey(made, words), ...);
    } catch (...) {
      made.kind = &Node::given_up;
      throw;
    }
  }

  /// Before the node is made: throws usage_error if a word names a node of another flow.
  template <class Word>
  void vet(Word const&) const noexcept {}
  template <std::size_t N>
  void vet(after_nodes<N> const& word) const {
    for (node<void> const& before : word.nodes) expect_own(before.get());
  }
  template <class... T>
  void vet(taken_values<T...> const& word) const {
    std::apply([&](auto const&... from) { (expect_own(from.get()), ...); }, word.nodes);
  }

  void obey(flow_node& made, hint_word auto const& word) { made.hints = made.hints | as_hint(word); }
  void obey(flow_node& made, block_word auto const& word) { depend(made, word); }
  template <std::size_t N>
  void obey(flow_node& made, after_nodes<N> const& word) {
    for (node<void> const& before : word.nodes)
      static_cast<void>(connect(before.get(), made));  // the new node waits for itself, so it is not ready
  }
  template <class... T>
  void obey(flow_node& made, taken_values<T...> const& word) {
    std::apply([&](auto const&... from) { (static_cast<void>(connect(from.get(), made)), ...); }, word.nodes);
  }

  // A run decides at its beginning whether it writes a trace, so its nodes need not check.
  enum tracing : bool { untraced, is_traced };

  void run_once(Here& here) {
    std::vector<flow_node*> roots;
    arm(roots);
    try {
      trace_.begin(here, *this);
      here.finish([&](region& tasks) {
        if constexpr (requires { tasks.address_keys(); })
          this->derive_for(tasks.address_keys(), tasks.wants_critical_path());
        trace_.is_on() ? spawn_roots<is_traced>(tasks, roots) : spawn_roots<untraced>(tasks, roots);
      });
    } catch (...) {
      trace_.end(here, *this);
      disarm(true);
      throw;
    }
    trace_.end(here, *this);
    disarm(false);
  }

  template <tracing T>
  void spawn_roots(region& tasks, std::vector<flow_node*>& roots) {
    auto const stays = [&](flow_node const* root) { return tasks.keeps(root->hints, is_team(*root)); };
    auto const others = std::partition(roots.begin(), roots.end(), stays);
    for (auto root = others; root != roots.end();) {
      auto const end = end_of_alike(tasks, root, roots.end());
      spawn_alike<T>(tasks, {root, end});
      root = end;
    }
    spawn_all<T>(tasks, {roots.data(), static_cast<std::size_t>(others - roots.begin())});
  }
  /// Spawns nodes that may run where they are spawned. A thief takes half of them at once, so independent nodes are not
  /// stolen one by one.
  template <tracing T>
  void spawn_all(region& tasks, std::span<flow_node* const> ready) {
    if (ready.empty()) return;
    tasks.spawn([this, ready](region& inner) { run_all<T>(inner, ready); });
  }
  template <tracing T>
  void run_all(region& tasks, std::span<flow_node* const> ready) {
    while (ready.size() > 1) {
      std::size_t const half = ready.size() / 2;
      spawn_all<T>(tasks, ready.subspan(half));
      ready = ready.first(half);
    }
    run_from<T>(tasks, *ready.front());
  }

  /// If the policy places each ready node, nodes with the same hints are placed as one task (flow.md). Returns the end
  /// of the nodes that have the hints of the first.
  template <class Root>
  static Root end_of_alike(region& tasks, Root first, Root last) {
    if constexpr (requires { tasks.gathers(hint{}); }) {
      auto const is_alike = [&](flow_node const* n) { return !is_team(*n) && has_hints_of(*n, **first); };
      if (!is_team(**first) && tasks.gathers((*first)->hints)) return std::find_if_not(first, last, is_alike);
    }
    return std::next(first);
  }
  template <tracing T>
  void spawn_alike(region& tasks, std::span<flow_node* const> ready) {
    if (ready.size() == 1) return spawn<T>(tasks, *ready.front());
    if constexpr (requires { tasks.gathers(hint{}); }) {
      tasks.spawn_gathered(ready.front()->hints,
                           [this, ready](region& inner, bool is_at_home) { run_alike<T>(inner, ready, is_at_home); });
    }
  }
  template <tracing T>
  void run_alike(region& tasks, std::span<flow_node* const> ready, bool is_at_home) {
    if (ready.size() > 1 && !is_at_home) {  // a thief takes one node away from the place that the policy chose
      spawn_alike<T>(tasks, ready.subspan(1));
      ready = ready.first(1);
    }
    while (ready.size() > 1) {
      std::size_t const half = ready.size() / 2;
      tasks.spawn_beside(ready.front()->hints, [this, rest = ready.subspan(half)](region& inner, bool at_home) {
        run_alike<T>(inner, rest, at_home);
      });
      ready = ready.first(half);
    }
    run_from<T>(tasks, *ready.front());
  }

  static kind_of_node const& kind_of(flow_node const& n) noexcept { return static_cast<kind_of_node const&>(*n.kind); }
  static bool is_team(flow_node const& n) noexcept { return kind_of(n).call_member != nullptr; }
  template <tracing T>  // a trace shows each node as a task
  static constexpr bool can_go_on = T == untraced && requires(region& tasks) { tasks.holds_next(); };

  template <tracing T>
  void spawn(region& tasks, flow_node& ready) {
    if (is_team(ready)) {
      return tasks.spawn_team(
          ready.hints, [this, &ready](team<Here>& mine) { call_member<T>(ready, mine); },
          [this, &ready](region& inner) { go_on<T>(inner, ready); });
    }
    tasks.spawn(ready.hints, [this, &ready](region& inner) { run_from<T>(inner, ready); });
  }

  /// Runs a node, and then the last of the nodes that it makes ready, if that one may run here.
  template <tracing T>
  void run_from(region& tasks, flow_node& first) {
    for (flow_node* n = &first;;) {
      if constexpr (T == is_traced) {
        flow_nodes const added = call_traced(tasks.here(), *n, 1, [&] { return call(tasks, *n); });
        n = release_traced(tasks, trace::kind::node_ended, *n, added);
      } else {
        flow_nodes const added = call(tasks, *n);
        n = release_after<T>(tasks, *n, added);
      }
      if (!follows<T>(tasks, n)) return;
    }
  }
  /// True if the caller runs `next`, which release_after returned, now.
  template <tracing T>
  [[gnu::always_inline]] bool follows(region& tasks, flow_node* next) {
    if (next == nullptr) return false;
    if (tasks.here().stop_requested()) throw cancelled{};
    if constexpr (can_go_on<T>) {
      if (tasks.holds_next()) return tasks.goes_on(is_team(*next)) || (spawn<T>(tasks, *next), false);
    }
    return true;
  }
  template <tracing T>
  void call_member(flow_node& n, team<Here>& mine) {
    if constexpr (T == is_traced) {
      call_traced(mine.here(), n, mine.width(), [&] { kind_of(n).call_member(n, mine); });
      trace_.node_ends(mine.here(), n);
    } else {
      kind_of(n).call_member(n, mine);
    }
  }
  /// Releases the nodes that wait for a team that has run.
  template <tracing T>
  void go_on(region& tasks, flow_node& ran) {
    flow_node* next = nullptr;
    if constexpr (T == is_traced) {
      next = release_traced(tasks, trace::kind::released, ran, {});
    } else {
      next = release_after<T>(tasks, ran, {});
    }
    if (follows<T>(tasks, next)) run_from<T>(tasks, *next);
  }

  /// In the simulator, ends a node's measured time before nodes that wait for it begin.
  static void charge_time(region& tasks) {
    if constexpr (requires { tasks.here().charge_time(); }) tasks.here().charge_time();
  }

  /// Calls f(), which is the node or a member's part of it. Writes the node's end only if f throws.
  template <class F>
  decltype(auto) call_traced(Here& here, flow_node& n, std::uint32_t width, F&& f) {
    trace_.node_begins(here, n, width);
    try {
      return f();
    } catch (...) {
      trace_.node_ends(here, n);
      throw;
    }
  }
  flow_node* release_traced(region& tasks, trace::kind what, flow_node& ran, flow_nodes const& added) {
    charge_time(tasks);
    std::uint64_t const ended = trace_.now(tasks.here());
    return release_after<is_traced>(tasks, ran, added, [&](flow_edge<flow_node> const* first) {
      trace_.releases(tasks.here(), what, ended, ran, added, first);
    });
  }
  /// Returns a ready node for the caller to run, or null. sees(edge): as for flow_links::finish.
  template <tracing T, class... Sees>
  flow_node* release_after(region& tasks, flow_node& ran, flow_nodes const& added, Sees&&... sees) {
    charge_time(tasks);
    flow_node* kept = nullptr;
    auto const release = [&](flow_node& ready) {
      bool const is_kept = tasks.keeps(ready.hints, is_team(ready));
      if constexpr (can_go_on<T>) {
        if (is_kept && tasks.holds_next()) return spawn<T>(tasks, ready);
      }
      if (is_kept) {
        if (kept != nullptr) spawn<T>(tasks, *kept);
        return void(kept = &ready);
      }
      if constexpr (requires { tasks.task_has_returned(); }) tasks.task_has_returned();
      if constexpr (can_go_on<T>) {
        if (kept == nullptr && tasks.takes_next(ready.hints, is_team(ready))) return void(kept = &ready);
      }
      spawn<T>(tasks, ready);
    };
    seal(added, release);
    ran.links.finish(release, sees...);
    return kept;
  }

  /// Calls the node. Returns the nodes that it added; they are in the flow.
  flow_nodes call(region& tasks, flow_node& n) {
    growth in(*this, tasks);
    kind_of(n).call(n, in);
    return in.added_;
  }

  template <class Release>
  void seal(flow_nodes const& added, Release& release) {
    for (flow_node* n = added.first; n != nullptr;) {
      flow_node* const next = n == added.last ? nullptr : n->next;
      if (n->links.seal()) release(*n);
      n = next;
    }
  }

  flow_trace<Here> trace_;
};

template <class Here>
flow(Here const&) -> flow<Here>;

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {
using runtime::flow;
}}  // namespace skua::v0
