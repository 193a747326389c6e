// SPDX-License-Identifier: MIT
// The default pool as the backend of `parallel_scheduler` (P2079). `Library` has the words of schedule.hpp and those of a
// backend (execution.md).
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "skua/machine/threads/face/detached.hpp"
#include "skua/machine/threads/face/executor.hpp"
#include "skua/machine/threads/face/loops.hpp"
#include "skua/machine/threads/face/pool.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace senders {

/// A task that completes a proxy. It lies in the room that the library gives with each call, or on the heap if the room is too
/// small; it is gone when it completes the proxy.
template <class Proxy>
struct proxy_task : detached_call {
  proxy_task(detached_kind const& k, Proxy& p) noexcept : detached_call{.kind = &k}, proxy(&p) {}
  Proxy* proxy;
  bool on_heap = false;
};

/// Starts a Task(arguments..) on the default pool.
template <class Task, class Proxy, class... Arguments>
void start_in(std::span<std::byte> room, Proxy& proxy, Arguments... arguments) noexcept {
  static_assert(std::is_trivially_destructible_v<Task>);
  void* at = room.data();
  std::size_t left = room.size();
  bool const fits = at != nullptr && std::align(alignof(Task), sizeof(Task), at, left) != nullptr;
  Task* const task = fits ? ::new (at) Task(proxy, arguments...) : new (std::nothrow) Task(proxy, arguments...);
  if (task == nullptr) return proxy.set_error(std::make_exception_ptr(std::bad_alloc()));
  task->on_heap = !fits;
  try {
    announce(*task, root_region_of(default_pool()));
  } catch (...) {
    if (!fits) delete task;
    return proxy.set_error(std::current_exception());
  }
  submit(*task);
}

/// Ends a task. Returns its proxy, which is to be completed.
template <class Task>
auto& finished(Task& task) noexcept {
  auto& proxy = *task.proxy;
  if (task.on_heap) delete &task;
  return proxy;
}

template <class Library>
struct schedule_task final : proxy_task<typename Library::receiver_proxy> {
  explicit schedule_task(typename Library::receiver_proxy& p) noexcept
      : proxy_task<typename Library::receiver_proxy>(kind, p) {}

  static void run(detached_call& call, fiber&) {
    auto& proxy = finished(static_cast<schedule_task&>(call));
    Library::is_stopped(proxy) ? proxy.set_stopped() : proxy.set_value();
  }
  static constexpr detached_kind kind{.run = &schedule_task::run};
};

/// Calls execute(begin, end) for the pieces of [0, n); `Fully`: for each element. Pieces that begin after a stop are left out.
template <class Library, bool Fully>
struct bulk_task final : proxy_task<typename Library::bulk_item_receiver_proxy> {
  bulk_task(typename Library::bulk_item_receiver_proxy& p, std::size_t elements) noexcept
      : proxy_task<typename Library::bulk_item_receiver_proxy>(kind, p), n(elements) {}

  static void run(detached_call& call, fiber& on) {
    auto& self = static_cast<bulk_task&>(call);
    bool const is_whole = self.loop(here_of(on));
    auto& proxy = finished(self);
    is_whole ? proxy.set_value() : proxy.set_stopped();
  }
  static constexpr detached_kind kind{.run = &bulk_task::run};

 private:
  /// False if a stop has left pieces out.
  [[nodiscard]] bool loop(here& here) const {
    piece_body<runtime::here> const pieces{[](void const* closure, runtime::here&, std::size_t begin, std::size_t end) {
                                             auto& proxy = *static_cast<bulk_task const*>(closure)->proxy;
                                             if (Library::is_stopped(proxy)) throw cancelled{};
                                             proxy.execute(begin, end);
                                           },
                                           this};
    try {
      if constexpr (Fully) {
        run_pieces(here, 0, n, {1}, pieces);
      } else {
        run_usual_pieces(here, n, 1, pieces);
      }
    } catch (cancelled const&) {  // execute throws nothing
      return false;
    }
    return true;
  }

  std::size_t n;
};

/// Any thread may call it. Everything runs on the default pool, which is made when it is first needed; a child of fork() gets one
/// of its own. Completes with an error if that pool cannot be made.
template <class Library>
class parallel_backend final : public Library::parallel_scheduler_backend {
 public:
  void schedule(typename Library::receiver_proxy& to, std::span<std::byte> room) noexcept override {
    start_in<schedule_task<Library>>(room, to);
  }
  void schedule_bulk_chunked(std::size_t n, typename Library::bulk_item_receiver_proxy& to,
                             std::span<std::byte> room) noexcept override {
    start_in<bulk_task<Library, false>>(room, to, n);
  }
  void schedule_bulk_unchunked(std::size_t n, typename Library::bulk_item_receiver_proxy& to,
                               std::span<std::byte> room) noexcept override {
    start_in<bulk_task<Library, true>>(room, to, n);
  }
};

}}}}  // namespace skua::v0::runtime::senders
