// SPDX-License-Identifier: MIT
// A finish region on one thread. After the body it runs the tasks one after the other, always the first in the order of
// their strategies. The reference of every test, and the baseline for the cost of a scheduler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "skua/parts/base/error.hpp"
#include "skua/parts/ordered/strategy_forest.hpp"
#include "skua/program/strategy/spawn_forms.hpp"
#include "skua/program/strategy/strategy.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template <class Here>
class serial_finish : public spawn_forms<serial_finish<Here>> {
 public:
  explicit serial_finish(Here& on) : here_(on) {}
  ~serial_finish() {
    while (auto const left = waiting_.pop()) delete *left;
  }
  serial_finish(serial_finish const&) = delete;
  serial_finish& operator=(serial_finish const&) = delete;

  [[nodiscard]] static constexpr bool keeps(hint const&, bool) noexcept { return true; }
  [[nodiscard]] Here& here() noexcept { return here_; }

  /// Runs all tasks, and those that they spawn.
  void run_all() {
    while (auto const first = waiting_.pop()) {
      std::unique_ptr<task> const t(*first);
      if (here_.stop_requested()) throw cancelled{};
      if (!t->is_dead()) t->run(*this);
    }
  }

 private:
  friend spawn_forms<serial_finish>;

  template <strategy S, class F>
  void add_task(hint const&, S const& s, F&& f) {
    auto made = std::make_unique<task_of<S, std::decay_t<F>>>(s, std::forward<F>(f), next_++);
    waiting_.push(made.get());
    static_cast<void>(made.release());
  }

  struct task {
    explicit task(strategy_kind const* k, std::uint64_t n) noexcept : kind(k), number(n) {}
    virtual ~task() = default;
    virtual void run(serial_finish& in) = 0;
    [[nodiscard]] virtual void const* value() const noexcept = 0;
    [[nodiscard]] bool is_dead() const { return kind != nullptr && kind->is_dead != nullptr && kind->is_dead(value()); }
    strategy_kind const* const kind;
    std::uint64_t const number;

    friend ordered_task view(task const* t) noexcept { return {t->kind, t->value(), worker_id{0}, t->number}; }
  };
  template <class S, class F>
  struct task_of final : task {
    template <class G>
    task_of(S const& s, G&& g, std::uint64_t n) : task(kind_of<S>(), n), chosen(s), function(std::forward<G>(g)) {
      if constexpr (has_spawned<S>) chosen.spawned(worker_id{0}, n);
    }
    void run(serial_finish& in) override { static_cast<void>(function(in)); }
    [[nodiscard]] void const* value() const noexcept override { return &chosen; }
    S chosen;
    F function;
  };

  Here& here_;
  strategy_forest<task*> waiting_{requester{}};
  std::uint64_t next_ = 0;
};

/// Runs body(region), and then all tasks. Returns the body's value.
template <class Here, class Body>
decltype(auto) finish_serially(Here& here, Body&& body) {
  serial_finish<Here> region(here);
  using value = std::invoke_result_t<Body, serial_finish<Here>&>;
  if constexpr (std::is_void_v<value>) {
    std::forward<Body>(body)(region);
    region.run_all();
  } else {
    decltype(auto) kept = std::forward<Body>(body)(region);
    region.run_all();
    return static_cast<value>(kept);
  }
}

}}}  // namespace skua::v0::runtime
