// SPDX-License-Identifier: MIT
#include "skua/policy/balance/on_rank.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {
namespace {

/// The receivers ask the donors. A donor knows how many of its tasks are with others, and so when all of them have been asked for.
rank_steps<rank_share> hand_over(rank_mail& mail, rank_tasks now) {
  std::uint32_t const step = mail.begin_step();
  std::ranges::sort(now.received, {}, [](donated_task const& t) { return std::pair(t.donor, t.task); });
  rank_share share;
  for (auto first = now.received.begin(); first != now.received.end();) {
    auto const last = std::find_if(first, now.received.end(), [&](auto const& t) { return t.donor != first->donor; });
    mail.send(first->donor, {.head = {.kind = rank_message_kind::request, .step = step}, .tasks = {first, last}});
    ++share.givers;
    first = last;
  }
  while (share.gives.size() < now.left) {
    rank_message const m = co_await mail.next(step, one_of(rank_message_kind::request));
    for (donated_task const& t : m.tasks) share.gives.push_back({t.donor, t.task, m.head.sender});
  }
  std::ranges::sort(share.gives, {}, [](migration const& m) { return std::tuple(m.receiver, m.task); });
  runtime::expects(mail.is_empty(), "balancer: a message was not heard");
  co_return share;
}

}  // namespace

bool has_no_centre(balancer const& b) noexcept {
  return std::holds_alternative<hierarchical_options>(b) || std::holds_alternative<tempered_options>(b);
}

rank_steps<rank_share> balance_on_rank(rank_mail& mail, std::span<load_ns const> loads, balancer chosen,
                                       std::uint64_t seed) {
  rank_tasks now;
  if (auto const* const h = std::get_if<hierarchical_options>(&chosen)) {
    now = co_await hierarchical_on_rank(mail, loads, *h);
  } else if (auto const* const t = std::get_if<tempered_options>(&chosen)) {
    now = co_await tempered_on_rank(mail, loads, *t, seed);
  }
  rank_share share = co_await hand_over(mail, std::move(now));
  co_return share;
}

}}}}  // namespace skua::v0::policies::balance
