// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/communicator/progress_thread.hpp"

#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "skua/parts/base/interruptible_sleep.hpp"
#include "skua/parts/base/options.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

/// So many looks without a process() before the thread sleeps: short ones follow each other closely.
constexpr int lull = 20;

constexpr int pauses_per_look = 9;
constexpr std::chrono::nanoseconds longest_pause = std::chrono::milliseconds(10);

/// The program's signals are for its own threads.
class signals_blocked {
 public:
  signals_blocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  signals_blocked(signals_blocked const&) = delete;
  signals_blocked& operator=(signals_blocked const&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

bool progress_thread::is_wanted() {
  constexpr char const* variable = "SKUA_PROGRESS_THREAD";
  auto const text = runtime::process_environment()(variable);
  return !text || text->find_first_not_of(" \t\r\n") == std::string::npos || runtime::read_switch(variable, *text);
}

progress_thread::progress_thread(progress_lock<>& lock, std::function<bool()> poll)
    : lock_(lock), poll_(std::move(poll)) {
  signals_blocked const inherited;
  thread_ = std::thread([this] { run(); });
}

progress_thread::~progress_thread() {
  ends_.store(true,
              std::memory_order_relaxed);  // relaxed: the mutex orders it for a sleeper, and a watcher looks again
  { std::scoped_lock const held(mutex_); }
  wakes_.notify_one();
  thread_.join();
}

void progress_thread::begin() {
  // seq_cst, both: either this sees that the thread sleeps, or it sees that a process() runs (sleep).
  is_processing_.store(true, std::memory_order_seq_cst);
  if (!is_asleep_.load(std::memory_order_seq_cst)) return;
  { std::scoped_lock const held(mutex_); }
  wakes_.notify_one();
}

void progress_thread::run() {
  while (sleep()) watch();
}

/// Returns when a process() runs; false: at the end.
bool progress_thread::sleep() {
  std::unique_lock held(mutex_);
  is_asleep_.store(true, std::memory_order_seq_cst);  // seq_cst: as in begin, as the next one
  wakes_.wait(held, [this] {
    return is_processing_.load(std::memory_order_seq_cst) ||
           ends_.load(std::memory_order_relaxed);  // relaxed: the mutex
  });
  is_asleep_.store(false, std::memory_order_relaxed);  // relaxed: a needless notification does no harm
  return !ends_.load(std::memory_order_relaxed);
}

/// Returns after a lull, or at the end.
void progress_thread::watch() {
  std::uint64_t seen = 0;
  for (int idle = 0; idle < lull && !ends_.load(std::memory_order_relaxed);) {  // relaxed: it looks again
    runtime::interruptible_sleep(pause_);
    // relaxed: a hint; who holds the lock knows more.
    idle = is_processing_.load(std::memory_order_relaxed) ? 0 : idle + 1;
    std::uint64_t const task = lock_.lent_in();
    if (task != 0 && task == seen) {
      look(task);
    } else {
      slow_down();
    }
    seen = task;
  }
}

/// No other rank waits for an answer. Each look costs some 4 us of a processor.
void progress_thread::slow_down() noexcept {
  pause_ = std::min<std::chrono::nanoseconds>(2 * pause_, longest_interval);
}

void progress_thread::look(std::uint64_t task) {
  if (!lock_.borrow(task)) return;
  auto const began = std::chrono::steady_clock::now();
  bool heard = false;
  if (trouble_ == nullptr) {
    try {
      heard = poll_();
    } catch (...) {
      trouble_ = std::current_exception();
    }
  }
  lock_.give_back();
  slow_down();
  if (heard) pause_ = shortest_interval;
  std::chrono::nanoseconds const took = std::chrono::steady_clock::now() - began;
  pause_ = std::max(pause_, std::min(took * pauses_per_look, longest_pause));
}

void progress_thread::throw_trouble() { std::rethrow_exception(std::exchange(trouble_, nullptr)); }

}}}  // namespace skua::v0::ranks
