// SPDX-License-Identifier: MIT
// oneTBB's concurrent_bounded_queue: a queue whose push waits while it is full, and whose pop waits while it is empty. A task that
// waits parks: its worker runs other tasks meanwhile, so a producer and a consumer may share the only worker. With oneTBB they hang.
#pragma once

#include <cstddef>
#include <exception>
#include <iterator>
#include <limits>
#include <list>
#include <mutex>
#include <utility>

#include "skua/machine/threads/face/one_shot.hpp"
#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace tbb {

/// What waiting calls throw when the queue is aborted.
class user_abort : public std::exception {
 public:
  [[nodiscard]] char const* what() const noexcept override {
    return "User-initiated abort has terminated this operation";
  }
};

/// First in, first out. Any thread may call every member function but the constructors and the destructor. A lock around a list: for
/// items that are worth a task, not for words. Unlike oneTBB's, it cannot be copied or iterated over, and takes no allocator.
template <class T>
class concurrent_bounded_queue {
 public:
  using size_type = std::ptrdiff_t;
  using difference_type = std::ptrdiff_t;
  using value_type = T;
  using reference = T&;
  using const_reference = T const&;

  concurrent_bounded_queue() = default;
  /// Nobody may wait: call abort() first, and wait for those who did.
  ~concurrent_bounded_queue() {
    runtime::expects(pushers_.empty() && poppers_.empty(),
                     "concurrent_bounded_queue: destroyed while no thread waits in it");
  }
  template <class It>
  concurrent_bounded_queue(It first, It last) : items_(first, last) {}
  concurrent_bounded_queue(concurrent_bounded_queue const&) = delete;
  concurrent_bounded_queue& operator=(concurrent_bounded_queue const&) = delete;

  /// Waits while the queue is full. Throws user_abort, what T throws, and std::bad_alloc; then nothing was pushed.
  void push(T const& value) { emplace(value); }
  void push(T&& value) { emplace(std::move(value)); }
  template <class... Arguments>
  void emplace(Arguments&&... of) {
    std::list<T> one;
    one.emplace_back(std::forward<Arguments>(of)...);  // before the lock, and so that nothing fails after the wait
    std::unique_lock hold(lock_);
    await(hold, pushers_, [this] { return has_room(); });
    put(hold, one);
  }
  /// The same; false if it is full.
  bool try_push(T const& value) { return try_emplace(value); }
  bool try_push(T&& value) { return try_emplace(std::move(value)); }
  template <class... Arguments>
  bool try_emplace(Arguments&&... of) {
    {
      std::scoped_lock const hold(lock_);
      if (!has_room()) return false;
    }
    std::list<T> one;
    one.emplace_back(std::forward<Arguments>(of)...);
    std::unique_lock hold(lock_);
    if (!has_room()) return false;
    put(hold, one);
    return true;
  }

  /// Waits while the queue is empty. Throws user_abort, and what assigning to `result` throws; then the item is lost.
  void pop(T& result) {
    std::unique_lock hold(lock_);
    await(hold, poppers_, [this] { return !items_.empty(); });
    take(hold, result);
  }
  /// The same; false if it is empty.
  bool try_pop(T& result) {
    std::unique_lock hold(lock_);
    if (items_.empty()) return false;
    take(hold, result);
    return true;
  }

  /// Calls that wait throw user_abort.
  void abort() noexcept {
    std::unique_lock hold(lock_);
    wake_all(hold, outcome::aborted);
  }
  /// Pushes less pops, also of those that wait: negative while more wait to pop.
  [[nodiscard]] size_type size() const noexcept {
    std::scoped_lock const hold(lock_);
    return std::ssize(items_) + std::ssize(pushers_) - std::ssize(poppers_);
  }
  [[nodiscard]] bool empty() const noexcept {
    std::scoped_lock const hold(lock_);
    return items_.empty();
  }
  /// At first, and for a negative number, there is no bound.
  void set_capacity(size_type most) noexcept {
    std::unique_lock hold(lock_);
    capacity_ = most < 0 ? unbounded : most;
    wake_all(hold, outcome::may_go_on);  // whoever finds no room waits again
  }
  [[nodiscard]] size_type capacity() const noexcept {
    std::scoped_lock const hold(lock_);
    return capacity_;
  }
  void clear() noexcept {
    std::list<T> gone;
    std::unique_lock hold(lock_);
    gone.swap(items_);
    wake_all(hold, outcome::may_go_on);
  }

 private:
  enum class outcome : bool { may_go_on, aborted };
  using waiter = one_shot<outcome>;  ///< on the stack of who waits; whoever takes it off its list sets it, once
  using waiters = std::list<waiter*>;
  static constexpr size_type unbounded = std::numeric_limits<size_type>::max();

  [[nodiscard]] bool has_room() const noexcept { return std::ssize(items_) < capacity_; }

  template <class MayGoOn>
  void await(std::unique_lock<std::mutex>& hold, waiters& in, MayGoOn may_go_on) {
    while (!may_go_on()) {
      waiter me;
      in.push_back(&me);
      hold.unlock();
      outcome const how = me.wait();
      if (how == outcome::aborted) throw user_abort();
      hold.lock();
    }
  }
  void put(std::unique_lock<std::mutex>& hold, std::list<T>& one) noexcept {
    items_.splice(items_.end(), one);
    wake_one(hold, poppers_);
  }
  void take(std::unique_lock<std::mutex>& hold, T& result) {
    std::list<T> one;
    one.splice(one.end(), items_, items_.begin());
    wake_one(hold, pushers_);
    result = std::move(one.front());
  }
  /// Unlocks, too: who goes on needs the lock.
  static void wake_one(std::unique_lock<std::mutex>& hold, waiters& of) noexcept {
    if (of.empty()) return hold.unlock();
    waiter& first = *of.front();
    of.pop_front();
    hold.unlock();
    first.set_value(outcome::may_go_on);
  }
  void wake_all(std::unique_lock<std::mutex>& hold, outcome how) noexcept {
    waiters all;
    all.splice(all.end(), pushers_);
    all.splice(all.end(), poppers_);
    hold.unlock();
    for (waiter* const w : all) w->set_value(how);
  }

  mutable std::mutex lock_;
  std::list<T> items_;
  size_type capacity_ = unbounded;
  waiters pushers_;  ///< in the order in which they came
  waiters poppers_;
};

}}}  // namespace skua::v0::tbb
