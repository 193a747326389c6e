// SPDX-License-Identifier: MIT
// oneTBB's mutexes. Each is a parking_lock; they differ in fairness, and whether there are readers. Skua's own users take std::mutex and skua::isolate.
#pragma once

#include <concepts>
#include <type_traits>

#include "skua/parts/base/assert.hpp"
#include "skua/tbb/parking_lock.hpp"

namespace skua { inline namespace v0 { namespace tbb {

/// Holds a mutex until its end, or until release(). Not thread-safe. `Mutex` is Lockable.
template <class Mutex>
class scoped_lock_of {
 public:
  scoped_lock_of() = default;
  explicit scoped_lock_of(Mutex& m) { acquire(m); }
  ~scoped_lock_of() {
    if (held_ != nullptr) release();
  }
  scoped_lock_of(scoped_lock_of const&) = delete;
  scoped_lock_of& operator=(scoped_lock_of const&) = delete;

  /// The lock must hold nothing before.
  void acquire(Mutex& m) {
    runtime::expects(held_ == nullptr, "scoped_lock::acquire: while it holds nothing");
    m.lock();
    held_ = &m;
  }
  [[nodiscard]] bool try_acquire(Mutex& m) {
    runtime::expects(held_ == nullptr, "scoped_lock::try_acquire: while it holds nothing");
    if (m.try_lock()) held_ = &m;
    return held_ != nullptr;
  }
  void release() {
    runtime::expects(held_ != nullptr, "scoped_lock::release: while it holds a mutex");
    held_->unlock();
    held_ = nullptr;
  }

 private:
  Mutex* held_ = nullptr;
};

/// The same for readers and writers. `Mutex` is SharedLockable, with upgrade() and downgrade().
template <class Mutex>
class rw_scoped_lock_of {
 public:
  rw_scoped_lock_of() = default;
  explicit rw_scoped_lock_of(Mutex& m, bool write = true) { acquire(m, write); }
  ~rw_scoped_lock_of() {
    if (held_ != nullptr) release();
  }
  rw_scoped_lock_of(rw_scoped_lock_of const&) = delete;
  rw_scoped_lock_of& operator=(rw_scoped_lock_of const&) = delete;

  void acquire(Mutex& m, bool write = true) {
    runtime::expects(held_ == nullptr, "scoped_lock::acquire: while it holds nothing");
    if (write) {
      m.lock();
    } else {
      m.lock_shared();
    }
    held_ = &m;
    is_writer_ = write;
  }
  [[nodiscard]] bool try_acquire(Mutex& m, bool write = true) {
    runtime::expects(held_ == nullptr, "scoped_lock::try_acquire: while it holds nothing");
    if (write ? m.try_lock() : m.try_lock_shared()) {
      held_ = &m;
      is_writer_ = write;
    }
    return held_ != nullptr;
  }
  void release() {
    runtime::expects(held_ != nullptr, "scoped_lock::release: while it holds a mutex");
    if (is_writer_) {
      held_->unlock();
    } else {
      held_->unlock_shared();
    }
    held_ = nullptr;
  }
  /// False: others may have changed what the mutex guards meanwhile.
  bool upgrade_to_writer() {
    runtime::expects(held_ != nullptr, "scoped_lock::upgrade_to_writer: while it holds a mutex");
    if (is_writer_) return true;
    is_writer_ = true;
    return held_->upgrade();
  }
  bool downgrade_to_reader() {
    runtime::expects(held_ != nullptr, "scoped_lock::downgrade_to_reader: while it holds a mutex");
    if (is_writer_) held_->downgrade();
    is_writer_ = false;
    return true;
  }
  [[nodiscard]] bool is_writer() const {
    runtime::expects(held_ != nullptr, "scoped_lock::is_writer: while it holds a mutex");
    return is_writer_;
  }

 private:
  Mutex* held_ = nullptr;
  bool is_writer_ = false;
};

/// `Name` only tells them apart.
template <class Name, bool fair>
class mutex_of {
 public:
  using scoped_lock = scoped_lock_of<mutex_of>;
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = fair;

  void lock() { lock_.lock(); }
  [[nodiscard]] bool try_lock() noexcept { return lock_.try_lock(); }
  void unlock() noexcept { lock_.unlock(); }

 private:
  parking_lock<fair> lock_;
};

template <class Name, bool fair>
class rw_mutex_of : public parking_lock<fair> {
 public:
  using scoped_lock = rw_scoped_lock_of<rw_mutex_of>;
  static constexpr bool is_rw_mutex = true;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = fair;
};

using mutex = mutex_of<class plain, false>;
using spin_mutex = mutex_of<class spinning, false>;
using speculative_spin_mutex = mutex_of<class speculating, false>;
using queuing_mutex = mutex_of<class queuing, true>;
using rw_mutex = rw_mutex_of<class plain, false>;
using spin_rw_mutex = rw_mutex_of<class spinning, false>;
using speculative_spin_rw_mutex = rw_mutex_of<class speculating, false>;
using queuing_rw_mutex = rw_mutex_of<class queuing, true>;

/// They guard nothing: for code that takes the kind of mutex as a parameter.
template <bool with_readers>
class null_mutex_of {
 public:
  using scoped_lock = std::conditional_t<with_readers, rw_scoped_lock_of<null_mutex_of>, scoped_lock_of<null_mutex_of>>;
  static constexpr bool is_rw_mutex = with_readers;
  static constexpr bool is_recursive_mutex = true;
  static constexpr bool is_fair_mutex = true;

  null_mutex_of() = default;
  null_mutex_of(null_mutex_of const&) = delete;
  null_mutex_of& operator=(null_mutex_of const&) = delete;

  void lock() noexcept {}
  [[nodiscard]] bool try_lock() noexcept { return true; }
  void unlock() noexcept {}
  void lock_shared() noexcept {}
  [[nodiscard]] bool try_lock_shared() noexcept { return true; }
  void unlock_shared() noexcept {}
  [[nodiscard]] bool upgrade() noexcept { return true; }
  void downgrade() noexcept {}
};
using null_mutex = null_mutex_of<false>;
using null_rw_mutex = null_mutex_of<true>;

}}}  // namespace skua::v0::tbb
