// SPDX-License-Identifier: MIT
// How a team's members enter their workers' inboxes: all under one lock of the region, so that two teams that share workers are in the same
// order in all shared inboxes (team.md, "one order"). team_order_model.cpp runs it.
#pragma once

#include <cstdint>
#include <mutex>

namespace skua { inline namespace v0 { namespace runtime {

/// inbox(m) and member(m): the inbox of member m's worker, and member m. The team may end as soon as its last member is in an inbox.
template <class Lock, class Inbox, class Member>
void enter_inboxes(Lock& order_of_teams, std::uint32_t width, Inbox&& inbox, Member&& member) noexcept {
  std::lock_guard const held(order_of_teams);
  for (std::uint32_t m = 0; m < width; ++m) inbox(m).push(member(m));
}

}}}  // namespace skua::v0::runtime
