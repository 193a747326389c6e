// SPDX-License-Identifier: MIT
// `here` on threads: the operations of a program inside a task. Models `fork_join`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/fork/fiber/failure.hpp"
#include "skua/machine/threads/fork/fiber/fiber.hpp"
#include "skua/machine/threads/fork/finish/finish_region.hpp"
#include "skua/machine/threads/fork/join/many.hpp"
#include "skua/machine/threads/fork/join/scope.hpp"
#include "skua/machine/threads/fork/join/two.hpp"
#include "skua/machine/threads/lane/leaf_log.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/base/ranges.hpp"
#include "skua/parts/base/type_text.hpp"
#include "skua/parts/trace/event.hpp"
#include "skua/program/footprint.hpp"
#include "skua/program/fork_join.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The slot of the next join of its task: so the address of a `here` says where in the fiber's deque a fork is, and the first child of a
/// join gets the slot behind that of the join.
class here final : private fork_slot<> {
 public:
  friend fiber& fiber_of(here const& h) noexcept { return fiber_at(h); }
  friend fiber_forks& forks_of(here const& h) noexcept { return static_cast<fiber_forks&>(*h.deque); }
  friend fork_slot<>& join_slot(here& h) noexcept { return h; }
  friend here& here_of(fiber& f) noexcept { return static_cast<here&>(f.free_slot()); }
  /// For the children of an open join of `h`.
  friend here& inside(here& h) noexcept { return *(&h + 1); }
  friend double worker_speed(here const& h) noexcept { return fiber_of(h).speed_of_worker(); }

  /// Runs two children or more, each called as f(here), hint words in front of it, and returns their values in order.
  /// Rethrows the first exception of a child. A fork of two takes a few nanoseconds (docs/measurements.md); more
  /// children form one group. Work: the children's plus O(n); span: the longest child plus O(n), for n children.
  /// If a child was stolen, the call may return on another thread. So do not hold a mutex or a reference to a
  /// thread_local across it. docs/guide/joins.md lists the calls that return on the calling thread.
  template <class... Args>
  [[gnu::always_inline]] auto join(Args&&... args) {
    expect_running();
    if constexpr (!children_for<here, Args...>) {
      static_assert(children_for<here, Args...>, "here.join: takes two children or more, each called as f(here)");
    } else if constexpr (sizeof...(Args) == 2) {
      return join_two(*this, child<unhinted, Args>{{}, std::forward<Args>(args)}...);
    } else {
      return std::apply(
          [this](auto&&... c) __attribute__((always_inline)) {
            if constexpr (sizeof...(c) == 2) {
              return join_two(*this, c...);
            } else {
              return join_many(*this, as_numbered(c)...);
            }
          },
          children_of(std::forward<Args>(args)...));
    }
  }

  /// Runs body(here, range[i]) for all i as one group, a child per element. Rethrows the first exception of a child.
  /// Work: the children's plus O(n); span: the longest child plus O(n). For long ranges of light bodies use for_each
  /// (algorithm/).
  template <divisible_range Range, class Body>
  void join_each(Range&& range, Body&& body) {
    auto const first = std::ranges::begin(range);
    auto const call_child = [&](std::uint64_t i, here& h) { body(h, first[static_cast<difference_of<Range>>(i)]); };
    expect_running();
    elements<decltype(call_child)> all{call_child};
    all.name = type_text<std::remove_reference_t<Body>>();
    run_group(fiber_of(*this), all, static_cast<std::uint64_t>(std::ranges::size(range)));
  }
  /// The same with hints: hint_of(range[i]) returns a hint word, or a number, which is the child's work. Skua calls it
  /// only if the policy looks at the group, or, if it can name a place, before the child runs.
  template <random_access_range Range, class HintOf, class Body>
  void join_each(Range&& range, HintOf&& hint_of, Body&& body) {
    auto const at = [first = std::ranges::begin(range)](std::uint64_t i) -> decltype(auto) {
      return first[static_cast<difference_of<Range>>(i)];
    };
    auto const call_body = [&](std::uint64_t i, here& h) {
      call_at(h, hint_word_of(hint_of(at(i))), [&](here& inside) { body(inside, at(i)); });
    };
    auto const hint_of_child = [&](std::uint64_t i) { return element_hint(hint_of(at(i))); };
    expect_running();
    hinted_elements<decltype(call_body), decltype(hint_of_child)> all{call_body, hint_of_child};
    all.name = type_text<std::remove_reference_t<Body>>();
    run_group(fiber_of(*this), all, static_cast<std::uint64_t>(std::ranges::size(range)));
  }

  /// Runs body(s), where s.spawn([hint,] f) starts a child f(here). Returns the body's value when all children have
  /// returned. Rethrows the first exception. Only the body may spawn, not its children. Each child costs an allocation.
  template <class Body>
  decltype(auto) scope(Body&& body) {
    runtime::scope<here> s{fiber_of(*this)};
    return run_region(s, s, std::forward<Body>(body));
  }

  /// Runs body(f), where f.spawn([hint,] [strategy,] task) starts a task, which may spawn more. Returns the body's
  /// value when all tasks have ended. Rethrows the first exception. [strategies-2013 3]
  template <class Body>
  decltype(auto) finish(Body&& body) {
    finish_region region{fiber_of(*this)};
    finish_handle<here> handle{region, *this};
    return run_region(region, handle, std::forward<Body>(body));
  }

  /// Calls f(team) on several workers and waits for all members. The scheduler chooses their number. Hints stand in
  /// front of f (flow/call_team.hpp). [arms-2021 3.2.1]
  template <class... Args>
  void team(Args&&... args) {
    call_team(*this, std::forward<Args>(args)...);
  }

  /// Calls the kernel, the last argument, and returns its value. The words in front declare what it touches
  /// (footprint.hpp). Logs the leaf while a leaf_record lives. The kernel must not fork. Cost: a branch.
  template <class... Args>
  decltype(auto) leaf(Args&&... args) {
    if (leaf_log& log = fiber_of(*this).front().leaves; log.is_recording()) [[unlikely]]
      log.note(footprint_of(args...));
    return call_kernel(std::forward<Args>(args)...);
  }

  /// Runs f(here) and returns its value. After a stop of `token`, joins inside f throw `cancelled` at their next fork.
  /// Throws `cancelled` without calling f if a stop was requested before.
  template <class F>
  decltype(auto) with_stop(std::stop_token token, F&& f) {
    expect_running();
    stop_scope const watched{fiber_of(*this), token};
    if (stop_requested()) throw cancelled{};
    return std::forward<F>(f)(*this);
  }

  /// True if this task should end early: after a stop around it, or when a sibling has thrown. Cheap enough for every
  /// leaf, not for every element.
  [[nodiscard]] bool stop_requested() const noexcept {
    expect_running();  // it may link stolen joins, which is a race on another thread
    return fiber_of(*this).stop_requested();
  }
  /// The number of the worker that runs this task, within the region. It may change at each join.
  [[nodiscard]] worker_id worker() const noexcept { return fiber_of(*this).worker(); }
  /// The number of workers of the region.
  [[nodiscard]] std::uint32_t num_workers() const noexcept { return fiber_of(*this).front().in_workers; }

  // Names before version 1, for one version more (docs/guide/names.md).
  template <class... Args>
  [[deprecated("here.each is now here.join_each")]] void each(Args&&... args) {
    join_each(std::forward<Args>(args)...);
  }
  [[deprecated("here.workers() is now here.num_workers()")]] [[nodiscard]] std::uint32_t workers() const noexcept {
    return num_workers();
  }

  // Functions that the library finds by argument-dependent lookup: friends, so that completion does not offer them to
  // programs.

  // Loops, before they fork (program/pieces.hpp).
  [[nodiscard]] friend bool sees_forks(here const& h) noexcept { return fiber_of(h).front().exposes_groups(); }
  [[nodiscard]] friend bool may_be_stopped(here const& h) noexcept { return fiber_of(h).watching() != nullptr; }
  [[nodiscard]] friend bool offers_forks(here const& h) noexcept { return !forks_of(h).is_empty(); }
  [[nodiscard]] friend std::uint64_t ticks_of(here const&) noexcept { return processor_ticks(); }
  /// 1.5 us: the time of a wake-up or a steal, and of moving some kilobytes to another processor.
  [[nodiscard]] friend std::uint64_t short_loop_ticks(here const&) noexcept {
    return ticks_per_us() + ticks_per_us() / 2;
  }
  // skua::mark, and flows that go into a trace (flow/flow_trace.hpp).
  friend void note_mark(here& h, char const* name, std::uint64_t number) noexcept;
  friend std::uint32_t begin_traced_flow(here& h) noexcept;
  friend std::uint32_t name_in_trace(here& h, std::string_view text) noexcept;
  [[nodiscard]] friend std::uint64_t trace_ticks(here const&) noexcept { return processor_ticks(); }
  friend void note_event(here& h, trace::event const& e, char const* name) noexcept;
  friend void note_event_at(here& h, trace::event const& e) noexcept;

 private:
  /// In checked builds: as fiber::expect_running; and a task that uses the `here` of the join around it finds that slot full.
  void expect_running() const noexcept {
    if constexpr (checked) {
      fiber_of(*this).expect_running();
      expect_free();
    }
  }
  void expect_free() const noexcept;

  /// body(handle), inside a region that waits for the tasks that the body starts.
  template <class Region, class Handle, class Body>
  decltype(auto) run_region(Region& region, Handle& handle, Body&& body) {
    expect_running();
    auto run_body = [&]() -> decltype(auto) {
      try {
        struct unwatch {
          fiber& running;
          stop_node const* outer;
          ~unwatch() { running.watch(outer); }
        } const at_end{fiber_of(*this), fiber_of(*this).watching()};
        at_end.running.watch(&region.inside());
        return std::forward<Body>(body)(handle);
      } catch (cancelled const&) {
        region.abandon();
        region.rethrow_failure();  // a child's real exception wins over the body's `cancelled`
        throw;
      } catch (...) {
        region.abandon();
        throw;
      }
    };
    if constexpr (std::is_void_v<std::invoke_result_t<Body, Handle&>>) {
      run_body();
      region.finish();
    } else {
      decltype(auto) value = run_body();
      region.finish();
      return static_cast<std::invoke_result_t<Body, Handle&>>(value);
    }
  }

  template <class Hint, class F>
  static numbered_child<here, Hint, F> as_numbered(child<Hint, F> const& c) noexcept {
    return {c.hint, std::forward<F>(c.function)};
  }

  /// The elements of `join_each` as numbered children.
  template <class Call>
  struct elements : numbered_children {
    explicit elements(Call const& c) noexcept
        : numbered_children{[](numbered_children& self, std::uint64_t i, fiber& on) {
            static_cast<elements&>(self).call_child(i, here_of(on));
          }},
          call_child(c) {}
    Call const& call_child;
  };
  template <class Call, class HintOf>
  struct hinted_elements : elements<Call> {
    hinted_elements(Call const& c, HintOf const& of) noexcept : elements<Call>(c), hint_of_child(of) {
      this->hint_of = [](numbered_children const& self, std::uint64_t i) noexcept {
        return static_cast<hinted_elements const&>(self).hint_of_child(i);
      };
    }
    HintOf const& hint_of_child;
  };
};

}}}  // namespace skua::v0::runtime

template <>
inline constexpr bool skua::runtime::is_checked_fork_join<skua::runtime::here> = true;  // here.cpp
