// SPDX-License-Identifier: MIT
// A serial `here` that runs the children of a group in an order other than the program's: backwards, or drawn from a
// seed. A program whose answer changes relies on an order that no scheduler promises.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <stop_token>
#include <tuple>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/program/fork_join.hpp"

namespace skua { inline namespace v0 {

enum class child_order { backwards, drawn };

/// Pretends to have `workers` workers, and that another of them runs every child. A scope's children start when they
/// are forked or when the body has ended, as drawn.
class shuffled {
 public:
  explicit shuffled(std::uint64_t seed, std::uint32_t workers = 4, child_order order = child_order::drawn) noexcept
      : dice_(seed), workers_(workers), order_(order) {}

  template <class... Args>
  auto join(Args&&... args) {
    return join_children(runtime::children_of(std::forward<Args>(args)...));
  }

  template <std::ranges::random_access_range Range, class Body>
  void join_each(Range&& range, Body&& body) {
    std::vector<std::size_t> order(static_cast<std::size_t>(std::ranges::size(range)));
    draw(order);
    for (std::size_t i : order) {
      start();
      body(*this, std::ranges::begin(range)[static_cast<std::ranges::range_difference_t<Range>>(i)]);
    }
  }
  template <std::ranges::random_access_range Range, class HintOf, class Body>
  void join_each(Range&& range, HintOf&&, Body&& body) {
    join_each(std::forward<Range>(range), std::forward<Body>(body));
  }

  class scope_type {
   public:
    explicit scope_type(shuffled& here) noexcept : here_(here) {}

    template <class F>
      requires runtime::forkable<F, shuffled>
    void spawn(F&& f) {
      if (here_.order_ == child_order::drawn && here_.dice_.below(2) == 0) {
        here_.start();
        runtime::call_forked(here_, std::forward<F>(f));
      } else {
        later_.push_back(std::make_unique<kept<std::decay_t<F>>>(std::forward<F>(f)));
      }
    }
    template <runtime::hint_word Hint, class F>
    void spawn(Hint, F&& f) {
      spawn(std::forward<F>(f));
    }

    /// Runs all children, also those that children fork meanwhile.
    void finish() {
      while (!later_.empty()) {
        std::size_t const last = later_.size() - 1;
        if (here_.order_ == child_order::drawn) {
          std::swap(later_[here_.dice_.below(static_cast<std::uint32_t>(later_.size()))], later_[last]);
        }
        std::unique_ptr<waiting> const next = std::move(later_[last]);
        later_.pop_back();
        here_.start();
        next->run(here_);
      }
    }

   private:
    struct waiting {
      virtual ~waiting() = default;
      virtual void run(shuffled& here) = 0;
    };
    template <class F>
    struct kept final : waiting {
      explicit kept(F f) : function(std::move(f)) {}
      void run(shuffled& here) override { runtime::call_forked(here, std::move(function)); }
      F function;
    };
    shuffled& here_;
    std::vector<std::unique_ptr<waiting>> later_;
  };

  template <class Body>
  auto scope(Body&& body) {
    scope_type s{*this};
    if constexpr (std::is_void_v<std::invoke_result_t<Body, scope_type&>>) {
      std::forward<Body>(body)(s);
      s.finish();
    } else {
      auto value = std::forward<Body>(body)(s);
      s.finish();
      return value;
    }
  }

  template <class... Args>
  decltype(auto) leaf(Args&&... args) {
    return runtime::call_kernel(std::forward<Args>(args)...);
  }

  /// `source`: a std::stop_token, or anything else with `stop_requested()`, which is queried in place.
  template <class Source, class F>
  decltype(auto) with_stop(Source const& source, F&& f) {
    return watching(source, [&](shuffled& here) -> decltype(auto) {
      here.start();
      return std::forward<F>(f)(here);
    });
  }

  /// The same, but calls f even if the source has already requested a stop.
  template <class Source, class F>
  decltype(auto) watching(Source const& source, F&& f) {
    watched const inner{*this, &source, [](void const* s) { return static_cast<Source const*>(s)->stop_requested(); }};
    return std::forward<F>(f)(*this);
  }

  [[nodiscard]] bool stop_requested() const noexcept { return surroundings{watched_}.stop_requested(); }
  /// The stop sources that it watches now; valid while the frames that watch them live, for any thread.
  class surroundings;
  [[nodiscard]] void const* around() const noexcept { return watched_; }
  [[nodiscard]] worker_id worker() const noexcept { return worker_; }
  [[nodiscard]] std::uint32_t num_workers() const noexcept { return workers_; }

 private:
  /// The stop sources of the enclosing `with_stop` calls, innermost first.
  struct watched {
    watched(shuffled& h, void const* s, bool (*ask)(void const*)) noexcept
        : here(h), source(s), asked(ask), outer(h.watched_) {
      here.watched_ = this;
    }
    ~watched() { here.watched_ = outer; }
    watched(watched const&) = delete;
    watched& operator=(watched const&) = delete;

    shuffled& here;
    void const* source;
    bool (*asked)(void const*);
    watched const* outer;
  };

 public:
  class surroundings {
   public:
    explicit surroundings(void const* innermost) noexcept : innermost_(static_cast<watched const*>(innermost)) {}
    [[nodiscard]] bool stop_requested() const noexcept {
      for (watched const* w = innermost_; w != nullptr; w = w->outer) {
        if (w->asked(w->source)) return true;
      }
      return false;
    }

   private:
    watched const* innermost_;
  };

 private:
  /// Called before every child: a child that has not started when a stop is requested is dropped.
  void start() {
    if (stop_requested()) throw cancelled{};
    worker_ = worker_id{dice_.below(workers_)};
  }

  void draw(std::span<std::size_t> order) noexcept {
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    if (order_ == child_order::backwards) return;
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[dice_.below(static_cast<std::uint32_t>(i))]);
    }
  }

  template <class... Hint, class... F>
  auto join_children(std::tuple<runtime::child<Hint, F>...> children) {
    static_assert(sizeof...(F) >= 2, "join: two children or more");
    std::tuple<std::optional<runtime::value_of<F, shuffled&>>...> got;
    std::array<std::size_t, sizeof...(F)> order{};
    draw(order);
    for (std::size_t i : order) {
      start();
      run_child(i, children, got, std::index_sequence_for<F...>{});
    }
    return std::apply([](auto&&... v) { return runtime::values(std::move(*v)...); }, std::move(got));
  }

  template <class Children, class Values, std::size_t... I>
  void run_child(std::size_t i, Children& children, Values& got, std::index_sequence<I...>) {
    auto run = [this](auto& c, auto& value) {
      value.emplace(runtime::call(std::forward<decltype(c.function)>(c.function), *this));
    };
    static_cast<void>(((I == i ? (run(std::get<I>(children), std::get<I>(got)), true) : false) || ...));
  }

  runtime::dice dice_;
  std::uint32_t workers_;
  child_order order_;
  worker_id worker_{0};
  watched const* watched_ = nullptr;
};

static_assert(fork_join<shuffled>);

}}  // namespace skua::v0
