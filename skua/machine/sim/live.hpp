// SPDX-License-Identifier: MIT
// Programs in virtual time: C++ code written against `fork_join` runs on fibers of one thread, and stops wherever the
// scheduler has something to decide. It computes its real results; its times come from the cost model. States and
// invariants: live.md.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <stop_token>
#include <vector>

#include "skua/machine/sim/simulator.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/context/context.hpp"
#include "skua/parts/context/current.hpp"
#include "skua/parts/context/stack.hpp"
#include "skua/policy/needs.hpp"
#include "skua/program/recorder.hpp"
#include "skua/program/task_tree.hpp"

namespace skua { inline namespace v0 { namespace sim {

class here;
class live;
class live_group;

/// One of the program's stacks.
struct live_fiber;

/// The sources of a task's early end: the groups and tokens around it, innermost first.
struct stop_watch {
  stop_watch const* outer = nullptr;
  live_group const* group = nullptr;
  std::stop_token const* token = nullptr;
  [[nodiscard]] bool requested() const noexcept;
};

/// Children of a group, scope or finish region, called by number. Lives in the frame of the task that opened it.
class live_group {
 public:
  explicit live_group(stop_watch const* outer) noexcept : watch_{outer, this, nullptr} {}
  live_group(live_group const&) = delete;
  live_group& operator=(live_group const&) = delete;

  /// Runs child i, unless the group is ending early. Returns false if it threw or was dropped.
  bool run(std::uint64_t i, here& on);
  /// The request with which child i was spawned. Only in finish regions; so are the functions below.
  [[nodiscard]] virtual spawn_request spawned(std::uint64_t) { return {}; }
  [[nodiscard]] virtual bool is_moldable(std::uint64_t) const { return false; }
  /// Child i runs as a team: returns the number of the first of `width` members, which are called in its place.
  virtual std::uint64_t form_team(std::uint64_t, std::uint32_t /*width*/) { return 0; }
  /// Child i will not run: it is dead.
  virtual void drop(std::uint64_t) {}
  /// Called when every child has run or was dropped: throws the first child's exception, or `cancelled` if a child was
  /// dropped.
  void check() const;
  /// The first exception that a child threw, if any.
  [[nodiscard]] std::exception_ptr const& failure() const noexcept { return failure_; }
  /// Asks the children to end early.
  void abandon() noexcept { ending_ = true; }
  [[nodiscard]] bool ending() const noexcept { return ending_; }
  [[nodiscard]] stop_watch const* watch() const noexcept { return &watch_; }

 protected:
  ~live_group() = default;

 private:
  virtual void call(std::uint64_t i, here& on) = 0;

  stop_watch const watch_;
  bool ending_ = false;
  bool dropped_ = false;
  std::exception_ptr failure_;
};

/// An assumed duration of every task and leaf, used like a measured one.
struct assumed_ns {
  std::uint64_t task = 0;
  std::uint64_t leaf = 0;
  friend constexpr bool operator==(assumed_ns const&, assumed_ns const&) = default;
};

/// The program on its stacks. Each object runs once, on the thread that made it.
class live final : public stepped_program {
 public:
  /// `timing::on` measures leaves and steps while they run (and puts steps into the tree); otherwise only the
  /// footprints of leaves are known. Throws usage_error for an invalid stack size.
  explicit live(std::uint32_t workers, timing measured = timing::off,
                std::size_t stack_bytes = runtime::default_stack_bytes, assumed_ns assumed = {});
  ~live() override;
  live(live const&) = delete;
  live& operator=(live const&) = delete;

  /// The root task is child 0 of this group, which must live until the run has ended.
  void begin_with(live_group& root);
  /// What the policy needs of flows.
  void serves(policies::policy_needs const& needs) noexcept {
    derives_addresses_ = needs.addresses;
    wants_critical_path_ = needs.critical;
  }
  [[nodiscard]] bool wants_critical_path() const noexcept { return wants_critical_path_; }
  /// For a flow that the code of this node runs, as on threads: how many addresses the policy tells apart; 0: it needs none, or a
  /// task around the flow has hints that say where its data are.
  [[nodiscard]] std::uint32_t address_keys(tree_node_id node) const noexcept;

  [[nodiscard]] task_tree const& tree() const noexcept override { return tree_; }
  /// The virtual time since the run began, for the code that runs.
  [[nodiscard]] std::uint64_t now_ns() const noexcept { return now_ / ticks_per_ns_; }
  [[nodiscard]] task_tree take_tree() { return std::move(tree_); }
  void begins(run_trace* trace, tick per_ns) noexcept override {
    trace_ = trace;
    ticks_per_ns_ = per_ns;
  }
  void calls(fiber_id stack, tree_node_id task) override;
  tree_node_id next(fiber_id stack, worker_id on, tick now) override;
  [[nodiscard]] bool has_failed(fiber_id stack) const override;
  spawn_request spawned(fiber_id stack, tree_node_id task) override;
  void drops(tree_node_id task) override;
  [[nodiscard]] bool is_moldable(tree_node_id task) const override;
  tree_node_id forms_team(tree_node_id task, std::uint32_t width) override;

 private:
  friend class here;
  struct called {
    live_group* group = nullptr;
    std::uint64_t number = 0;
  };

  tree_node_id add(tree_node_id parent, tree_node_kind kind) {
    tree_node_id const id = tree_.add(parent, kind);
    if (kind == tree_node_kind::leaf) tree_[id].ns = assumed_.leaf;
    called_.emplace_back();
    return id;
  }
  tree_node_id add_child(tree_node_id of, hint const& hint, live_group& in, std::uint64_t number);
  tree_node_id add_spawned(tree_node_id by, tree_node_id region, hint const& hinted, live_group& in,
                           std::uint64_t number);
  tree_node_id add_task(tree_node_id id, live_group& in, std::uint64_t number);
  /// True if `node` is this task, scope or finish region, or a part of its code, but not of its children.
  [[nodiscard]] bool is_inside(tree_node_id node, tree_node_id of) const noexcept;
  void next_on(live_fiber& s);
  void run(live_fiber& s, tree_node_id task);
  void yield(live_fiber& s, tree_node_id step);
  void call_children(live_fiber& s);
  static void base_loop(void* of_fiber) noexcept;
  static void release_stack(void* of_fiber) noexcept;

  // Everything before `publish` happens before what follows on another stack. For ThreadSanitizer, which treats fibers
  // as threads.
  void publish() noexcept {
    edge_.store(1, std::memory_order_release);  // release: pairs with `acquire`, on the other stack
  }
  void acquire() noexcept {
    static_cast<void>(edge_.load(std::memory_order_acquire));  // acquire: pairs with `publish`
  }

  std::uint32_t const workers_;
  timing const measured_;
  assumed_ns const assumed_;
  task_tree tree_;
  std::vector<called> called_;  ///< by node: the child of a group that runs it
  runtime::stack_pool stacks_;
  std::vector<std::unique_ptr<live_fiber>> fibers_;  ///< by the engine's number
  runtime::context engine_;                          ///< saved while the program runs
  live_fiber* running_ = nullptr;
  bool quitting_ = false;
  bool derives_addresses_ = false;
  bool wants_critical_path_ = false;
  run_trace* trace_ = nullptr;
  tick now_ = 0;  ///< of the last `next`
  tick ticks_per_ns_ = 1;
  std::atomic<int> edge_{0};
  runtime::thread_record record_;
};

}}}  // namespace skua::v0::sim
