// SPDX-License-Identifier: MIT
// What all mutexes of mutex.hpp are: a lock for one writer or many readers whose waiters park. The worker of a task that waits runs other
// tasks meanwhile, so a holder may wait for tasks, too; with oneTBB's mutexes its thread may take up a task that wants the same mutex.
// waiting_line.md
#pragma once

#include <mutex>
#include <thread>

#include "skua/machine/threads/face/one_shot.hpp"
#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/brief_lock.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/tbb/waiting_line.hpp"

namespace skua { inline namespace v0 { namespace tbb {

/// Models SharedLockable. A fair one is handed over in the order of arrival. In another one a writer that is woken tries again, and others may have
/// come first: short sections do not each wait for a thread to wake. No thread owns the lock.
template <bool fair>
class parking_lock {
 public:
  parking_lock() = default;
  ~parking_lock() { runtime::expects(line_.is_idle(), "mutex: destroyed while nobody holds it or waits for it"); }
  parking_lock(parking_lock const&) = delete;
  parking_lock& operator=(parking_lock const&) = delete;

  [[nodiscard]] bool try_lock() noexcept { return take(true); }
  void lock() { acquire(true); }
  void unlock() noexcept {
    change([this] { return line_.writer_leaves(); });
  }
  [[nodiscard]] bool try_lock_shared() noexcept { return take(false); }
  void lock_shared() { acquire(false); }
  void unlock_shared() noexcept {
    change([this] { return line_.reader_leaves(); });
  }

  /// From reader to writer. False: others may have had the lock in between.
  [[nodiscard]] bool upgrade() {
    {
      std::scoped_lock const alone(guard_);
      if (line_.upgrade()) return true;
    }
    acquire(true);
    return false;
  }
  /// From writer to reader; no writer has the lock in between.
  void downgrade() noexcept {
    change([this] { return line_.downgrade(); });
  }

 private:
  struct waiter : place_in_line {
    one_shot<> turn{};
  };
  static constexpr int patience = 80;  ///< looks before it parks
  static constexpr int yields = 16;    ///< that many of them, the last ones, give the processor to others

  [[nodiscard]] bool take(bool as_writer) noexcept {
    std::scoped_lock const alone(guard_);
    return line_.take(as_writer);
  }
  void acquire(bool as_writer) {
    for (int tries = 0; tries < patience; ++tries) {
      if (take(as_writer)) return;
      if (tries < patience - yields) {
        runtime::relax();
      } else {
        std::this_thread::yield();
      }
    }
    for (bool has_lock = false; !has_lock;) {
      waiter me{{.is_writer = as_writer}};
      {
        std::scoped_lock const alone(guard_);
        if (line_.take(as_writer)) return;
        line_.join(me);
      }
      me.turn.wait();
      has_lock = me.has_lock;
    }
  }
  template <class Step>
  void change(Step const& step) noexcept {
    place_in_line* woken = nullptr;
    {
      std::scoped_lock const alone(guard_);
      woken = step();
    }
    while (woken != nullptr) {
      auto& one = *static_cast<waiter*>(woken);
      woken = one.next;  // before it is woken, and gone
      one.turn.set_value();
    }
  }

  runtime::brief_lock<> guard_;
  waiting_line<fair> line_;  ///< under guard_
};

}}}  // namespace skua::v0::tbb
