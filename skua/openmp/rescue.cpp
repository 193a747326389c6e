// SPDX-License-Identifier: MIT
#include "skua/openmp/rescue.hpp"
#include "skua/parts/base/fork_handlers.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

namespace skua { inline namespace v0 { namespace openmp {

/// One per process, never destroyed. Its thread sleeps while there has been no nested team for a second.
class rescue_watch {
 public:
  static rescue_watch& the() noexcept {
    static auto* const only = new rescue_watch;
    return *only;
  }

  void add(waiting_members& m) {
    std::lock_guard const hold(changing_);
    m.next_ = first_;
    if (first_ != nullptr) first_->previous_ = &m;
    first_ = &m;
    if (!has_thread_) {
      std::thread([this] { watch(); }).detach();
      has_thread_ = true;
    } else if (sleeps_) {
      wakes_.notify_one();
    }
  }
  void remove(waiting_members& m) noexcept {
    std::lock_guard const hold(changing_);
    (m.previous_ != nullptr ? m.previous_->next_ : first_) = m.next_;
    if (m.next_ != nullptr) m.next_->previous_ = m.previous_;
  }
  std::atomic<std::uint32_t> threads{0};

  static void before_fork() noexcept { the().changing_.lock(); }
  static void in_parent() noexcept { the().changing_.unlock(); }
  static void in_child() noexcept {
    the().has_thread_ = the().sleeps_ = false;  // threads and teams are those of the parent
    the().first_ = nullptr;
    // A thread that the child does not have may wait for it, and notify_one would wait for that thread.
    ::new (&the().wakes_) std::condition_variable;
    the().changing_.unlock();
  }

 private:
  static constexpr std::chrono::milliseconds period{20};
  static constexpr int idle_looks = 50;

  void watch() noexcept {
    std::unique_lock hold(changing_);
    for (int idle = 0;;) {
      wakes_.wait_for(hold, period);
      idle = first_ == nullptr ? idle + 1 : 0;
      for (waiting_members* m = first_; m != nullptr; m = m->next_) {
        if (m->unclaimed_.load(std::memory_order_relaxed) == 0 || ++m->looks_ < 2) continue;  // relaxed: advice
        m->rescue_one();
      }
      if (idle < idle_looks) continue;
      sleeps_ = true;
      wakes_.wait(hold, [this] { return first_ != nullptr; });
      sleeps_ = false;
      idle = 0;
    }
  }

  std::mutex changing_;
  std::condition_variable wakes_;
  waiting_members* first_ = nullptr;  ///< under changing_, as the next two
  bool has_thread_ = false;
  bool sleeps_ = false;
};
[[gnu::init_priority(runtime::before_static_objects)]] runtime::fork_handlers const watch_over_fork{
    &rescue_watch::before_fork, &rescue_watch::in_parent, &rescue_watch::in_child};

waiting_members::waiting_members(team& of, runtime::wait_group& unfinished)
    : team_(of), unfinished_(unfinished), is_claimed_(std::make_unique<std::atomic<bool>[]>(of.size())),
      unclaimed_(of.size() - 1) {
  rescue_watch::the().add(*this);
}

waiting_members::~waiting_members() { rescue_watch::the().remove(*this); }

waiting_members::outcome waiting_members::begin_on_thread(std::uint32_t m) noexcept {
  constexpr std::uint32_t most_threads = 512;
  std::atomic<std::uint32_t>& threads = rescue_watch::the().threads;
  if (is_claimed(m)) return outcome::claimed;
  if (threads.load(std::memory_order_relaxed) >= most_threads)
    return outcome::no_thread;  // relaxed: a bound, not exact
  unfinished_.add();            // first: once it is claimed here, its task may be the last that is counted
  if (!claim(m)) {
    unfinished_.finish();
    return outcome::claimed;
  }
  threads.fetch_add(1, std::memory_order_relaxed);  // relaxed: as above
  try {
    std::thread([&team = team_, &unfinished = unfinished_, &threads, m] {
      team.run_member(m);
      threads.fetch_sub(1, std::memory_order_relaxed);  // relaxed: as above
      unfinished.finish();
    }).detach();
    return outcome::begun;
  } catch (std::exception const&) {                          // no thread: a worker may still take it
    threads.fetch_sub(1, std::memory_order_relaxed);         // relaxed: as above
    is_claimed_[m].store(false, std::memory_order_relaxed);  // relaxed: as in claim
    unclaimed_.fetch_add(1, std::memory_order_relaxed);      // relaxed: advice
    unfinished_.finish();
    return outcome::no_thread;
  }
}

void waiting_members::begin_on_threads() noexcept {
  for (std::uint32_t m = 1; m < team_.size(); ++m) {
    if (begin_on_thread(m) == outcome::no_thread) return;
  }
}

/// Under the watch's lock, so the team is there; afterwards the count keeps it.
void waiting_members::rescue_one() noexcept {
  for (std::uint32_t m = 1; m < team_.size(); ++m) {
    if (begin_on_thread(m) != outcome::claimed) return;
  }
}

}}}  // namespace skua::v0::openmp
