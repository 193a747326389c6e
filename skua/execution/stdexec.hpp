// SPDX-License-Identifier: MIT
// The words of NVIDIA/stdexec for Skua's senders, and how stdexec's bulk algorithms find Skua's loops. (execution.md)
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stdexec/execution.hpp>

#include "skua/execution/bulk.hpp"
#include "skua/execution/schedule.hpp"
#include "skua/execution/sync_wait.hpp"
#include "skua/machine/threads/face/executor.hpp"
#include "skua/machine/threads/face/pool.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace senders {

struct stdexec_domain;
struct in_a_task;

/// What the templates of schedule.hpp and bulk.hpp call a library.
struct stdexec_library {
  using sender_tag = ::stdexec::sender_tag;
  using receiver_tag = ::stdexec::receiver_tag;
  using operation_state_tag = ::stdexec::operation_state_tag;
  using scheduler_tag = ::stdexec::scheduler_tag;
  using set_value_t = ::stdexec::set_value_t;
  using set_error_t = ::stdexec::set_error_t;
  using set_stopped_t = ::stdexec::set_stopped_t;
  template <class... Signatures>
  using signatures = ::stdexec::completion_signatures<Signatures...>;
  template <class Sender, class... Env>
  using signatures_of = ::stdexec::completion_signatures_of_t<Sender, Env...>;

  static constexpr ::stdexec::set_value_t set_value{};
  static constexpr ::stdexec::set_error_t set_error{};
  static constexpr ::stdexec::set_stopped_t set_stopped{};
  static constexpr ::stdexec::connect_t connect{};

  template <class Receiver>
  static decltype(auto) env_of(Receiver const& receiver) noexcept {
    return ::stdexec::get_env(receiver);
  }
  template <class Env>
  static constexpr bool never_stopped_in = ::stdexec::unstoppable_token<::stdexec::stop_token_of_t<Env>>;
  template <class Receiver>
  static constexpr bool never_stops = never_stopped_in<::stdexec::env_of_t<Receiver>>;
  template <class Receiver>
  static auto stop_token_of(Receiver const& receiver) noexcept {
    return ::stdexec::get_stop_token(::stdexec::get_env(receiver));
  }

  using progress_query = ::stdexec::get_forward_progress_guarantee_t;
  static constexpr auto parallel_progress = ::stdexec::forward_progress_guarantee::parallel;
  template <class Tag>
  using completion_scheduler_query = ::stdexec::get_completion_scheduler_t<Tag>;
  template <class Tag>
  using completion_domain_query = ::stdexec::get_completion_domain_t<Tag>;
  using domain = stdexec_domain;

  using waiting_env = in_a_task;

  // For parallel_backend.hpp.
  using parallel_scheduler_backend = ::stdexec::parallel_scheduler_replacement::parallel_scheduler_backend;
  using receiver_proxy = ::stdexec::parallel_scheduler_replacement::receiver_proxy;
  using bulk_item_receiver_proxy = ::stdexec::parallel_scheduler_replacement::bulk_item_receiver_proxy;
  static bool is_stopped(receiver_proxy const& proxy) noexcept {
    auto const token = proxy.try_query<::stdexec::inplace_stop_token>(::stdexec::get_stop_token);
    return token && token->stop_requested();
  }
};

/// The environment of the receiver of a wait: other work of the sender may run on the pool of the caller.
struct in_a_task {
  template <class Query>
    requires std::same_as<Query, ::stdexec::get_scheduler_t> || std::same_as<Query, ::stdexec::get_start_scheduler_t> ||
             std::same_as<Query, ::stdexec::get_delegation_scheduler_t>
  [[nodiscard]] scheduler<stdexec_library> query(Query) const noexcept {
    return scheduler<stdexec_library>(*where);
  }
  pool* where = &current_pool();
};

template <class... Values>
using plain_tuple = std::tuple<std::decay_t<Values>...>;
template <class... Completions>
struct only {
  static_assert(sizeof...(Completions) == 1, "sync_wait: the sender completes with values in exactly one way");
};
template <class Completion>
struct only<Completion> {
  using type = Completion;
};

/// Waits; a task parks meanwhile.
template <class Sender>
auto wait_unblocked(Sender&& sender) {
  using values = typename ::stdexec::value_types_of_t<Sender, in_a_task, plain_tuple, only>::type;
  return wait_for<stdexec_library, values>(std::forward<Sender>(sender));
}

/// stdexec's `bulk_chunked` (which `bulk` becomes) or `bulk_unchunked`, apart.
template <class Sender>
auto policy_of(Sender const& sender) {
  auto const& [tag, given, before] = sender;
  auto const& [policy, shape, f] = given;
  return policy.__get();
}
template <class Sender>
concept bulk_algorithm = std::same_as<::stdexec::tag_of_t<Sender>, ::stdexec::bulk_chunked_t> ||
                         std::same_as<::stdexec::tag_of_t<Sender>, ::stdexec::bulk_unchunked_t>;
template <class Policy>
concept parallel_policy =
    std::same_as<Policy, ::stdexec::parallel_policy> || std::same_as<Policy, ::stdexec::parallel_unsequenced_policy>;

/// The loops that Skua runs. Those with other policies are stdexec's own, on one worker.
template <class Sender>
concept parallel_bulk = bulk_algorithm<Sender> && requires(std::remove_cvref_t<Sender> const& sender) {
  { policy_of(sender) } -> parallel_policy;
};

/// Where stdexec looks for another form of an algorithm on a sender that completes on a pool.
struct stdexec_domain : ::stdexec::default_domain {
  template <parallel_bulk Sender, class Env>
  static constexpr auto transform_sender(::stdexec::set_value_t, Sender&& sender, Env const& env) {
    constexpr bool in_pieces = std::same_as<::stdexec::tag_of_t<Sender>, ::stdexec::bulk_chunked_t>;
    auto [tag, given, before] = std::forward<Sender>(sender);
    auto [policy, shape, f] = std::move(given);
    pool& where = ::stdexec::get_completion_scheduler<::stdexec::set_value_t>(::stdexec::get_env(before), env).where();
    return bulk_sender<stdexec_library, in_pieces ? bulk_form::chunked : bulk_form::unchunked, decltype(before),
                       decltype(shape), decltype(f)>(std::move(before), where, shape, std::move(f));
  }

  /// A task parks instead of blocking its worker. Other threads wait as ever.
  template <class Sender>
  auto apply_sender(::stdexec::sync_wait_t, Sender&& sender) const {
    using usual = decltype(::stdexec::sync_wait.apply_sender(std::forward<Sender>(sender)));
    if constexpr (std::same_as<usual, decltype(wait_unblocked(std::forward<Sender>(sender)))>) {
      if (executor::running() != nullptr) return wait_unblocked(std::forward<Sender>(sender));
    }
    return ::stdexec::sync_wait.apply_sender(std::forward<Sender>(sender));
  }
  using ::stdexec::default_domain::apply_sender;
};

}}}}  // namespace skua::v0::runtime::senders
