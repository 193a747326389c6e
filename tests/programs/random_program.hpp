// SPDX-License-Identifier: MIT
// Random fork-join programs for tests: same seed, same program, same answer on every `here`. They join, iterate, open
// scopes and, if wanted, finish regions, and count the objects that they hold; they can throw or request a stop at a chosen task, and give all hints.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/strategy/finish.hpp"

namespace skua { inline namespace v0 { namespace testing {

/// Counts its living instances: none is left after a run, however the run ended.
class token {
 public:
  explicit token(std::atomic<long>& live) noexcept : live_(&live) { live_->fetch_add(1, std::memory_order_relaxed); }
  token(token const& t) noexcept : token(*t.live_) {}
  token& operator=(token const&) = delete;
  ~token() { live_->fetch_sub(1, std::memory_order_relaxed); }

 private:
  std::atomic<long>* live_;
};

struct thrown : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class random_program {
 public:
  /// With `places` above 0 children get hints: work and places (out of so many), valid and invalid ones.
  explicit random_program(std::uint64_t seed, int depth = 5, std::uint32_t places = 0) noexcept
      : seed_(seed), depth_(depth), places_(places) {}

  /// How its finish regions give strategies to tasks.
  enum class regions : std::uint8_t { none, plain, with_strategies };
  /// With finish regions; `here` must have them.
  random_program(std::uint64_t seed, int depth, regions how, std::uint32_t places = 0) noexcept
      : random_program(seed, depth, places) {
    regions_ = how;
  }

  /// Every task from the k-th on (in the order in which they start) throws. 0: none does.
  void throw_from(long k) noexcept { throw_from_ = k; }
  /// The k-th task that starts requests a stop, and goes on.
  void stop_at(long k, std::stop_source& source) noexcept {
    stop_at_ = k;
    source_ = &source;
  }

  std::uint64_t operator()(fork_join auto& here) { return task(here, seed_, depth_); }

  [[nodiscard]] long tasks() const noexcept { return started_.load(); }
  [[nodiscard]] long living() const noexcept { return live_.load(); }

 private:
  struct value {
    std::uint64_t hash;
    token held;
  };

  std::uint64_t task(fork_join auto& here, std::uint64_t seed, int depth) {
    token const mine(live_);
    long const k = started_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (throw_from_ > 0 && k >= throw_from_) throw thrown("task");
    if (k == stop_at_) source_->request_stop();
    runtime::dice roll(seed);
    std::uint64_t hash = roll.next();
    if (depth == 0 || roll.below(8) == 0) return hash;
    std::uint32_t const steps = 1 + roll.below(2);
    for (std::uint32_t i = 0; i < steps; ++i) hash = hash * 31 + step(here, roll, depth - 1);
    return hash;
  }

  template <fork_join Here>
  std::uint64_t step(Here& here, runtime::dice& roll, int depth) {
    if constexpr (has_finish<Here>) {
      if (regions_ != regions::none && roll.below(3) == 0) return finish(here, roll, depth);
    }
    switch (roll.below(5)) {
      case 0: return join_three(here, roll.next(), depth);
      case 1: return iterate(here, roll, depth);
      case 2: return collect(here, roll, depth);
      default: return join_two(here, roll.next(), depth);
    }
  }

  /// The hint of the child with this seed.
  [[nodiscard]] hint said(std::uint64_t seed) const noexcept {
    using numbers = std::numeric_limits<double>;
    constexpr std::array works{0.0, -1.0, numbers::quiet_NaN(), numbers::infinity(), 1e-3, 1.0, 2.0, 7.0};
    runtime::dice roll(~seed);
    hint all;
    if (roll.below(4) != 0) all.work = works[roll.below(works.size())];
    std::uint32_t const where = roll.below(2 * places_ + 2);  // one place in so many does not exist
    if (where <= places_) all.place = place_id{where};
    if (where == places_ + 1) all.place = anywhere;
    return all;
  }

  std::uint64_t join_two(fork_join auto& here, std::uint64_t seed, int depth) {
    auto f = [=, this](auto& h) { return value{this->task(h, seed, depth), token(live_)}; };
    auto g = [=, this](auto& h) { return value{this->task(h, seed + 1, depth), token(live_)}; };
    auto [a, b] = places_ == 0 ? here.join(f, g) : here.join(said(seed), f, said(seed + 1), g);
    return a.hash * 7 + b.hash;
  }

  std::uint64_t join_three(fork_join auto& here, std::uint64_t seed, int depth) {
    auto [a, b, c] = here.join(
        work{2}, [=, this](auto& h) { return this->task(h, seed, depth); },
        [=, this](auto& h) { this->task(h, seed + 1, depth); }, at{anywhere},
        [=, this](auto& h) { return value{this->task(h, seed + 2, depth), token(live_)}; });
    static_cast<void>(b);
    return a * 5 + c.hash;
  }

  std::uint64_t iterate(fork_join auto& here, runtime::dice& roll, int depth) {
    std::vector<std::uint64_t> cells(roll.below(6));
    for (auto& c : cells) c = roll.next();
    auto body = [=, this](auto& h, std::uint64_t& c) { c = this->task(h, c, depth); };
    if (places_ == 0) {
      here.join_each(cells, body);
    } else {
      auto const seeds = cells;  // the hint of a cell does not change when the cell does
      here.join_each(
          cells, [&](std::uint64_t const& c) { return said(seeds[static_cast<std::size_t>(&c - cells.data())]); },
          body);
    }
    std::uint64_t hash = 1;
    for (auto c : cells) hash = hash * 3 + c;
    return hash;
  }

  std::uint64_t collect(fork_join auto& here, runtime::dice& roll, int depth) {
    std::array<std::uint64_t, 4> sums{};
    std::uint32_t const n = roll.below(5);
    std::uint64_t const seed = roll.next();
    std::uint64_t hash = here.scope([&](auto& s) {
      token const held(live_);
      std::uint64_t own = 0;
      for (std::uint32_t i = 0; i < n && i < sums.size(); ++i) {
        auto child = [&sums, seed, i, depth, this, kept = token(live_)](auto& h) {
          sums[i] = this->task(h, seed + i, depth);
        };
        places_ == 0 ? s.spawn(child) : s.spawn(said(seed + i), child);
        if (i == 1 && depth > 0) own += join_two(here, seed + 77, depth - 1);
      }
      return own;
    });
    for (auto s : sums) hash = hash * 11 + s;
    return hash;
  }

  /// The newest go first, and any may be a call where the queue is long.
  struct convertible {
    double weight;
    [[nodiscard]] double transitive_weight() const noexcept { return weight; }
    [[nodiscard]] static constexpr bool allow_call_conversion() noexcept { return true; }
  };

  /// Of tasks that change nothing: dead or not, as a word says that the task owns.
  struct mortal {
    bool const* dead;
    double number;
    [[nodiscard]] double key(strategies::requester const&) const noexcept { return number; }
    [[nodiscard]] bool is_dead() const noexcept { return *dead; }
  };
  void spawn_mortals(auto& f, std::uint64_t seed) {
    for (std::uint64_t i = 0; i < 8; ++i) {
      auto const owned = std::make_shared<bool const>(i % 4 != seed % 4);
      f.spawn(mortal{owned.get(), static_cast<double>((seed + i) % 7)}, [owned, kept = token(live_)](auto&) {});
    }
  }

  std::uint64_t finish(has_finish auto& here, runtime::dice& roll, int depth) {
    std::atomic<std::uint64_t> sum{0};
    std::uint32_t const n = roll.below(6);
    std::uint64_t const seed = roll.next();
    std::uint64_t const own = here.finish([&](auto& f) {
      token const held(live_);
      for (std::uint32_t i = 0; i < n; ++i) spawn(f, seed + i, depth, sum);
      return n == 3 && depth > 0 ? join_two(f.here(), seed + 77, depth - 1) : 0;
    });
    return own * 13 + sum.load(std::memory_order_relaxed);
  }

  /// A task that adds to `sum`, and may spawn more of its kind.
  void spawn(auto& f, std::uint64_t seed, int depth, std::atomic<std::uint64_t>& sum) {
    auto task = [&sum, seed, depth, this, kept = token(live_)](auto& g) {
      sum.fetch_add(this->task(g.here(), seed, depth) * (seed | 1), std::memory_order_relaxed);
      for (std::uint64_t more = seed % 3; more > 0 && depth > 0; --more)
        this->spawn(g, seed * 31 + more, depth - 1, sum);
    };
    hint const hinted = places_ == 0 ? hint{} : said(seed);
    if (regions_ == regions::plain) return f.spawn(hinted, task);
    if (seed % 4 == 1) spawn_mortals(f, seed);
    switch (seed % 5) {
      case 0: return f.spawn(task);
      case 1:
        return f.spawn(hinted, strategies::order{static_cast<double>(seed % 7), static_cast<double>(seed % 11)}, task);
      case 2: return f.spawn(strategies::breadth_first{}, task);
      default: return f.spawn(hinted, convertible{static_cast<double>(seed % 16)}, task);
    }
  }

  std::uint64_t const seed_;
  int const depth_;
  std::uint32_t const places_;
  regions regions_ = regions::none;
  long throw_from_ = 0;
  long stop_at_ = 0;
  std::stop_source* source_ = nullptr;
  std::atomic<long> started_{0};
  std::atomic<long> live_{0};
};

}}}  // namespace skua::v0::testing
