// SPDX-License-Identifier: MIT
#include "cli/report/activity.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace skua::cli::traced {
namespace {

trace::construct construct_of(event const& e) noexcept { return static_cast<trace::construct>(e.detail); }

struct open_task {
  std::uint32_t name = 0;
  std::uint64_t item = 0;
  std::uint64_t own_ns = 0;
  bool only_runs_others = false;                  ///< nodes of a flow or constructs, which are counted
  std::optional<event> construct = std::nullopt;  ///< its beginning; none: it is a task
  std::uint64_t tasks_before_ns = 0;              ///< of the worker, when it began

  [[nodiscard]] bool is(trace::construct what) const noexcept { return construct && construct_of(*construct) == what; }
  [[nodiscard]] bool waits() const noexcept { return construct && is_wait(construct_of(*construct)); }
};
/// The tasks on one stack, the outermost first.
using stack = std::vector<open_task>;

struct worker_state {
  activity what = activity::asleep;
  std::uint64_t since_ns = 0;
  stack running;
  std::uint64_t tasks_ns = 0;  ///< spent in explicit tasks of OpenMP
};

std::optional<activity> state_of(kind k) noexcept {
  switch (k) {
    case kind::working:
    case kind::task_began:
    case kind::resumed:
    case kind::called:
    case kind::member_began:
    case kind::node_began:
    case kind::construct_began: return activity::work;
    case kind::scheduling: return activity::scheduling;
    case kind::idling: return activity::idle;
    case kind::sleeping:
    case kind::left: return activity::asleep;
    default: return std::nullopt;
  }
}

bool changes_task(kind k) noexcept {
  switch (k) {
    case kind::task_began:
    case kind::task_ended:
    case kind::parked:
    case kind::moved:
    case kind::resumed:
    case kind::member_began:
    case kind::member_ended:
    case kind::node_began:
    case kind::node_ended:
    case kind::construct_began:
    case kind::construct_ended:
    case kind::called:
    case kind::left: return true;
    default: return false;
  }
}

class player {
 public:
  explicit player(run const& of) : run_(of), now_(of.workers.size()) {
    done_.of_worker.resize(of.workers.size());
    for (std::size_t w = 0; w < of.workers.size(); ++w) {
      if (of.workers[w].lost > 0 || of.workers[w].known_to_ns == 0) now_[w].what = activity::unknown;
    }
  }

  void take(std::uint32_t w, event const& e) {
    std::optional<activity> const next = state_of(e.what);
    if (changes_task(e.what) || (next && *next != now_[w].what)) close(w, e.ticks);
    change_task(w, e);
    if (next) now_[w].what = *next;
  }

  history finish() {
    for (std::uint32_t w = 0; w < now_.size(); ++w) {
      close(w, std::min(run_.workers[w].known_to_ns, run_.length_ns));
      now_[w].what = activity::unknown;
      close(w, run_.length_ns);
    }
    return std::move(done_);
  }

 private:
  void close(std::uint32_t w, std::uint64_t at_ns) {
    worker_state& now = now_[w];
    if (at_ns <= now.since_ns) return;
    bool const runs = now.what == activity::work && !now.running.empty();
    bool const waits = runs && now.running.back().waits();
    std::uint32_t const task = runs && !waits ? now.running.back().name : no_task;
    activity const what = waits ? activity::idle : now.what;
    auto& all = done_.of_worker[w];
    if (runs) now.running.back().own_ns += at_ns - now.since_ns;
    if (runs && now.running.back().is(trace::construct::task)) now.tasks_ns += at_ns - now.since_ns;
    if (!all.empty() && all.back().what == what && all.back().task == task) {
      all.back().to_ns = at_ns;
    } else {
      all.push_back({.from_ns = now.since_ns, .to_ns = at_ns, .task = task, .what = what});
    }
    now.since_ns = at_ns;
  }

  void change_task(std::uint32_t w, event const& e) {
    stack& running = now_[w].running;
    switch (e.what) {
      case kind::task_began:
      case kind::member_began:
      case kind::called: running.push_back({.name = e.other, .item = e.id}); break;
      case kind::node_began:
        if (!running.empty()) running.back().only_runs_others = true;
        running.push_back({.name = e.other, .item = e.id});
        break;
      case kind::construct_began:
        if (!running.empty()) running.back().only_runs_others = true;
        running.push_back({.name = e.other, .item = e.id, .construct = e, .tasks_before_ns = now_[w].tasks_ns});
        break;
      case kind::construct_ended: end_construct(w, e); break;
      case kind::node_ended:  // its id is never 0
      case kind::task_ended:
      case kind::member_ended:
      case kind::left: end(w, e.id, e.ticks, e.what); break;
      case kind::parked:
      case kind::moved: suspend(w, e.id); break;
      case kind::resumed: resume(w, e.id); break;
      default: break;
    }
  }

  /// The innermost task ends, or the one that the event names: what began inside that one has ended with it.
  void end(std::uint32_t w, std::uint64_t item, std::uint64_t at_ns, kind what) {
    stack& running = now_[w].running;
    auto const found =
        std::find_if(running.rbegin(), running.rend(), [&](open_task const& t) { return item == 0 || t.item == item; });
    if (found == running.rend()) return;  // it began before the oldest event
    if (!found->construct && (!found->only_runs_others || what == kind::left))
      done_.tasks.push_back({.name = found->name, .worker = w, .ended_ns = at_ns, .own_ns = found->own_ns});
    running.erase(std::prev(found.base()), running.end());
  }

  void end_construct(std::uint32_t w, event const& e) {
    stack& running = now_[w].running;
    auto const found = std::find_if(running.rbegin(), running.rend(), [&](open_task const& t) {
      return t.construct && t.item == e.id && t.construct->detail == e.detail;
    });
    if (found == running.rend()) return;  // it began before the oldest event
    event const& began = *found->construct;
    std::uint64_t const tasks_ns = now_[w].tasks_ns - std::min(found->tasks_before_ns, now_[w].tasks_ns);
    std::uint64_t const took_ns = e.ticks - std::min(began.ticks, e.ticks);
    done_.constructs.push_back({.what = construct_of(e),
                                .name = found->name,
                                .worker = w,
                                .members = began.count,
                                .id = e.id,
                                .began_ns = began.ticks,
                                .ended_ns = e.ticks,
                                .own_ns = found->waits() ? took_ns - std::min(tasks_ns, took_ns) : found->own_ns,
                                .value = began.value,
                                .iterations = e.value,
                                .chunks = e.other});
    if (construct_of(e) == trace::construct::task)
      done_.tasks.push_back({.name = found->name, .worker = w, .ended_ns = e.ticks, .own_ns = found->own_ns});
    running.erase(std::prev(found.base()), running.end());
  }

  /// Frames of several processes may have the same address.
  [[nodiscard]] std::uint64_t key_of(std::uint32_t w, std::uint64_t frame) const noexcept {
    return frame ^ (std::uint64_t{run_.workers[w].rank} << 48);
  }

  void suspend(std::uint32_t w, std::uint64_t frame) {
    std::uint64_t const key = key_of(w, frame);
    stack left = std::exchange(now_[w].running, {});
    // Clocks of two processors differ by some nanoseconds: it may seem to go on before it stopped.
    if (auto const early = early_.find(key); early != early_.end()) {
      if (now_[early->second].running.empty()) now_[early->second].running = std::move(left);
      early_.erase(early);
      return;
    }
    suspended_[key] = std::move(left);
  }

  void resume(std::uint32_t w, std::uint64_t frame) {
    std::uint64_t const key = key_of(w, frame);
    if (auto const found = suspended_.find(key); found != suspended_.end()) {
      now_[w].running = std::move(found->second);
      suspended_.erase(found);
    } else {
      now_[w].running.clear();
      early_[key] = w;
    }
  }

  run const& run_;
  std::vector<worker_state> now_;
  std::unordered_map<std::uint64_t, stack> suspended_;
  std::unordered_map<std::uint64_t, std::uint32_t> early_;
  history done_;
};

}  // namespace

history replay(run const& of) {
  struct entry {
    std::uint64_t at_ns;
    std::uint32_t worker;
    std::uint32_t index;
  };
  std::vector<entry> order;
  order.reserve(of.events());
  for (std::uint32_t w = 0; w < of.workers.size(); ++w) {
    for (std::uint32_t i = 0; i < of.workers[w].events.size(); ++i)
      order.push_back({of.workers[w].events[i].ticks, w, i});
  }
  std::ranges::stable_sort(order, {}, &entry::at_ns);
  player all(of);
  for (entry const& e : order) all.take(e.worker, of.workers[e.worker].events[e.index]);
  return all.finish();
}

}  // namespace skua::cli::traced
