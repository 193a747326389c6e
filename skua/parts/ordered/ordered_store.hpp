// SPDX-License-Identifier: MIT
// A worker's tasks in the order of their strategies: the owner pops in its order, thieves take in theirs. Taking costs one
// exchange; thieves of one victim take turns, and never block the owner. States, invariants, proof:
// ordered_store.md. [strategies-2013 3.1]
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <mutex>
#include <new>
#include <optional>
#include <ranges>
#include <vector>

#include "skua/parts/base/brief_lock.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/outcome.hpp"
#include "skua/parts/base/sync.hpp"
#include "skua/parts/ordered/offered_tasks.hpp"
#include "skua/parts/ordered/stored_task.hpp"
#include "skua/parts/ordered/strategy_forest.hpp"
#include "skua/parts/ordered/strategy_kind.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template <synchronisation Sync = real_sync, std::size_t BlockSlots = 64>
class ordered_store {
  struct slot {
    typename Sync::template atomic<bool> taken{false};
    typename Sync::template plain<std::uint64_t> number;  ///< every reader of a slot reads this
    worker_id place{};
    bool is_placed = false;  ///< the place was hinted: it stays when the task is stolen
    strategy_kind const* kind = nullptr;
    void* task = nullptr;
    void const* group = nullptr;
    std::uint64_t weight = 0;
    alignas(std::max_align_t) std::byte value[strategy_value_bytes];

    friend ordered_task view(slot const* s) noexcept { return {s->kind, s->value, s->place, s->number.get()}; }
  };
  struct block {
    slot slots[BlockSlots];
    block* next = nullptr;  ///< set before a slot behind it is published
  };
  using forest = strategy_forest<slot*>;

 public:
  /// `owner`: the worker that pops. Blocks come from `memory`. Throws std::bad_alloc.
  explicit ordered_store(requester owner, std::pmr::memory_resource& memory = *std::pmr::new_delete_resource())
      : memory_(memory), by_owner_(owner), owner_(owner.worker) {
    blocks_.reserve(1);
    first_ = last_ = make_block();  // last: what throws before it leaves no block behind
    blocks_.push_back(first_);
  }
  ~ordered_store() {
    while (first_ != nullptr) {
      block* const next = first_->next;
      std::destroy_at(first_);
      memory_.deallocate(first_, sizeof(block), alignof(block));
      first_ = next;
    }
  }
  ordered_store(ordered_store const&) = delete;
  ordered_store& operator=(ordered_store const&) = delete;

  // For the owner.

  /// False: no memory; nothing was pushed. After `reserve` for this kind it succeeds.
  [[nodiscard]] bool push(offered_task const& t, bool is_stolen = false) noexcept {
    if (!reserve(t.kind)) return false;
    slot& s = last_->slots[filled_of_last_];
    s.taken.store(false, std::memory_order_relaxed);  // relaxed: published below
    s.place = t.place.value_or(owner_);
    s.is_placed = t.place.has_value();
    s.kind = t.kind;
    s.task = t.task;
    s.group = t.group;
    s.weight = t.weight;
    if (t.value_size != 0) std::memcpy(s.value, t.value, t.value_size);
    s.number.set(next_number_);
    note_move(s, is_stolen);
    ++next_number_;
    ++filled_of_last_;
    is_stolen ? by_owner_.add(&s) : by_owner_.push(&s);  // there is room
    add(size_, 1);
    add(weight_, static_cast<std::int64_t>(t.weight));
    published_.store(++filled_, std::memory_order_release);  // the slot is filled. Pairs with: refresh, load
    return true;
  }

  /// Makes sure that the next push of this kind finds memory. False: there is none.
  [[nodiscard]] bool reserve(strategy_kind const* kind) noexcept {
    try {
      by_owner_.reserve(kind);
      if (filled_of_last_ == BlockSlots) next_block();
      return true;
    } catch (std::bad_alloc const&) {
      return false;
    }
  }

  /// The owner's first task: got or empty. Sweeps now and then; swept tasks, which are dead, go first.
  [[nodiscard]] outcome pop(taken_task& out) noexcept {
    return pop_if(out, [](void const*) { return true; });
  }
  /// The same, if it is of this group; else empty.
  [[nodiscard]] outcome pop_of(void const* group, taken_task& out) noexcept {
    return pop_if(out, [group](void const* of) { return of == group; });
  }
  /// A task that was swept, or found dead by a steal into this store; null if there is none. The owner must drop all before it
  /// does other work, because no thief can.
  [[nodiscard]] void* pop_swept() noexcept {
    if (swept_.empty()) return nullptr;
    void* const task = swept_.back().task;
    swept_.pop_back();
    return task;
  }
  /// What pop_swept has to give.
  [[nodiscard]] std::size_t swept() const noexcept { return swept_.size(); }

  /// True if the owner's first task is of this group. A hint: a thief may have just taken it.
  [[nodiscard]] bool first_is_of(void const* group) noexcept {
    bool belongs = false;
    auto const is_gone = [&](slot const* s) {
      belongs = s->group == group;
      return s->taken.load(std::memory_order_relaxed);  // relaxed: a hint
    };
    while (by_owner_.pop_if(is_gone)) belongs = false;
    return belongs;
  }

  /// The owner's first task, which stays. A thief may have just taken it.
  [[nodiscard]] std::optional<ordered_task> first() noexcept {
    slot const* const s = first_slot();
    return s == nullptr ? std::nullopt : std::optional(view(s));
  }
  /// The task that was pushed last, before the owner has done anything else.
  [[nodiscard]] ordered_task newest() noexcept { return view(&last_->slots[filled_of_last_ - 1]); }
  /// Offers the task that was pushed last, or the owner's first one, to thieves that need no reader. (urgency_board.md)
  void offer_newest() noexcept { offered_.add(last_->slots[filled_of_last_ - 1]); }
  void offer_first() noexcept {
    if (slot* const s = first_slot()) offered_.add(*s);
  }

  /// Calls of comparators in the owner's order so far.
  [[nodiscard]] std::uint64_t comparisons() const noexcept { return by_owner_.comparisons(); }

  // For any thread. Hints.

  [[nodiscard]] std::int64_t size() const noexcept { return read(size_) - read(stolen_); }
  [[nodiscard]] std::int64_t weight() const noexcept { return read(weight_) - read(stolen_weight_); }
  [[nodiscard]] bool looks_empty() const noexcept { return size() <= 0; }

  // For thieves.

  /// What one thief knows of one victim's tasks: its order of them. Not thread-safe.
  class reader {
   public:
    /// Throws std::bad_alloc.
    explicit reader(requester thief) : order_(thief) {}
    [[nodiscard]] std::uint64_t comparisons() const noexcept { return order_.comparisons(); }

   private:
    friend ordered_store;
    forest order_;
    std::uint64_t generation_ = 0;
    std::uint64_t read_ = 0;      ///< slots read
    block* last_read_ = nullptr;  ///< holds slot read_ - 1
    std::size_t chosen_ = 0;      ///< while it takes half: so many tasks of order_ are chosen
    bool takes_many_ = true;      ///< the last half was a large part of the tasks
  };

  /// Takes the task that goes first in the reader's order: got, empty, or lost if another thief is here. O(new tasks)
  /// calls of the comparator.
  [[nodiscard]] outcome steal(reader& by, taken_task& out) noexcept {
    return steal_and(by, out, [] {}, [](slot const&) {});
  }

  /// As steal; then moves more tasks to the thief's own store, in the thief's order, until it has half of the weight that
  /// was there. Tasks that it finds dead have no weight: they join the thief's swept tasks, and `out` is one of them.
  /// [strategies-2013 2]
  [[nodiscard]] outcome steal_half(reader& by, ordered_store& into, taken_task& out) noexcept {
    std::size_t waiting = 0;
    auto const before = [&] {
      waiting = by.order_.size();
      choose(by, weight(), 0);
    };
    return steal_and(by, out, before, [&](slot const& first) {
      std::int64_t got = out.is_dead ? 0 : static_cast<std::int64_t>(first.weight);
      std::int64_t all = weight() + got;
      while (by.chosen_ > 0 || got < all - got) {  // those that were chosen have no order among each other
        if (by.chosen_ == 0) choose(by, all, got);
        slot* const next = first_of(by);
        if (next == nullptr) break;
        if (!into.reserve(next->kind) || !into.reserve_swept()) {
          by.order_.add(next);  // there is room: it was there
          break;
        }
        if (!take(*next)) continue;  // the owner was faster
        if (is_dead(*next)) {
          all -= static_cast<std::int64_t>(next->weight);
          into.swept_.push_back({next->task, next->group});
        } else {
          got += static_cast<std::int64_t>(next->weight);
          into.push_stolen(*next);
        }
      }
      by.chosen_ = 0;
      by.takes_many_ = waiting - by.order_.size() > waiting / 8;
      if (!out.is_dead && into.swept() != 0 && into.reserve(first.kind)) {  // (dropped first)
        into.push_stolen(first);
        out = {into.pop_swept(), true};
      }
      into.by_owner_.put_in_order();
    });
  }

  /// Takes the oldest task of this group, for a thief that has no order of its own: got, empty, or lost if another thief is here.
  /// O(slots).
  [[nodiscard]] outcome take_of(void const* group, taken_task& out) noexcept {
    if (looks_empty()) return outcome::empty;
    std::unique_lock const held(lock_, std::try_to_lock);
    if (!held) return outcome::lost;
    std::uint64_t const end = filled();
    block* of = first_;
    for (std::uint64_t n = 0; n < end; ++n) {
      if (n != 0 && n % BlockSlots == 0) of = of->next;
      slot& s = of->slots[n % BlockSlots];
      static_cast<void>(view(&s));
      if (s.group != group || !take(s)) continue;
      out = {s.task, is_dead(s)};
      return outcome::got;
    }
    return outcome::empty;
  }

  /// Moves the most urgent offered task to the thief's own store; returns it, or null: there is none, another thief is here,
  /// or there is no memory. `rest(the next one, or nothing)` is called under the lock where one was looked for. O(1).
  template <class Rest>
  [[nodiscard]] void* move_offered(ordered_store& into, Rest&& rest) noexcept {
    std::unique_lock const held(lock_, std::try_to_lock);
    if (!held) return nullptr;
    auto const is_waiting = [](slot const& s) { return !s.taken.load(std::memory_order_relaxed); };  // relaxed: a hint
    void* moved = nullptr;
    slot* next = offered_.newest(is_waiting);
    for (; next != nullptr && moved == nullptr; next = offered_.newest(is_waiting)) {
      if (!into.reserve(next->kind) || !into.reserve_swept()) return nullptr;
      if (!take(*next)) continue;  // the owner was faster
      if (is_dead(*next)) {
        into.swept_.push_back({next->task, next->group});
        continue;
      }
      into.push_stolen(*next);
      into.by_owner_.put_in_order();
      moved = next->task;
    }
    rest(next == nullptr ? std::nullopt : std::optional(view(next)));
    return moved;
  }

 private:
  using count = typename Sync::template atomic<std::int64_t>;

  // One writer at a time.
  static void add(count& to, std::int64_t n) noexcept {
    to.store(to.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);  // relaxed: hints
  }
  static std::int64_t read(count const& of) noexcept { return of.load(std::memory_order_relaxed); }  // relaxed: a hint

  [[nodiscard]] static bool is_dead(slot const& s) noexcept { return says_dead(s.kind, s.value); }
  void note_move(slot& s, bool is_stolen) const noexcept {
    if (s.kind == nullptr) return;
    auto* const note = is_stolen ? s.kind->stolen : s.kind->spawned;
    if (note == nullptr) return;
    try {
      note(s.value, owner_, next_number_);
    } catch (...) {  // the value stays as it is
    }
  }

  [[nodiscard]] slot* first_slot() noexcept {
    slot* first = nullptr;
    auto const is_gone = [&first](slot* s) {
      first = s;
      return s->taken.load(std::memory_order_relaxed);  // relaxed: a hint
    };
    while (by_owner_.pop_if(is_gone)) first = nullptr;
    return first;
  }
  /// After `reserve` for its kind. by_owner_.put_in_order() must follow.
  void push_stolen(slot const& s) noexcept {
    static_cast<void>(push({.task = s.task,
                            .group = s.group,
                            .kind = s.kind,
                            .value = s.value,
                            .value_size = sizeof(s.value),
                            .weight = s.weight,
                            .place = s.is_placed ? std::optional(s.place) : std::nullopt},
                           true));
  }

  template <class Wanted>
  [[nodiscard]] outcome pop_if(taken_task& out, Wanted&& wanted) noexcept {
    // acquire: the task, which another fiber of the owner may have pushed. Pairs with: push
    static_cast<void>(published_.load(std::memory_order_acquire));
    if (by_owner_.has_mortals()) {  // else none was swept or stolen
      if (++pops_since_sweep_ == pops_per_sweep) sweep();
      if (!swept_.empty()) {
        if (!wanted(swept_.back().group)) return outcome::empty;
        out = {pop_swept(), true};
        return outcome::got;
      }
    }
    auto const goes = [&](slot const* s) {
      return s->taken.load(std::memory_order_relaxed) || wanted(s->group);
    };  // relaxed: a hint
    while (auto const first = by_owner_.pop_if(goes)) {
      slot& s = **first;
      if (s.taken.exchange(true, std::memory_order_relaxed)) continue;  // relaxed: nothing but the task changes hands
      add(size_, -1);
      add(weight_, -static_cast<std::int64_t>(s.weight));
      out = {s.task, is_dead(s)};
      return outcome::got;
    }
    return outcome::empty;
  }

  block* make_block() { return ::new (memory_.allocate(sizeof(block), alignof(block))) block; }

  [[nodiscard]] bool is_sparse() const noexcept {
    return filled_ > 4 * (static_cast<std::uint64_t>(size()) + BlockSlots);
  }
  /// Throws std::bad_alloc.
  void next_block() {
    if (is_sparse() && compact()) return;
    if (last_->next == nullptr) {
      blocks_.reserve(blocks_.size() + 1);
      blocks_.push_back(last_->next = make_block());
    }
    last_ = last_->next;
    filled_of_last_ = 0;
  }

  /// Returns false if a thief is here, or if there is no memory for it.
  [[nodiscard]] bool compact() noexcept;
  /// Takes dead tasks out of the store, unless a thief is here. (swept)
  void sweep() noexcept;
  /// Makes room for one more swept task. False: no memory.
  [[nodiscard]] bool reserve_swept() noexcept {
    try {
      if (swept_.size() == swept_.capacity()) swept_.reserve(2 * swept_.size() + 1);
      return true;
    } catch (std::bad_alloc const&) {
      return false;
    }
  }

  // Under the lock.

  /// Reads the new slots. Without memory the reader stays behind.
  void refresh(reader& by) noexcept {
    if (by.generation_ != generation_) {
      by.order_.clear();
      by.read_ = 0;
      by.generation_ = generation_;
    }
    std::uint64_t const end = filled();
    try {
      for (; by.read_ < end; ++by.read_) {
        if (by.read_ % BlockSlots == 0) by.last_read_ = by.read_ == 0 ? first_ : by.last_read_->next;
        slot& s = by.last_read_->slots[by.read_ % BlockSlots];
        if (!s.taken.load(std::memory_order_relaxed)) by.order_.add(&s);  // relaxed: saves comparisons
      }
    } catch (std::bad_alloc const&) {}
  }
  [[nodiscard]] std::uint64_t filled() const noexcept {
    return published_.load(std::memory_order_acquire);  // the slots. Pairs with: push
  }
  /// Removes and returns the reader's first task that is not taken, as far as it can see.
  [[nodiscard]] slot* first_of(reader& by) noexcept {
    for (; by.chosen_ > 0; --by.chosen_) {
      slot* const next = by.order_.take_chosen();
      if (!is_taken(*next)) return --by.chosen_, next;
    }
    while (auto const first = by.order_.pop()) {
      if (!is_taken(**first)) return *first;
    }
    return nullptr;
  }
  /// Chooses the tasks that the reader takes next, until it has half of `all` where it has `got`. Only if the last half was a large part
  /// of the tasks, because it looks at each task.
  void choose(reader& by, std::int64_t all, std::int64_t got) noexcept {
    if (!by.takes_many_ || all - got <= got) return;
    by.chosen_ = by.order_.choose(
        static_cast<std::uint64_t>((all + 1) / 2 - got), [](slot const* s) { return is_taken(*s); },
        [](slot const* s) { return s->weight; });
  }
  static bool is_taken(slot const& s) noexcept { return s.taken.load(std::memory_order_relaxed); }  // relaxed: a hint
  [[nodiscard]] bool take(slot& s) noexcept {
    if (s.taken.exchange(true, std::memory_order_relaxed)) return false;  // relaxed: as in pop
    add(stolen_, 1);
    add(stolen_weight_, static_cast<std::int64_t>(s.weight));
    return true;
  }
  /// Under the lock: before(), takes the first task, more(its slot).
  template <class Before, class More>
  [[nodiscard]] outcome steal_and(reader& by, taken_task& out, Before&& before, More&& more) noexcept {
    if (looks_empty()) return outcome::empty;
    std::unique_lock const held(lock_, std::try_to_lock);
    if (!held) return outcome::lost;
    refresh(by);
    before();
    slot* const first = take_first(by);
    if (first == nullptr) return outcome::empty;
    out = {first->task, is_dead(*first)};
    more(*first);
    return outcome::got;
  }
  [[nodiscard]] slot* take_first(reader& by) noexcept {
    for (;;) {
      slot* const s = first_of(by);
      if (s == nullptr || take(*s)) return s;
    }
  }

  std::pmr::memory_resource& memory_;
  brief_lock<Sync> lock_;
  std::uint64_t generation_ = 0;  ///< changes under the lock
  block* first_ = nullptr;
  typename Sync::template atomic<std::uint64_t> published_{0};
  count stolen_{0};  ///< tasks; changes under the lock
  count stolen_weight_{0};
  offered_tasks<slot, Sync> offered_;

  // The owner's.
  count size_{0};  ///< pushes minus pops
  count weight_{0};
  block* last_ = nullptr;
  std::size_t filled_of_last_ = 0;
  std::uint64_t filled_ = 0;  ///< published_
  std::uint64_t next_number_ = 0;
  forest by_owner_;
  worker_id const owner_;
  std::vector<block*> blocks_;  ///< the list
  struct swept_task {
    void* task;
    void const* group;
  };
  std::vector<swept_task> swept_;
  std::size_t pops_since_sweep_ = 0;
  dice roll_{0};
  static constexpr std::size_t pops_per_sweep = BlockSlots < 8 ? 1 : 8;
};

}}}  // namespace skua::v0::runtime

#include "skua/parts/ordered/ordered_store_upkeep.hpp"
