// SPDX-License-Identifier: MIT
#include "skua/policy/search_round.hpp"

namespace skua { inline namespace v0 { namespace policies {
namespace {

/// Retry a lost race for an injected task: its caller waits for it.
constexpr search_step one_injected[] = {{lane::injected, after_lost::same_lane}};
constexpr search_step half_of_injected[] = {{lane::injected, after_lost::same_lane, amount::half}};

std::span<search_step const> injected(search_order const& order) noexcept {
  return order.of_injected == amount::half ? half_of_injected : one_injected;
}

}  // namespace

search_round::search_round(worker_id self, search_order const& order) noexcept
    : order_(order), self_(self), step_(order.own.data()), end_(step_ + order.own.size()) {
  runtime::expects(!order.own.empty(), "search_round: at least one own lane");
}

probe search_round::rest() noexcept {
  has_rested_ = true;
  begin();
  return {.kind = action::rest, .victim = self_};
}

std::optional<victim_request> search_round::end_part(bool victim_was_busy) noexcept {
  switch (part_) {
    case part::own:
      if (!has_rested_ || !order_.injected_first_after_rest) return victim_request::first;
      turn_to(part::injected_first, injected(order_));
      return {};
    case part::injected_first: return victim_request::first;
    case part::theirs:
      request_ = victim_was_busy ? victim_request::after_lost : victim_request::after_miss;
      if (is_last_) {
        end_victims();
        return {};
      }
      if (order_.own_again.empty()) return request_;
      turn_to(part::own_again, order_.own_again);
      return {};
    case part::own_again: return request_;
    case part::injected_last: part_ = part::rest; return {};
    case part::rest: break;
  }
  return {};
}

void search_round::end_victims() noexcept { turn_to(part::injected_last, injected(order_)); }

}}}  // namespace skua::v0::policies
