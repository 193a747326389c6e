// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/matrix/transfers.hpp"

#include <chrono>
#include <utility>

#include "skua/machine/ranks/matrix/footprint_meter.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/context/current.hpp"

namespace skua { inline namespace v0 { namespace ranks {

char const* name_of(transfer_kind what) noexcept {
  return what == transfer_kind::get ? "get" : what == transfer_kind::put ? "put" : "accumulate";
}

transfers::transfers(std::function<void(std::uint32_t)> poll)
    : poll_(std::move(poll)), server_(runtime::thread_number()) {}

bool transfers::is_server() const noexcept { return runtime::thread_number() == server_; }

task_meter* transfers::meter_of_task() const noexcept {
  footprint_meter* const asked = meter_.load(std::memory_order_acquire);  // acquire: pairs with measure
  return asked == nullptr ? nullptr : asked->of_this_flow();
}

void transfers::open(runtime::worker_threads* threads) {
  asked_.change([&](auto&) {
    threads_ = threads;
    if (!has_ended_.load(std::memory_order_relaxed)) refuses_ = nullptr;  // relaxed: this thread wrote it
    admits_ = threads != nullptr && refuses_ == nullptr;
  });
  is_open_ = threads != nullptr;
}

void transfers::close() {
  if (!is_open_) return;
  is_open_ = false;
  asked_.change([&](auto&) { admits_ = false; });
  serve();
}

void transfers::fail(std::exception_ptr const& why) {
  asked_.change([&](auto&) {
    admits_ = false;
    if (refuses_ == nullptr) refuses_ = why;
  });
  fail_all(why);
  is_open_ = false;
}

void transfers::end(std::exception_ptr const& why) {
  // release: a thread that sees it locks asked_, and finds refuses_. Pairs with: expect_usable
  if (has_ended_.exchange(true, std::memory_order_release)) return;
  is_open_ = false;
  asked_.change([&](auto&) {
    admits_ = false;
    refuses_ = why;
  });
  fail_all(why);
}

void transfers::fail_all(std::exception_ptr const& why) {
  for (auto const& t : asked_.take()) conclude(*t, why);
  for (auto const& t : std::exchange(under_way_, {})) conclude(*t, why);
}

/// The last access of a transfer that a worker waits for.
void transfers::conclude(transfer& t, std::exception_ptr failure) noexcept {
  // relaxed: as in copied_bytes
  copied_bytes_.fetch_sub(t.copied_bytes, std::memory_order_relaxed);
  t.copy.reset();
  if (failure != nullptr && unseen_ == nullptr && !t.is_waited_for) unseen_ = failure;
  t.failure = std::move(failure);
  t.is_over = true;
  if (t.done != nullptr) t.done->set();
}

void transfers::start(std::shared_ptr<transfer> t) noexcept {
  try {
    t->started = t->where->start(t->what, t->runs);
    under_way_.push_back(t);
  } catch (...) {
    conclude(*t, std::current_exception());
  }
}

bool transfers::serve() {
  if (!asked_.looks_empty()) {
    for (auto& t : asked_.take()) start(std::move(t));
  }
  if (under_way_.empty()) return false;
  std::erase_if(under_way_, [this](std::shared_ptr<transfer> const& t) {
    try {
      if (!t->where->test(t->started)) return false;
      conclude(*t, nullptr);
    } catch (...) {
      conclude(*t, std::current_exception());
    }
    return true;
  });
  return true;
}

void transfers::rest(std::uint32_t microseconds) {
  std::unique_lock held(lock_);
  // The system's clock: ThreadSanitizer does not know the wait by another one.
  auto const until = std::chrono::system_clock::now() + std::chrono::microseconds(microseconds);
  asks_.wait_until(held, until, [this] { return has_asked_; });
  has_asked_ = false;
}

void transfers::finish() {
  for (std::uint32_t rounds = 0; serve(); ++rounds) poll_(rounds);
  if (unseen_ != nullptr) std::rethrow_exception(std::exchange(unseen_, nullptr));
}

void transfers::expect_usable() const {
  // acquire: pairs with the release of `end`
  if (!has_ended_.load(std::memory_order_acquire)) [[likely]]
    return;
  std::rethrow_exception(refuses_);  // never written again
}

void transfers::begin(std::shared_ptr<transfer> const& t, std::string const& matrix) {
  expect_usable();
  if (t->where->any_thread()) {
    static_cast<void>(t->where->start(t->what, t->runs));
    t->is_over = true;
    return;
  }
  // relaxed: as in copied_bytes
  copied_bytes_.fetch_add(t->copied_bytes, std::memory_order_relaxed);
  if (is_server()) {
    held_in_task const held(lock_of_tasks_);
    start(t);
    serve();
    return;
  }
  try {
    asked_.change([&](auto& list) {
      if (!admits_ && refuses_ != nullptr) std::rethrow_exception(refuses_);
      if (!admits_) {
        throw usage_error("the distributed matrix '" + matrix + "': " + name_of(t->what) +
                          " in a thread that is neither that of the communicator, nor a worker of a rank_pool within "
                          "process(); allowed: these");
      }
      if (t->is_waited_for) t->done = threads_->make_signal();
      list.push_back(t);
    });
  } catch (...) {
    // relaxed: as in copied_bytes
    copied_bytes_.fetch_sub(t->copied_bytes, std::memory_order_relaxed);
    throw;
  }
  {
    std::scoped_lock const held(lock_);
    has_asked_ = true;
  }
  asks_.notify_one();
}

void transfers::wait(transfer& t) {
  if (is_server()) {
    held_in_task const held(lock_of_tasks_);
    for (std::uint32_t rounds = 0; !t.is_over; ++rounds) poll_(rounds);
  } else if (t.done != nullptr) {
    t.done->wait();
  } else if (!t.where->any_thread()) {
    throw usage_error(
        "the transfer of a distributed matrix, waited for by another thread than the one that began it; allowed: that "
        "one, "
        "or the thread of the communicator");
  }
  if (t.failure != nullptr) std::rethrow_exception(t.failure);
}

bool transfers::is_over(transfer const& t) const noexcept {
  if (t.done != nullptr) return t.done->is_set();
  held_in_task const held(is_server() ? lock_of_tasks_ : nullptr);
  return t.is_over;
}

}}}  // namespace skua::v0::ranks
