// SPDX-License-Identifier: MIT
// A pool as the scheduler of senders (P2300). These templates depend on no sender library: `Library` has its words
// (execution.md lists them). States and invariants: execution.md.
#pragma once

#include <utility>

#include "skua/machine/threads/face/detached.hpp"
#include "skua/machine/threads/face/pool.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace senders {

/// True if the receiver's token requests a stop. A constant for receivers that nobody can stop.
template <class Library, class Receiver>
[[nodiscard]] bool is_stopped(Receiver const& receiver) noexcept {
  if constexpr (Library::template never_stops<Receiver>) {
    return false;
  } else {
    return Library::stop_token_of(receiver).stop_requested();
  }
}

/// The same; then it completes the receiver. Receivers that nobody can stop need no set_stopped.
template <class Library, class Receiver>
[[nodiscard]] bool ended_by_stop(Receiver& receiver) noexcept {
  if constexpr (Library::template never_stops<Receiver>) {
    return false;
  } else {
    bool const stopped = is_stopped<Library>(receiver);
    if (stopped) Library::set_stopped(std::move(receiver));
    return stopped;
  }
}

/// The operation state of `schedule`. It is the task itself, so starting it allocates nothing. It must live until a
/// completion function is called, which may destroy it.
template <class Library, class Receiver>
class schedule_operation final : detached_call {
 public:
  using operation_state_concept = typename Library::operation_state_tag;

  schedule_operation(pool& where, Receiver&& receiver) noexcept
      : detached_call{.kind = &kind, .host = &root_region_of(where)}, receiver_(std::move(receiver)) {}
  schedule_operation(schedule_operation const&) = delete;
  schedule_operation& operator=(schedule_operation const&) = delete;

  /// After `submit` the operation may have completed and be destroyed.
  void start() & noexcept {
    if (ended_by_stop<Library>(receiver_)) return;
    announce(*this, *host);  // throws in a child of fork(): std::terminate prints why
    submit(*this);
  }

 private:
  static void complete(detached_call& call, fiber&) {
    auto& self = static_cast<schedule_operation&>(call);
    if (!ended_by_stop<Library>(self.receiver_)) Library::set_value(std::move(self.receiver_));
  }
  static char const* name_of(detached_call const&) noexcept { return type_text<Receiver>(); }
  static constexpr detached_kind kind{.run = &schedule_operation::complete, .name_of = &schedule_operation::name_of};

  Receiver receiver_;
};

template <class Library>
class scheduler;

/// The environment of senders that complete on a pool: what they complete with set_value on, they do on its workers.
/// set_stopped may come from the thread that starts the operation.
template <class Library>
class on_pool {
 public:
  explicit on_pool(pool& where) noexcept : pool_(&where) {}

  [[nodiscard]] scheduler<Library> query(
      typename Library::template completion_scheduler_query<typename Library::set_value_t>) const noexcept {
    return scheduler<Library>(*pool_);
  }
  [[nodiscard]] typename Library::domain query(
      typename Library::template completion_domain_query<typename Library::set_value_t>) const noexcept {
    return {};
  }

 protected:
  pool* pool_;
};

/// Completes on a worker of the pool: set_value(), or set_stopped() if a stop was requested before. There is no error, because the
/// standard's coroutines take no other schedulers. In a child of fork(), which has no workers, `connect` throws error, and `start` of an operation that was
/// connected before ends the process.
template <class Library>
class schedule_sender : on_pool<Library> {
 public:
  using sender_concept = typename Library::sender_tag;
  using on_pool<Library>::on_pool;

  template <class, class... Env>
  static consteval auto get_completion_signatures() noexcept {
    using value = typename Library::set_value_t();
    using stopped = typename Library::set_stopped_t();
    if constexpr ((Library::template never_stopped_in<Env> || ...)) {
      return typename Library::template signatures<value>();
    } else {
      return typename Library::template signatures<value, stopped>();
    }
  }

  template <class Receiver>
  [[nodiscard]] schedule_operation<Library, Receiver> connect(Receiver receiver) const {
    if (is_lost_by_fork(*this->pool_)) [[unlikely]]
      throw error(
          "pool_scheduler: the workers of its pool stayed in the parent process of fork(); allowed: pools of the "
          "child");
    return {*this->pool_, std::move(receiver)};
  }
  [[nodiscard]] on_pool<Library> const& get_env() const noexcept { return *this; }
};

/// A pool as a scheduler. The pool must live until everything that was scheduled on it has started; its destructor then waits for
/// it, as for enqueued tasks. Schedulers of one pool are equal.
template <class Library>
class scheduler : on_pool<Library> {
 public:
  using scheduler_concept = typename Library::scheduler_tag;
  using on_pool<Library>::query;

  explicit scheduler(pool& where) noexcept : on_pool<Library>(where) {}

  /// A sender that completes on a worker of the pool. Its operations allocate nothing.
  [[nodiscard]] schedule_sender<Library> schedule() const noexcept { return schedule_sender<Library>(*this->pool_); }

  /// parallel: if all workers block, one more thread runs what is scheduled (lent_thread.md).
  [[nodiscard]] constexpr auto query(typename Library::progress_query) const noexcept {
    return Library::parallel_progress;
  }

  [[nodiscard]] pool& where() const noexcept { return *this->pool_; }
  [[nodiscard]] bool operator==(scheduler const& other) const noexcept { return this->pool_ == other.pool_; }
};

}}}}  // namespace skua::v0::runtime::senders
