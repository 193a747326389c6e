// SPDX-License-Identifier: MIT
// Urgency across workers: what each worker says of the most urgent task that it has offered. A worker that turns to its
// next task compares that with its own first task, and takes the more urgent one. One word per worker, which its owner
// writes and the thief of the task repairs; all words are hints. Bound, states, proof: urgency_board.md.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/base/sync.hpp"
#include "skua/parts/ordered/strategy_kind.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A task's urgency in one word: a global key of 40 bits, the type of its strategy, and a version, by which a thief
/// notices that the owner has written again. Only keys of one type are comparable.
class urgency_word {
 public:
  constexpr urgency_word() = default;  ///< none: no task is offered
  explicit constexpr urgency_word(std::uint64_t bits) noexcept : bits_(bits) {}
  constexpr urgency_word(double key, std::uint8_t type) noexcept
      : bits_(key == key ? (ascending(key) >> 24 << 24) | (std::uint64_t{type} << 16) : none) {}

  [[nodiscard]] constexpr bool is_none() const noexcept { return bits_ == none; }
  [[nodiscard]] constexpr bool is_like(urgency_word other) const noexcept { return type() == other.type(); }
  [[nodiscard]] constexpr bool goes_before(urgency_word other) const noexcept {
    return bits_ >> 24 < other.bits_ >> 24;
  }
  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr std::uint16_t version() const noexcept { return static_cast<std::uint16_t>(bits_); }
  /// None stays none.
  [[nodiscard]] constexpr urgency_word with(std::uint16_t version) const noexcept {
    return is_none() ? *this : urgency_word((bits_ & ~std::uint64_t{0xffff}) | version);
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};  // the largest key would be a NaN

  /// Whole numbers in the order of the doubles.
  static constexpr std::uint64_t ascending(double key) noexcept {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    auto const bits = std::bit_cast<std::uint64_t>(key + 0.0);  // the two zeros are equal
    return (bits & sign) != 0 ? ~bits : bits | sign;
  }
  [[nodiscard]] constexpr std::uint8_t type() const noexcept { return static_cast<std::uint8_t>(bits_ >> 16); }

  std::uint64_t bits_ = none;
};

/// One per region. `Store`: what a worker's tasks lie in.
template <class Store, synchronisation Sync = real_sync>
class urgency_board {
 public:
  /// Throws std::bad_alloc.
  explicit urgency_board(std::uint32_t workers) : entries_(workers) {}
  urgency_board(urgency_board const&) = delete;
  urgency_board& operator=(urgency_board const&) = delete;

  [[nodiscard]] std::uint32_t workers() const noexcept { return static_cast<std::uint32_t>(entries_.size()); }
  /// Before the first task of `w` is offered. The store outlives the board's last use.
  void enter(worker_id w, Store& tasks) noexcept { entries_[index(w)].store = &tasks; }
  [[nodiscard]] Store& store_of(worker_id w) noexcept { return *entries_[index(w)].store; }

  /// True once a task has been offered. A hint.
  [[nodiscard]] bool in_use() const noexcept { return in_use_.load(std::memory_order_relaxed); }  // relaxed: a hint

  [[nodiscard]] urgency_word of(worker_id w) const noexcept {
    return urgency_word(entries_[index(w)].word.load(std::memory_order_acquire));  // the offer. Pairs with: announce
  }
  /// For the owner: what it has just offered.
  void announce(worker_id w, urgency_word says) noexcept {
    entries_[index(w)].word.store(says.bits(), std::memory_order_release);  // the offer. Pairs with: of
    if (!in_use()) in_use_.store(true, std::memory_order_relaxed);          // relaxed: a hint
  }
  /// For a thief, which has found `next` to be the most urgent offer of w: changes the word, unless w has written since the
  /// thief saw it.
  void repair(worker_id w, urgency_word seen, urgency_word next) noexcept {
    std::uint64_t expected = seen.bits();
    // relaxed: what it offers was announced by the owner, and the thief's lock orders thieves
    static_cast<void>(entries_[index(w)].word.compare_exchange_strong(
        expected, next.with(seen.version()).bits(), std::memory_order_relaxed, std::memory_order_relaxed));
  }

  /// The urgency of a task; none if its type has no global key, or was the last of too many types to be seen here.
  [[nodiscard]] urgency_word urgency_of(strategy_kind const* kind, void const* value) noexcept {
    if (kind == nullptr || kind->global_key == nullptr) return {};
    std::optional<std::uint8_t> const type = number_of(kind);
    if (!type) return {};
    try {
      return {kind->global_key(value), *type};
    } catch (...) {
      return {};
    }
  }

 private:
  struct alignas(cache_line_bytes) entry {
    typename Sync::template atomic<std::uint64_t> word{urgency_word{}.bits()};
    Store* store = nullptr;
  };

  /// Numbers in the order in which the types are seen, so that simulated runs repeat: an address differs from run to run.
  [[nodiscard]] std::optional<std::uint8_t> number_of(strategy_kind const* kind) noexcept {
    for (std::size_t i = 0; i < types_.size(); ++i) {
      strategy_kind const* known = types_[i].load(std::memory_order_relaxed);  // relaxed: constants
      if (known == nullptr &&
          types_[i].compare_exchange_strong(known, kind, std::memory_order_relaxed, std::memory_order_relaxed)) {
        return static_cast<std::uint8_t>(i);
      }
      if (known == kind) return static_cast<std::uint8_t>(i);
    }
    return {};
  }

  std::vector<entry> entries_;
  typename Sync::template atomic<bool> in_use_{false};
  std::array<typename Sync::template atomic<strategy_kind const*>, 16> types_{};
};

/// What a worker has taken out of turn: it lies in its own store now.
struct brought_task {
  worker_id from{};
  void* task = nullptr;
};

/// One worker's part: offers its most urgent tasks, and looks for those of others. For the owner of the store.
template <class Store, synchronisation Sync = real_sync>
class urgency_watch {
 public:
  using board = urgency_board<Store, Sync>;

  /// `period`: between two looks at the board, in the unit of `now` below.
  urgency_watch(board& all, worker_id self, Store& own, std::uint64_t period) noexcept
      : board_(all), own_(own), self_(self), period_(period) {
    board_.enter(self, own);
  }

  /// The task that was pushed last has a global key. Offers it unless a more urgent one is offered.
  void pushed() noexcept {
    ordered_task const newest = own_.newest();
    urgency_word const it = board_.urgency_of(newest.kind, newest.value);
    if (it.is_none()) return;
    urgency_word const offered = board_.of(self_);
    if (!offered.is_none() && (!it.is_like(offered) || offered.goes_before(it))) return;
    own_.offer_newest();
    announce(it);
  }

  /// Before the owner takes its first task: moves a more urgent task of another worker to the own store, if there is one
  /// and a look is due. `now()` is called at most once in `most_unwatched` + 1 calls that come in quick succession.
  template <class Now>
  [[nodiscard]] std::optional<brought_task> look(Now&& now) noexcept {
    if (!board_.in_use() || !is_due(now)) return {};
    offers_first_ = true;
    ++looks_;
    urgency_word own;
    if (auto const first = own_.first()) {
      own = board_.urgency_of(first->kind, first->value);
      if (own.is_none()) return {};  // it compares with no other
    }
    std::optional<worker_id> const victim = more_urgent_than(own);
    return victim ? bring_from(*victim) : std::nullopt;
  }

  /// After the owner has taken a task: offers the next one, if it has looked since it last did.
  void popped() noexcept {
    if (!offers_first_) return;
    offers_first_ = false;
    auto const first = own_.first();
    if (!first && !board_.of(self_).is_none()) return announce({});
    urgency_word const it = first ? board_.urgency_of(first->kind, first->value) : urgency_word{};
    if (it.is_none()) return;  // what is offered may lie behind it
    own_.offer_first();
    announce(it);
  }

  [[nodiscard]] std::uint64_t looks() const noexcept { return looks_; }

  static constexpr std::uint32_t most_unwatched = 15;
  static constexpr std::uint32_t most_looked_at = 32;  ///< words per look; in larger regions looks take turns

 private:
  /// Tasks much shorter than the period do not read the clock each time.
  template <class Now>
  [[nodiscard]] bool is_due(Now&& now) noexcept {
    if (unwatched_ > 0) {
      --unwatched_;
      return false;
    }
    std::uint64_t const t = now();
    bool const in_quick_succession = t - read_ < period_ / 8;
    stride_ = in_quick_succession ? std::min(2 * stride_ + 1, most_unwatched) : 0;
    unwatched_ = stride_;
    read_ = t;
    if (t - looked_ < period_) return false;
    looked_ = t;
    return true;
  }

  /// The worker whose offer goes first, of those that go before `own`; with none of our own, of the type seen first.
  [[nodiscard]] std::optional<worker_id> more_urgent_than(urgency_word own) noexcept {
    std::optional<worker_id> best;
    std::uint32_t const others = board_.workers() - 1;
    for (std::uint32_t n = std::min(others, most_looked_at); n > 0; --n) {
      turn_ = turn_ % others + 1;
      worker_id const w{(index(self_) + turn_) % board_.workers()};
      urgency_word const theirs = board_.of(w);
      if (theirs.is_none() || (!own.is_none() && (!theirs.is_like(own) || !theirs.goes_before(own)))) continue;
      own = theirs;
      best = w;
    }
    seen_ = own;
    return best;
  }

  [[nodiscard]] std::optional<brought_task> bring_from(worker_id victim) noexcept {
    void* const task = board_.store_of(victim).move_offered(own_, [&](std::optional<ordered_task> const& next) {
      board_.repair(victim, seen_, next ? board_.urgency_of(next->kind, next->value) : urgency_word{});
    });
    return task == nullptr ? std::nullopt : std::optional(brought_task{victim, task});
  }

  void announce(urgency_word it) noexcept { board_.announce(self_, it.with(++version_)); }

  board& board_;
  Store& own_;
  worker_id const self_;
  std::uint64_t const period_;
  std::uint64_t looks_ = 0;
  std::uint64_t looked_ = 0;     ///< when
  std::uint64_t read_ = 0;       ///< the clock, when it was read last
  std::uint32_t unwatched_ = 0;  ///< calls of look until the clock is read again
  std::uint32_t stride_ = 0;
  std::uint32_t turn_ = 0;  ///< the worker that was looked at last, counted from this one
  urgency_word seen_{};
  std::uint16_t version_ = 0;
  bool offers_first_ = false;
};

}}}  // namespace skua::v0::runtime
