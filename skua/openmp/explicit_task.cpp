// SPDX-License-Identifier: MIT
#include "skua/openmp/explicit_task.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <optional>

#include "skua/machine/threads/face/executor.hpp"
#include "skua/openmp/construct_trace.hpp"
#include "skua/openmp/dependences.hpp"
#include "skua/openmp/event.hpp"
#include "skua/openmp/team.hpp"

namespace skua { inline namespace v0 { namespace openmp {

namespace {

/// True if the tasks of this set are not to run: the taskgroup around them, or the region, was cancelled.
bool is_cancelled(task_set& set, openmp::team const* team) noexcept {
  if (team == nullptr || !team->can_be_cancelled()) return false;
  task_set const* const group = set.taskgroup();
  return (group != nullptr && group->is_cancelled()) || team->is_cancelled();
}

class explicit_task;

/// The event of a detached task that ran at once: it may be fulfilled before or after the task's code.
struct event_of_undeferred {
  one_shot<> fulfilled;
};

/// Events are addresses; the lowest bit tells the kinds apart.
std::uintptr_t event_name(explicit_task& t) noexcept { return reinterpret_cast<std::uintptr_t>(&t); }
std::uintptr_t event_name(event_of_undeferred& e) noexcept { return reinterpret_cast<std::uintptr_t>(&e) | 1; }
/// The program's variable, and the first of the arguments, which the task's code reads.
void tell_event(task_order const& order, std::uintptr_t event) noexcept {
  *order.detach = reinterpret_cast<void*>(event);
  if (order.data != nullptr) *static_cast<void**>(order.data) = *order.detach;
}

/// Its place in the graph of its siblings; outlives the task while the table names it.
class task_node final : public dependence_node {
 public:
  explicit task_node(explicit_task& t) noexcept : task_(t) {}

 private:
  void ready() noexcept override;
  explicit_task& task_;
};

/// In memory of its own, followed by its arguments.
class explicit_task final : public runtime::free_task<runtime::here> {
 public:
  static explicit_task& make(task& parent, task_order const& order) {
    std::size_t const alignment = std::max(order.alignment, alignof(std::max_align_t));
    std::size_t const bytes = sizeof(explicit_task) + alignment + order.size;
    void* const room = runtime::take_block(bytes);
    auto& made = *::new (room) explicit_task(parent, order, bytes);
    auto const behind = reinterpret_cast<std::uintptr_t>(room) + sizeof(explicit_task);
    made.arguments_ = reinterpret_cast<void*>((behind + alignment - 1) & ~(alignment - 1));  // a power of two
    if (order.detach != nullptr) {
      made.left_ = 2;
      tell_event(order, event_name(made));
    }
    if (order.copy != nullptr) {
      order.copy(made.arguments_, order.data);
    } else if (order.size != 0) {
      std::memcpy(made.arguments_, order.data, order.size);
    }
    return made;
  }
  [[nodiscard]] void* arguments() const noexcept { return arguments_; }
  void has_node(task_node& n) noexcept { node_ = &n; }
  void spawn() noexcept { runtime::executor::spawn(*this); }

  /// Its code has ended, or its event is fulfilled: the second of the two ends it.
  void end_half() noexcept {
    // acq_rel: what both did
    if (__atomic_sub_fetch(&left_, 1, __ATOMIC_ACQ_REL) != 0) return;
    if (node_ != nullptr) {
      node_->complete();
      node_->let_go();
    }
    if (own_.children.unfinished.done() || !own_.children.unfinished.enroll(ender_)) destroy();
  }

 private:
  explicit_task(task& parent, task_order const& order, std::size_t bytes)
      : runtime::free_task<runtime::here>{.kind = &this_kind, .group = &parent.innermost->unfinished},
        function_(order.function), bytes_(bytes) {
    own_.be_child_of(parent, order.is_final);
    ender_.owner = this;
  }
  static void run_task(runtime::free_task<runtime::here>& t, runtime::here& h) noexcept {
    auto& me = static_cast<explicit_task&>(t);
    {
      runtime::tied_section const on_this_thread{runtime::fiber_of(h)};
      me.own_.number = index(h.worker());
      running const now{me.own_};
      noted_task const noted{me.own_, me.function_};
      if (!is_cancelled(*me.own_.children.around, me.own_.team)) me.function_(me.arguments_);
    }
    me.end_half();
  }
  void destroy() noexcept {
    runtime::wait_group& siblings = *group;
    std::size_t const bytes = bytes_;
    this->~explicit_task();
    runtime::give_block(this, bytes);
    siblings.finish();
  }
  /// Ends the task when the last of its children has finished.
  struct ender : runtime::group_waiter {
    ender() noexcept : group_waiter{.wake = &wake_up, .next = nullptr} {}
    static void wake_up(runtime::group_waiter& w) noexcept { static_cast<ender&>(w).owner->destroy(); }
    explicit_task* owner = nullptr;
  };
  static constexpr runtime::free_task_kind<runtime::here> this_kind{.run = &run_task, .name = "omp task"};

  task own_{inherits};
  void (*function_)(void*);
  void* arguments_ = nullptr;
  std::size_t bytes_;
  task_node* node_ = nullptr;
  std::uint32_t left_ = 1;  ///< halves that have not ended
  ender ender_;
};

void task_node::ready() noexcept { task_.spawn(); }

/// A wait of the running task for siblings or children.
class waiting_node final : public dependence_node {
 public:
  void wait() {
    kept_current const others_run;
    ready_.wait();
  }

 private:
  void ready() noexcept override { ready_.set_value(); }
  one_shot<> ready_;
};

dependences& table_of(task& t) {
  if (t.depends == nullptr) t.depends.reset(new dependences);
  return *t.depends;
}

/// An undeferred task: on the calling thread, before this returns; its children finish, too.
inline void run_undeferred(task& parent, task_order const& order, void* arguments) {
  task mine{inherits};
  mine.be_child_of(parent, order.is_final || parent.is_final);
  mine.number = parent.number;
  running const now{mine};
  noted_task const noted{mine, order.function};
  order.function(arguments);
  openmp::wait_for_children(mine);
}

/// The same with what few tasks have: an event, or arguments that must be copied.
[[gnu::noinline]] void run_undeferred_with_more(task& parent, task_order const& order, void (*adjust)(void*, void*),
                                                void* with) {
  std::optional<event_of_undeferred> event;
  if (order.detach != nullptr) tell_event(order, event_name(event.emplace()));
  std::unique_ptr<std::byte[]> room;
  void* arguments = order.data;
  if (order.copy != nullptr || adjust != nullptr) {
    std::size_t bytes = order.size + order.alignment;
    // On the stack, as GCC's library has them: programs copy arrays of some KiB into each of millions of such tasks.
    if (bytes > 16384) room.reset(new std::byte[bytes]);
    arguments = room != nullptr ? room.get() : __builtin_alloca(bytes);
    std::align(order.alignment, order.size, arguments, bytes);
    if (order.copy != nullptr) {
      order.copy(arguments, order.data);
    } else {
      std::memcpy(arguments, order.data, order.size);
    }
    if (adjust != nullptr) adjust(arguments, with);
    run_undeferred(parent, order, arguments);
  } else {
    run_undeferred(parent, order, arguments);
  }
  if (event) {
    kept_current const others_run;
    event->fulfilled.wait();
  }
}

/// One with dependences waits for others: too many of them do not make it undeferred, because that would wait.
bool may_defer(task const& t, task_order const& order) noexcept {
  return order.may_defer && !t.is_final && t.team != nullptr && t.team->defers_tasks() &&
         (order.depends != nullptr || t.innermost->unfinished.outstanding() < std::uint64_t{64} * t.team->size());
}

}  // namespace

void start_task(task_order const& order, void (*adjust)(void*, void*), void* with) {
  task& parent = current();
  if (is_cancelled(*parent.innermost, parent.team)) return;
  bool const has_depends = order.depends != nullptr;
  if (!may_defer(parent, order)) {
    if (has_depends) wait_for_depends(order.depends);
    if (order.copy == nullptr && adjust == nullptr && order.detach == nullptr) [[likely]]
      return run_undeferred(parent, order, order.data);
    return run_undeferred_with_more(parent, order, adjust, with);
  }
  explicit_task& made = explicit_task::make(parent, order);
  if (adjust != nullptr) adjust(made.arguments(), with);
  parent.team->note_task();
  parent.innermost->unfinished.add();
  if (!has_depends) return made.spawn();
  auto* const node = new task_node(made);
  made.has_node(*node);
  node->keep();
  table_of(parent).add(*node, depend_list(order.depends));
  node->arrive();
  node->let_go();
}

void wait_for_children() {
  task& t = current();
  openmp::wait_for_children(t);
  if (t.depends != nullptr) t.depends->forget_all();
}

void wait_for_depends(void** depends) {
  task& t = current();
  if (t.depends == nullptr) return;
  auto* const node = new waiting_node;
  t.depends->wait_only(*node, depend_list(depends));
  node->arrive();
  node->wait();
  node->let_go();
}

void begin_taskgroup(task_set& group) noexcept {
  task& t = current();
  group.outer = t.innermost;
  group.reductions = t.innermost->reductions;
  t.innermost = &group;
}

void end_taskgroup() noexcept {
  task& t = current();
  task_set* const group = t.innermost;
  if (group == &t.children) return;
  wait_for(*group);
  t.innermost = group->outer;
  delete group;
}

void fulfill(std::uintptr_t event) noexcept {
  if ((event & 1) != 0) {
    reinterpret_cast<event_of_undeferred*>(event & ~std::uintptr_t{1})->fulfilled.set_value();
  } else {
    reinterpret_cast<explicit_task*>(event)->end_half();
  }
}

}}}  // namespace skua::v0::openmp
