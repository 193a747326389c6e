// SPDX-License-Identifier: MIT
// A sender library as small as possible: the words that skua/execution asks for (execution.md), so that its tests need no other
// library; and receivers for tests.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/face/this_worker.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace skua { inline namespace v0 { namespace testing {

struct small_library {
  struct sender_tag {};
  struct receiver_tag {};
  struct operation_state_tag {};
  struct scheduler_tag {};
  struct set_value_t {};
  struct set_error_t {};
  struct set_stopped_t {};
  template <class...>
  struct signatures {};
  template <class Sender, class... Env>
  using signatures_of = decltype(Sender::template get_completion_signatures<Sender, Env...>());

  template <class Receiver, class... Values>
  static void set_value(Receiver&& r, Values&&... values) noexcept {
    std::move(r).set_value(std::forward<Values>(values)...);
  }
  template <class Receiver, class Error>
  static void set_error(Receiver&& r, Error&& e) noexcept {
    std::move(r).set_error(std::forward<Error>(e));
  }
  template <class Receiver>
  static void set_stopped(Receiver&& r) noexcept {
    std::move(r).set_stopped();
  }
  template <class Sender, class Receiver>
  static auto connect(Sender&& s, Receiver r) {
    return std::forward<Sender>(s).connect(std::move(r));
  }

  /// An environment with a token has a member `token`.
  template <class Receiver>
  static decltype(auto) env_of(Receiver const& r) noexcept {
    return r.get_env();
  }
  template <class Env>
  static constexpr bool never_stopped_in = !requires(Env const& env) { env.token; };
  template <class Receiver>
  static constexpr bool never_stops =
      never_stopped_in<std::remove_cvref_t<decltype(env_of(std::declval<Receiver const&>()))>>;
  template <class Receiver>
  static auto const& stop_token_of(Receiver const& r) noexcept {
    return env_of(r).token;
  }

  struct progress_query {};
  static constexpr int parallel_progress = 1;
  template <class>
  struct completion_scheduler_query {};
  template <class>
  struct completion_domain_query {};
  struct domain {};
  struct waiting_env {};

  // For parallel_backend.hpp.
  struct receiver_proxy {
    virtual ~receiver_proxy() = default;
    virtual void set_value() noexcept = 0;
    virtual void set_error(std::exception_ptr) noexcept = 0;
    virtual void set_stopped() noexcept = 0;
    [[nodiscard]] virtual bool is_stopped() const noexcept = 0;
  };
  struct bulk_item_receiver_proxy : receiver_proxy {
    virtual void execute(std::size_t begin, std::size_t end) noexcept = 0;
  };
  struct parallel_scheduler_backend {
    virtual ~parallel_scheduler_backend() = default;
    virtual void schedule(receiver_proxy&, std::span<std::byte>) noexcept = 0;
    virtual void schedule_bulk_chunked(std::size_t, bulk_item_receiver_proxy&, std::span<std::byte>) noexcept = 0;
    virtual void schedule_bulk_unchunked(std::size_t, bulk_item_receiver_proxy&, std::span<std::byte>) noexcept = 0;
  };
  static bool is_stopped(receiver_proxy const& proxy) noexcept { return proxy.is_stopped(); }
};

enum class ending : int { none, value, error, stopped };

struct with_token {
  std::stop_token token;
};

/// What became of one operation. Each may complete once.
struct outcome {
  std::atomic<ending> how{ending::none};
  std::exception_ptr error;
  long thread = 0;
  std::optional<worker_id> worker;
  with_token env;
  std::function<void()> then = [] {};

  void complete(ending e) noexcept {
    thread = this_thread_number();
    worker = this_worker();
    then();
    EXPECT_EQ(how.exchange(e), ending::none) << "an operation has completed twice";
  }
  [[nodiscard]] bool is_over() const noexcept { return how != ending::none; }
  ending wait() {
    wait_until("it completes", [this] { return is_over(); });
    return how;
  }
};

/// `stoppable`: its environment has the outcome's token.
template <bool stoppable>
struct basic_reporter {
  using receiver_concept = small_library::receiver_tag;
  outcome* to;

  template <class... Values>
  void set_value(Values&&...) noexcept {
    to->complete(ending::value);
  }
  void set_error(std::exception_ptr e) noexcept {
    to->error = std::move(e);
    to->complete(ending::error);
  }
  void set_stopped() noexcept { to->complete(ending::stopped); }
  [[nodiscard]] decltype(auto) get_env() const noexcept {
    struct nothing {};
    if constexpr (stoppable) {
      return static_cast<with_token const&>(to->env);
    } else {
      return nothing{};
    }
  }
};
using reporter = basic_reporter<true>;
using steady_reporter = basic_reporter<false>;

}}}  // namespace skua::v0::testing
