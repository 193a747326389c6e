// SPDX-License-Identifier: MIT
// Which workers sleep, and how pushers and searchers wake them, so that no wake-up is lost. States, steps (S1.., P1.., F1) and proof: sleep.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <mutex>
#include <optional>

#include "skua/machine/threads/engine/sleep/open_place.hpp"
#include "skua/machine/threads/engine/sleep/sleep_counts.hpp"
#include "skua/machine/threads/engine/sleep/sleep_words.hpp"
#include "skua/machine/threads/engine/sleep/worker_limit.hpp"
#include "skua/machine/threads/engine/sleep/worker_set.hpp"
#include "skua/parts/base/condition.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The sleepers of one pool. Sync is the real world, or the explorer's.
///
/// Invariant (sleepers): under the lock, the count `asleep` is the size of the set `sleeping`.
template <synchronisation Sync = real_sync>
class sleep_state {
 public:
  using counter = typename Sync::template atomic<std::uint64_t>;

  /// `counts`: the word where other pools read this one's counts (engine/sharing/pool_registry.hpp); it outlives this. Null: nobody does. Throws
  /// std::bad_alloc.
  explicit sleep_state(std::uint32_t workers, std::pmr::memory_resource* memory = std::pmr::new_delete_resource(),
                       counter* counts = nullptr)
      : workers_(workers), sleepers_(memory), sleeping_(workers, memory),
        counts_(counts == nullptr ? own_counts_ : *counts) {
    for (std::uint32_t w = 0; w < workers; ++w) sleepers_.emplace_back();
  }

  /// A worker that is out of work begins to search.
  void start_search() noexcept {
    // seq_cst: part of the single order of counts on which sleep.md relies. Pairs with: notify, load of counts_.
    counts_.fetch_add(one_searching, std::memory_order_seq_cst);
  }

  /// F1: a searcher got a task. Returns how many workers it woke to search in its stead: one if it was the last searcher. One that was woken itself
  /// and leaves more wakes two, so that the awake double and do not form a chain.
  std::uint32_t found(remains left = remains::unknown) noexcept {
    // seq_cst: as in start_search. Pairs with: notify, load of counts_.
    std::uint64_t const before = counts_.fetch_sub(one_searching, std::memory_order_seq_cst);
    if (asleep(before) == 0) return 0;
    std::uint32_t const wakes = left == remains::more ? 2 : searching(before) == 1 ? 1 : 0;
    std::uint32_t woken = 0;
    while (woken < wakes && wake_any()) ++woken;
    return woken;
  }

  /// Which thread sleeps as the worker.
  enum class thread : bool { own, callers };

  /// S1 to S6, for a worker that searches. Only the last searcher calls `request_attention()`, which does so in the lanes of workers that are
  /// awake, and looks at what others may take as well (`anything(reach)`); the others rely on it. On return the worker counts as searching.
  /// Returns true if it was woken.
  template <class Request, class Anything>
  bool fall_asleep(worker_id self, Request&& request_attention, Anything&& anything, thread waiter = thread::own) {
    reach const looks_at = announce(self);
    if (looks_at == reach::all) request_attention();
    Sync::full_fence();  // S3: sees entries that were pushed with a full fence. Pairs with: notify, fence
    if (anything(looks_at)) return stay_awake(self);
    if (looks_at == reach::own) return sleep_until_woken(self, waiter);
    tell_if_all_sleep();
    if (short_wait(self, waiter)) return true;
    if (anything(looks_at)) return stay_awake(self);
    return sleep_until_woken(self, waiter);
  }

  // A limit on the workers that are awake. States, steps (H1..) and proof: limit.md; the steps themselves: sleep_limit.hpp.

  /// H1: the own thread of a worker that is about to search goes to sleep instead, if more workers are awake than the limit allows. It relies on the others, which
  /// owe a wake-up from then on, and so looks only at what is `for_it_alone()`. `searches`: whether it counts as searching. False, without effect, if the limit
  /// allows it. True: it was asleep, or about to, and counts as searching now.
  template <class ForItAlone>
  bool stand_down(worker_id self, bool searches, ForItAlone&& for_it_alone);
  /// A hint: true if a worker that is about to search should stand down.
  [[nodiscard]] bool is_over_limit() const noexcept;
  /// A hint: true if a worker sleeps that new work would wake.
  [[nodiscard]] bool anyone_to_wake() const noexcept;
  /// From now on at most `most` workers are woken for work that others may take, too; `most` > 0. If a wake-up is owed and may be, wakes one. Any thread.
  void limit_to(std::uint32_t most) noexcept;
  /// The same if all workers sleep; else false, without effect.
  [[nodiscard]] bool limit_sleepers_to(std::uint32_t most) noexcept;
  [[nodiscard]] std::uint32_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }
  /// Before any worker runs: who sets the limit.
  void limited_by(limit_keeper& k) noexcept { keeper_ = &k; }

  /// Call it before any worker runs: a new pool has no work, so all workers begin asleep. (sleep.md, "The first sleep")
  void begin_asleep() noexcept {
    for (std::uint32_t w = 0; w < workers_; ++w) sleeping_.add(worker_id{w});
    // relaxed: no other thread uses this yet
    counts_.store(workers_ * one_asleep, std::memory_order_relaxed);
  }

  /// The same for a pool without threads: all places are for callers.
  void begin_without_threads() noexcept {
    begin_asleep();
    for (sleeper& s : sleepers_) s.is_waiting = true;
  }

  /// True once the thread of worker `w` waits in its first sleep, so that its place can be lent.
  [[nodiscard]] bool is_waiting(worker_id w) noexcept {
    std::lock_guard const hold(sleepers_lock_);
    return sleepers_[index(w)].is_waiting;
  }

  /// Any thread. A worker that was awake when the caller last held the lock, and is asleep for the caller, has fallen asleep since. False for worker 0,
  /// whose place a caller may have taken without the lock (open_place.md).
  [[nodiscard]] bool is_asleep(worker_id w) const noexcept { return w != first && sleeping_.has(w); }

  /// True if a worker sleeps or searches, so that it would take new work. A hint. Any thread.
  [[nodiscard]] bool anyone_idle() const noexcept { return searching_now() + asleep_now() != 0; }

  /// S6: sleeps until woken; then the worker counts as searching. Returns true if it slept.
  bool sleep_until_woken(worker_id self, thread waiter = thread::own) noexcept {
    sleeper& mine = sleepers_[index(self)];
    std::unique_lock hold(sleepers_lock_);
    bool slept = false;
    if (waiter == thread::own) mine.is_waiting = true;
    while (has_to_wait(self, waiter)) {
      slept = true;
      signal_of(mine, waiter).wait(hold);
    }
    if (waiter == thread::own) mine.is_waiting = false;
    return slept;
  }

  /// C1: a caller takes the place of worker `w` if its thread waits, no other caller has it, and `may_be_lent()` says so;
  /// that thread keeps waiting meanwhile. The caller counts as a worker that is active and does not search. If no worker searches that will
  /// look at its lanes, it first calls `request_attention()`, which does so in the lanes of w.
  template <class MayBeLent, class Request>
  loan lend(worker_id w, MayBeLent&& may_be_lent, Request&& request_attention) noexcept {
    if (!sleeping_.has(w)) return loan::refused;
    sleeper& s = sleepers_[index(w)];
    if (w == first && open_.seems_taken()) return loan::refused;
    std::uint64_t before = 0;
    {
      std::lock_guard const hold(sleepers_lock_);
      if (!sleeping_.has(w) || s.is_lent || (w == first && !open_.shut()) || !may_be_lent()) return loan::refused;
      if (is_retired()) return loan::refused;
      if (!s.is_waiting) return loan::soon;
      s.is_lent = true;
      sleeping_.remove(w);
      before = counts_.fetch_sub(one_asleep, std::memory_order_seq_cst);  // seq_cst: as in start_search
    }
    if (searching(before) == 0 && workers_ > 1) request_attention();
    return loan::given;
  }

  /// C2: the caller leaves, and the thread of worker `w` counts as asleep again; it is woken if `anything()` was left for
  /// it. Returns true if other workers run tasks and none sleeps or searches: they may push without a wake-up for this worker, so the
  /// caller then requests attention in all lanes. (sleep.md, "Callers") `stays`: if nothing was left, the place of worker 0 is open for the next caller.
  template <class Anything>
  bool take_back(worker_id w, Anything&& anything, left_as stays = left_as::shut) noexcept {
    sleeper& s = sleepers_[index(w)];
    bool wakes = false;
    bool others = false;
    bool pays = false;
    {
      std::lock_guard const hold(sleepers_lock_);
      bool const was_open = w == first && open_.shut_from_inside();
      s.is_lent = false;
      if (was_open) {
        others = nobody_else_is_idle();
      } else {
        sleeping_.add(w);
        // seq_cst: before the look. Pairs with: notify_worker, load of counts_.
        others = nobody_but_first(counts_.fetch_add(one_asleep, std::memory_order_seq_cst), w);
      }
      Sync::full_fence_after_rmw();  // as P3: a pusher that relied on this caller pushed before, and we see the entry
      wakes = anything();
      if (wakes) {
        wake_up_locked(w);
      } else if (w == first && stays == left_as::open) {
        open_.leave_open();
      }
      pays = owes_ && !is_at_limit();
    }
    if (wakes) s.signal.notify_one();
    if (pays) wake_any();
    tell_if_all_sleep();
    return others;
  }

  /// C1 for the place of worker 0, if the last caller has left it open: no lock, and the counts stay. No request for attention, because the last
  /// searcher does not leave out this worker's lanes.
  [[nodiscard]] bool enter_open() noexcept { return open_.enter(); }
  /// For the thread in the place: true if it has come so, and has not slept there.
  [[nodiscard]] bool has_entered_open(worker_id w) const noexcept { return w == first && !open_.is_shut(); }
  /// C5 for such a caller: leaves the place open, unless `anything()` is left for the worker, of which only this thread may ask. Then it returns false, and the
  /// caller leaves by take_back.
  template <class Anything>
  [[nodiscard]] bool leave_open(Anything&& anything) noexcept {
    // After `enter` and the last `found` of this thread: we see what others pushed who saw no caller, or relied on us. Pairs with: P3
    Sync::full_fence_after_rmw();
    do {
      if (anything()) return false;
    } while (!open_.leave());
    return true;
  }
  /// After that: true if other workers run tasks, and none but worker 0 sleeps, and none searches (as take_back). A worker that searched meanwhile, and was relied on, may have left
  /// something: the caller looks at what all may take, too, and notifies.
  [[nodiscard]] bool nobody_else_is_idle() const noexcept {
    // seq_cst: after the place was left. Pairs with: found, counts_
    std::uint64_t const now = counts_.load(std::memory_order_seq_cst);
    return searching(now) == 0 && asleep(now) <= 1 && workers_ > 1;
  }

  /// P3 to P5, after a push. Returns true if it woke a sleeper.
  bool notify() noexcept {
    // P3: orders the push before the reading of the counts. Pairs with: fall_asleep, S1.
    Sync::full_fence();
    std::uint64_t const seen = counts_.load(std::memory_order_seq_cst);  // seq_cst: P4, pairs with S1 and F1
    if (asleep(seen) == 0 || searching(seen) > 0) return false;
    return wake_any(nobody_sleeps::asks);
  }

  /// The same for work that worker `w` should do: wakes it if it sleeps, and returns true. If it is awake but others sleep,
  /// calls otherwise(). Takes no lock if no worker sleeps.
  template <class Otherwise>
  bool notify_worker(worker_id w, Otherwise&& otherwise) noexcept {
    Sync::full_fence();                                                      // P3, as in notify
    if (asleep(counts_.load(std::memory_order_seq_cst)) == 0) return false;  // seq_cst: as in notify
    if (wake_after_fence(w, limits::waived)) return true;
    otherwise();
    return false;
  }

  /// The same for work that only `some` may do. Wakes a sleeper of them even if a worker searches, which may not be one of them.
  template <class Workers>
  bool notify_among(Workers const& some) noexcept {
    Sync::full_fence();                                                      // P3, as in notify
    if (asleep(counts_.load(std::memory_order_seq_cst)) == 0) return false;  // seq_cst: as in notify
    std::size_t const n = some.size();
    for (std::size_t i = 1; i <= n; ++i) {  // the first one last: as in wake_any
      worker_id const w = some[i % n];
      if (sleeping_.has(w) && wake_after_fence(w, limits::hold)) return true;
    }
    return false;
  }

  /// The same for work that all of `members` may do.
  template <class Workers>
  bool notify_members(Workers const& members) noexcept {
    return members.size() == workers_ ? notify() : notify_among(members);
  }

  /// Wakes this worker if it sleeps, whatever the limit: for what only it may take. Then returns true. A caller in an open place looks once more before it
  /// leaves.
  bool wake(worker_id w) noexcept {
    if (w == first) Sync::full_fence();  // P3: `ask` takes no lock
    return wake_after_fence(w, limits::waived);
  }

  /// E1: if all own threads wait and `nothing_left()`, then from now on no thread wakes a worker or takes its place. A thread
  /// that pushes an entry finds is_retired() true afterwards, and takes the entry back. (sleep.md, "The end of the process")
  template <class NothingLeft>
  [[nodiscard]] bool retire(NothingLeft&& nothing_left) noexcept {
    std::lock_guard const hold(sleepers_lock_);
    for (std::uint32_t w = 0; w < workers_; ++w) {
      sleeper const& s = sleepers_[w];
      if (!sleeping_.has(worker_id{w}) || !s.is_waiting || s.is_lent) return false;
    }
    if (!open_.shut()) return false;
    // seq_cst: before the look. Pairs with: is_retired, load, which comes after a push.
    retired_.store(true, std::memory_order_seq_cst);
    Sync::full_fence();  // as P3: we see what a thread pushed that did not see the flag
    bool const ends = nothing_left();
    if (!ends) retired_.store(false, std::memory_order_seq_cst);  // seq_cst: as above
    return ends;
  }
  /// True if no thread will take what is pushed. Ask after the push and its notification (P3).
  [[nodiscard]] bool is_retired() const noexcept {
    return retired_.load(std::memory_order_seq_cst);  // seq_cst: pairs with retire, store
  }

  /// For the end of the pool: wakes all, also those that are retired.
  void wake_all() noexcept {
    for (std::uint32_t w = 0; w < workers_; ++w) {
      typename Sync::condition* signal = nullptr;
      {
        std::lock_guard const hold(sleepers_lock_);
        if (!sleeping_.has(worker_id{w}) || !may_wake(worker_id{w})) continue;
        signal = wake_up_locked(worker_id{w});
      }
      signal->notify_one();
    }
  }

  /// True if a worker, or a caller in its place, neither sleeps nor searches. A hint. Any thread.
  [[nodiscard]] bool anyone_runs() const noexcept { return asleep_now() + searching_now() < workers_; }
  /// A caller in an open place does not sleep, whatever the counts say.
  [[nodiscard]] std::uint32_t asleep_now() const noexcept {
    std::uint32_t const counted = asleep(counts_.load(std::memory_order_relaxed));
    return counted > 0 && open_.seems_taken() ? counted - 1 : counted;
  }
  /// A hint.
  [[nodiscard]] bool all_sleep() const noexcept { return asleep_now() == workers_; }
  [[nodiscard]] std::uint32_t searching_now() const noexcept {
    return searching(counts_.load(std::memory_order_relaxed));
  }

 private:
  /// H2: whether the limit holds for a wake-up.
  enum class limits : bool { hold, waived };

  static constexpr worker_id first{0};
  static constexpr std::uint64_t one_asleep = sleep_counts::one_asleep;
  static constexpr std::uint64_t one_searching = sleep_counts::one_searching;
  static constexpr std::uint32_t asleep(std::uint64_t counts) noexcept { return sleep_counts{counts}.asleep(); }
  static constexpr std::uint32_t searching(std::uint64_t counts) noexcept { return sleep_counts{counts}.searching(); }

  struct alignas(cache_line_bytes) sleeper {
    // Under the lock:
    bool is_waiting = false;  ///< the worker's own thread sleeps in S4 or S6, and uses nothing of the worker
    bool is_lent = false;     ///< a caller has the worker's place; implies is_waiting
    typename Sync::condition signal;
    typename Sync::condition caller_signal;
  };

  /// S4: sleeps for a while. True: it was woken. False: every entry that was pushed before S2 is visible now. If a caller has
  /// taken the place by then, the caller looks when it leaves (C5), so the own thread keeps sleeping; so it does if it is retired.
  bool short_wait(worker_id self, thread waiter) noexcept {
    sleeper& mine = sleepers_[index(self)];
    bool const is_own = waiter == thread::own;
    bool time_has_passed = false;
    {
      std::unique_lock hold(sleepers_lock_);
      mine.is_waiting = mine.is_waiting || is_own;
      while (has_to_wait(self, waiter) && !time_has_passed && !(is_own && mine.is_lent))
        time_has_passed = !signal_of(mine, waiter).short_wait(hold);
      bool const goes_on = is_own && (mine.is_lent || is_retired() || !may_wake(self));
      if (is_own) mine.is_waiting = goes_on;
      if (!has_to_wait(self, waiter)) return true;
      if (!goes_on) return false;
    }
    hand_over_the_look();
    return sleep_until_woken(self, waiter);
  }
  /// The last searcher cannot do S5, because a caller has its place: another sleeper searches in its stead.
  void hand_over_the_look() noexcept {
    std::uint64_t const seen = counts_.load(std::memory_order_seq_cst);  // seq_cst: as in notify
    if (searching(seen) == 0 && asleep(seen) > 0) wake_any();
  }
  /// S1. The last searcher looks at all: so nothing is owed any more.
  reach announce(worker_id self) noexcept {
    std::lock_guard const hold(sleepers_lock_);
    sleeping_.add(self);
    bool const is_counted = self == first && open_.shut_from_inside();  // a caller in an open place, which sleeps there
    if (is_counted) sleepers_[index(self)].is_lent = true;
    // release: a reader of the count also sees the set. Pairs with: notify and found, counts_. A full fence orders it before S3.
    std::uint64_t const before =
        counts_.fetch_add((is_counted ? 0 : one_asleep) - one_searching, std::memory_order_release);
    if (searching(before) != 1) return reach::own;
    owes_ = false;
    return reach::all;
  }
  /// For a sleeper that has found work after all.
  bool stay_awake(worker_id self) noexcept {
    std::lock_guard const hold(sleepers_lock_);
    if (sleeping_.has(self)) static_cast<void>(wake_up_locked(self));
    return false;
  }
  // Under the lock.
  [[nodiscard]] bool has_to_wait(worker_id w, thread waiter) const noexcept {
    return sleeping_.has(w) || (waiter == thread::own && sleepers_[index(w)].is_lent);
  }
  static typename Sync::condition& signal_of(sleeper& s, thread waiter) noexcept {
    return waiter == thread::own ? s.signal : s.caller_signal;
  }

  /// Under the lock, for a worker in the set: false if a caller is in its open place. Otherwise nobody enters there any more.
  [[nodiscard]] bool may_wake(worker_id w) noexcept { return w != first || open_.shut(); }
  /// With these counts: true if nobody searches, and nobody sleeps but worker 0 in an open place, who relies on others that sleep (open_place.md).
  [[nodiscard]] bool nobody_but_first(std::uint64_t counts, worker_id leaver) const noexcept {
    bool const first_counts = leaver != first && !open_.is_shut();
    return searching(counts) == 0 && asleep(counts) == (first_counts ? 1U : 0U) && workers_ > 1;
  }

  /// Makes the sleeper wake and search, and returns what to signal. Under the lock.
  typename Sync::condition* wake_up_locked(worker_id w) noexcept {
    owes_ = false;  // this one searches
    sleeping_.remove(w);
    // seq_cst: as in start_search. Pairs with: notify, load of counts_.
    counts_.fetch_add(one_searching - one_asleep, std::memory_order_seq_cst);
    sleeper& s = sleepers_[index(w)];
    return s.is_lent ? &s.caller_signal : &s.signal;
  }

  /// Wakes the worker that choose() returns under the lock; false: it returns none, or the limit forbids it.
  template <class Choose>
  bool wake_one(Choose&& choose, limits of = limits::hold) noexcept {
    typename Sync::condition* signal = nullptr;
    {
      std::lock_guard const hold(sleepers_lock_);
      if (is_retired()) return false;
      std::optional<worker_id> const chosen = choose();
      if (!chosen) return false;
      if (of == limits::hold && is_at_limit()) {
        owes_ = true;
      } else {
        signal = wake_up_locked(*chosen);
      }
    }
    if (signal != nullptr) signal->notify_one();
    if (keeper_ != nullptr) keeper_->workers_wanted();
    return signal != nullptr;
  }
  // Under the lock.
  [[nodiscard]] std::uint32_t awake() const noexcept {
    return workers_ - asleep(counts_.load(std::memory_order_relaxed));  // relaxed: invariant (sleepers)
  }
  [[nodiscard]] bool is_at_limit() const noexcept {
    return awake() >= limit_.load(std::memory_order_relaxed);  // relaxed: written under the lock
  }
  // Without the lock.
  void tell_if_all_sleep() noexcept {
    if (keeper_ != nullptr && all_sleep()) keeper_->all_sleep();
  }
  bool wake_after_fence(worker_id w, limits of) noexcept {
    if (w == first && open_.ask()) return false;
    return wake_one([this, w] { return sleeping_.has(w) && may_wake(w) ? std::optional(w) : std::nullopt; }, of);
  }
  /// What to do if a caller is in the place of the only worker that sleeps by the counts.
  enum class nobody_sleeps : bool {
    nothing,
    asks,  ///< the caller looks once more before it leaves
  };
  /// Low numbers first: with little work, the pool shrinks to its first workers. But worker 0 last: callers from outside take
  /// its place, and so find the same worker every time.
  bool wake_any(nobody_sleeps then = nobody_sleeps::nothing) noexcept {
    // Whoever has read the counts sees the set: if a caller is in the place of the only one that sleeps, the lock is not worth it.
    if (sleeping_.first_but_0() == first && (then == nobody_sleeps::asks ? open_.ask() : open_.is_taken()))
      return false;
    return wake_one([this] {
      std::optional<worker_id> const chosen = sleeping_.first_but_0();
      return chosen && may_wake(*chosen) ? chosen : std::nullopt;
    });
  }

  // Read by all, and written seldom.
  std::uint32_t const workers_;
  typename Sync::template atomic<std::uint32_t> limit_{~std::uint32_t{0}};  ///< written under the lock
  limit_keeper* keeper_ = nullptr;
  std::pmr::deque<sleeper> sleepers_;
  worker_set<Sync> sleeping_;  ///< changed under the lock
  counter& counts_;
  typename Sync::template atomic<bool> retired_{false};  ///< written under the lock

  alignas(cache_line_bytes) open_place<Sync> open_;  ///< of worker 0

  alignas(cache_line_bytes) typename Sync::mutex sleepers_lock_;  ///< guards every sleeper's state
  bool owes_ = false;  ///< a wake-up that the limit forbade is still to come (limit.md); under the lock
  alignas(cache_line_bytes) counter own_counts_{0};
};

}}}  // namespace skua::v0::runtime

#include "skua/machine/threads/engine/sleep/sleep_limit.hpp"
