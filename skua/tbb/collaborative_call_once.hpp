// SPDX-License-Identifier: MIT
// oneTBB's collaborative_call_once: a function is called once, by the first that comes; those who come meanwhile run its
// tasks, or others, until it has ended. With std::call_once they would block their workers.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "skua/machine/threads/face/default_region.hpp"
#include "skua/machine/threads/face/executor.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/program/wait_group.hpp"

namespace skua { inline namespace v0 { namespace tbb {

class collaborative_once_flag {
 public:
  collaborative_once_flag() = default;
  collaborative_once_flag(collaborative_once_flag const&) = delete;
  collaborative_once_flag& operator=(collaborative_once_flag const&) = delete;

 private:
  template <class F, class... Arguments>
  friend void collaborative_call_once(collaborative_once_flag& flag, F&& f, Arguments&&... with);

  /// Who runs the function: what a fiber runs comes one after the other, and so does what a thread runs that is no worker.
  struct runner {
    void const* fiber = nullptr;
    std::thread::id thread{};
    [[nodiscard]] bool is_same(runner const& other) const noexcept {
      return fiber == other.fiber && (fiber != nullptr || thread == other.thread);
    }
  };
  using call = runtime::wait_group;  ///< one task, which is the function: whoever comes meanwhile waits for it

  [[nodiscard]] bool is_done() const noexcept {
    return is_done_.load(std::memory_order_acquire);  // acquire: what the function did. Pairs with: end, store
  }
  /// The call that is in progress, which this makes if there is none (`is_mine`); null: the function has returned before.
  std::shared_ptr<call> join(bool& is_mine) {
    runner const me{runtime::executor::running(), std::this_thread::get_id()};
    std::scoped_lock const alone(changing_);
    if (is_done()) return nullptr;
    is_mine = now_ == nullptr;
    if (is_mine) {
      now_ = std::make_shared<call>();
      now_->add();
      by_ = me;
    } else if (by_.is_same(me)) {
      throw usage_error(
          "collaborative_call_once: the function calls itself, and would wait for its own end; allowed: another flag");
    }
    return now_;
  }
  void end(bool has_returned) noexcept {
    std::shared_ptr<call> ends;
    {
      std::scoped_lock const alone(changing_);
      ends = std::exchange(now_, nullptr);
      is_done_.store(has_returned, std::memory_order_release);  // release: pairs with is_done
    }
    ends->finish();
  }

  std::atomic<bool> is_done_{false};
  std::mutex changing_;
  std::shared_ptr<call> now_;  ///< under the mutex; kept by those who wait
  runner by_;                  ///< of now_; under the mutex
};

/// f(with..) once for this flag. Returns when it has returned: to the one whose call it was, and to all others. If it throws, its caller
/// gets the exception, and the next of the others calls it. A task that waits parks, a thread that is no worker takes a worker's place.
/// If the function itself calls this with the same flag, that throws usage_error; its tasks must not. Throws what default_pool() throws.
template <class F, class... Arguments>
void collaborative_call_once(collaborative_once_flag& flag, F&& f, Arguments&&... with) {
  while (!flag.is_done()) {
    bool is_mine = false;
    auto const call = flag.join(is_mine);
    if (call == nullptr) return;
    if (!is_mine) {
      if (runtime::executor::running() == nullptr)
        static_cast<void>(runtime::default_region());  // or the wait could not throw
      runtime::executor::wait(*call);
      continue;
    }
    try {
      std::invoke(std::forward<F>(f), std::forward<Arguments>(with)...);
    } catch (...) {
      flag.end(false);
      throw;
    }
    return flag.end(true);
  }
}

}}}  // namespace skua::v0::tbb
