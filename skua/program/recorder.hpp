// SPDX-License-Identifier: MIT
// A `here` that calls like `serial` and records the task tree. Values and exceptions pass through unchanged; after an
// exception the tree holds the nodes up to it.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <new>
#include <ranges>
#include <stop_token>
#include <tuple>
#include <utility>

#include "skua/parts/base/error.hpp"
#include "skua/program/flow/call_team.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/serial.hpp"
#include "skua/program/strategy/finish.hpp"
#include "skua/program/strategy/serial_finish.hpp"
#include "skua/program/task_tree.hpp"

namespace skua { inline namespace v0 {

/// Whether the recorder measures how long leaves and steps take. (Then it records steps, too.)
enum class timing : std::uint8_t { off, on };

/// Cost: one node of about 90 bytes per task, group, leaf and step; with timing two clock readings per node.
/// Throws usage_error if a leaf forks or contains a leaf, and if scope.spawn is called outside the body of its scope.
class recorder {
 public:
  explicit recorder(timing t = timing::off) : timing_(t), last_(now()) {}
  recorder(recorder const&) = delete;
  recorder& operator=(recorder const&) = delete;

  /// The tree recorded since construction or the last call; the recorder starts again with a new root.
  task_tree take() {
    stamp();
    task_tree finished = std::exchange(tree_, task_tree{});
    current_ = 0;
    last_ = now();
    return finished;
  }

  template <class... Args>
  auto join(Args&&... args) {
    entered const group(*this, tree_node_kind::join);
    // Braces: children are called left to right.
    return std::apply(
        [this](auto&&... c) {
          std::tuple<runtime::value_of<decltype(c.function), recorder&>...> all{
              this->task(as_hint(c.hint), std::forward<decltype(c.function)>(c.function))...};
          return std::apply([](auto&&... v) { return runtime::values(std::move(v)...); }, std::move(all));
        },
        runtime::children_of(std::forward<Args>(args)...));
  }

  template <std::ranges::random_access_range Range, class Body>
  void join_each(Range&& range, Body&& body) {
    join_each(std::forward<Range>(range), [](auto&&) { return hint{}; }, std::forward<Body>(body));
  }
  template <std::ranges::random_access_range Range, class HintOf, class Body>
  void join_each(Range&& range, HintOf&& hint_of, Body&& body) {
    entered const group(*this, tree_node_kind::each);
    for (auto&& element : range) {
      task(runtime::element_hint(hint_of(element)), [&](recorder& here) { body(here, element); });
    }
  }

  class scope_type {
   public:
    scope_type(recorder& here, tree_node_id id) noexcept : here_(here), id_(id) {}

    template <class F>
      requires runtime::forkable<F, recorder>
    void spawn(F&& f) {
      spawn(hint{}, std::forward<F>(f));
    }
    template <runtime::hint_word Hint, class F>
    void spawn(Hint hint, F&& f) {
      if (here_.current_ != id_) throw usage_error("recorder: scope.spawn is called outside the body of its scope");
      here_.task(runtime::as_hint(hint), [&f](recorder& here) { runtime::call_forked(here, std::forward<F>(f)); });
    }

   private:
    recorder& here_;
    tree_node_id id_;
  };

  template <class Body>
  decltype(auto) scope(Body&& body) {
    entered const group(*this, tree_node_kind::scope);
    scope_type s(*this, current_);
    return std::forward<Body>(body)(s);
  }

  /// A finish region for its body, or one of its tasks. A task's node is a child of the task that spawns it.
  class finish_type : public runtime::spawn_forms<finish_type> {
   public:
    using tasks = runtime::serial_finish<recorder>;
    finish_type(tasks& all, tree_node_id region) noexcept : all_(all), region_(region) {}

    [[nodiscard]] recorder& here() noexcept { return all_.here(); }

   private:
    friend runtime::spawn_forms<finish_type>;

    template <strategy S, class F>
    void add_task(hint const& hinted, S const& s, F&& f) {
      here().stamp();
      tree_node_id const node = here().tree_.add_spawned(here().current_, region_, hinted);
      all_.spawn(s, [node, region = region_, task = std::decay_t<F>(std::forward<F>(f))](tasks& all) mutable {
        entered const running(all.here(), node);
        finish_type inner(all, region);
        static_cast<void>(task(inner));
      });
      here().last_ = here().now();
    }

    tasks& all_;
    tree_node_id const region_;
  };

  /// Runs the tasks in the order of their strategies, but records no strategies.
  template <class Body>
  decltype(auto) finish(Body&& body) {
    entered const region(*this, tree_node_kind::finish);
    return runtime::finish_serially(*this, [&](auto& all) -> decltype(auto) {
      finish_type f(all, current_);
      return std::forward<Body>(body)(f);
    });
  }

  /// A team of one.
  template <class... Args>
  void team(Args&&... args) {
    runtime::call_team(*this, std::forward<Args>(args)...);
  }

  template <class... Args>
  decltype(auto) leaf(Args&&... args) {
    entered const kernel(*this, tree_node_kind::leaf);
    (note(args), ...);
    return runtime::call_kernel(std::forward<Args>(args)...);
  }

  /// For skua::mark; `name` must live as long as the tree. Without memory the tree lacks the mark.
  friend void note_mark(recorder& h, char const* name, std::uint64_t number) noexcept try {
    h.tree_.add_mark({h.tree_.size(), name, number});
  } catch (std::bad_alloc const&) {
    return;
  }

  template <class F>
  decltype(auto) with_stop(std::stop_token token, F&& f) {
    return stops_.with_stop(std::move(token), [&](serial&) -> decltype(auto) { return std::forward<F>(f)(*this); });
  }
  [[nodiscard]] bool stop_requested() const noexcept { return stops_.stop_requested(); }
  [[nodiscard]] worker_id worker() const noexcept { return worker_id{0}; }
  [[nodiscard]] std::uint32_t num_workers() const noexcept { return 1; }

 private:
  using clock = std::chrono::steady_clock;

  /// While it lives, the recorder is inside this node.
  class entered {
   public:
    entered(recorder& here, tree_node_kind kind, hint hints = {}) : here_(here), outer_(here.current_) {
      if (here.tree_[outer_].kind == tree_node_kind::leaf)
        throw usage_error("recorder: a leaf may not fork or contain leaves");
      here.stamp();
      here.current_ = here.tree_.add(outer_, kind, hints);
      here.last_ = here.now();
    }
    /// ... which is in the tree already.
    entered(recorder& here, tree_node_id node) : here_(here), outer_(here.current_) {
      here.stamp();
      here.current_ = node;
      here.last_ = here.now();
    }
    ~entered() {
      here_.stamp();
      here_.current_ = outer_;
      here_.last_ = here_.now();
    }
    entered(entered const&) = delete;
    entered& operator=(entered const&) = delete;

   private:
    recorder& here_;
    tree_node_id outer_;
  };

  template <class F>
  auto task(hint hints, F&& f) {
    entered const child(*this, tree_node_kind::task, hints);
    return runtime::call(std::forward<F>(f), *this);
  }

  void note(reads const& r) { tree_.add_touch(current_, touch_of(r)); }
  void note(writes const& w) { tree_.add_touch(current_, touch_of(w)); }
  void note(flops const& f) { tree_.add_flops(current_, f.count); }
  template <class Kernel>
    requires(!runtime::footprint_word<Kernel>)
  void note(Kernel const&) noexcept {}

  [[nodiscard]] clock::time_point now() const noexcept {
    return timing_ == timing::on ? clock::now() : clock::time_point{};
  }

  /// Charges the time since `last_` to the current leaf, or to a step of the current task or scope body.
  void stamp() {
    if (timing_ == timing::off) return;
    auto const elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - last_).count();
    if (elapsed <= 0) return;
    tree_node_kind const kind = tree_[current_].kind;
    tree_node_id charged = current_;
    if (kind == tree_node_kind::task || kind == tree_node_kind::scope || kind == tree_node_kind::finish) {
      tree_node_id const newest = tree_.last_child(current_);
      bool const goes_on = newest != no_tree_node && tree_[newest].kind == tree_node_kind::step;
      charged = goes_on ? newest : tree_.add(current_, tree_node_kind::step);
    } else if (kind != tree_node_kind::leaf) {
      return;  // between the children of a group only the recorder runs
    }
    tree_[charged].ns += static_cast<std::uint64_t>(elapsed);
  }

  task_tree tree_;
  tree_node_id current_ = 0;
  timing timing_;
  clock::time_point last_;
  serial stops_;  ///< the tokens of the enclosing with_stop calls
};

static_assert(runtime::models_fork_join<serial>);
static_assert(runtime::models_fork_join<recorder>);
static_assert(runtime::has_finish<recorder>);

/// The tree of f(here).
template <std::invocable<recorder&> F>
task_tree record(F&& f, timing t = timing::off) {
  recorder here(t);
  std::forward<F>(f)(here);
  return here.take();
}

}}  // namespace skua::v0

namespace skua { inline namespace v0 { namespace runtime {

template <>
inline constexpr bool runs_flows<recorder> = false;  // a tree does not record for which other tasks a node waits

}}}  // namespace skua::v0::runtime
