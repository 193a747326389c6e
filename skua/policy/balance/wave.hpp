// SPDX-License-Identifier: MIT
// A wave: up a binary tree of all ranks and down again. It adds up the ranks' totals, and its end says that every rank's posts have arrived.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "skua/policy/balance/rank_mail.hpp"
#include "skua/policy/balance/rank_steps.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// A message that a rank sends within a wave: a transfer or an ask.
struct post {
  std::uint32_t to = 0;
  rank_message content = {};
};

/// Sends the posts; calls hear(message) for each post that arrives, which returns the load of this rank then. Returns the totals of all
/// ranks, in whose `most` these loads count, when every post of every rank has been heard.
/// Messages: at most 3 to the parent and the children together and 3 from them, and two per post. Cost: 2 log2(ranks) messages in a row.
rank_steps<machine_totals> wave(rank_mail& mail, machine_totals own, std::vector<post> posts,
                                std::function<load_ns(rank_message const&)> hear);

}}}}  // namespace skua::v0::policies::balance
