// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/protocol/liveness.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace skua { inline namespace v0 { namespace ranks {

namespace {

constexpr std::uint64_t longest_pause_ns = 50'000'000;

/// Messages of a process that has left in order arrive within this time.
constexpr std::uint64_t last_messages_ns = 2'000'000'000;

std::string for_seconds(char const* what, std::uint64_t ns) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s for %.1f s", what, static_cast<double>(ns) * 1e-9);
  return text.data();
}

}  // namespace

liveness::liveness(transport& network, std::uint64_t deadline_ns)
    : network_(network), deadline_ns_(deadline_ns), every_ns_(std::min(deadline_ns / 8, longest_pause_ns)),
      last_look_ns_(network.now_ns()), watched_(network.ranks(), {.heard_ns = last_look_ns_}) {}

rank_number liveness::leader_among(live_ranks const& live) const {
  rank_number leader = live.at(0);
  while (leader != network_.rank() && (!live.is_live(leader) || is_suspected(leader))) ++leader;
  return leader;
}

void liveness::answer(rank_number to, live_ranks const& live) {
  rank_number const leader = leader_among(live);
  if (leader == network_.rank() || leader == to) return;
  message_header h;
  h.kind = kind::alive;
  network_.send(to, h, {});
}

/// Those whom this rank did not watch before have been silent for no time.
void liveness::lead_by(rank_number leader, std::uint64_t now_ns) {
  if (leader == leader_) return;
  leader_ = leader;
  std::ranges::fill(watched_, watched{.heard_ns = now_ns});
}

std::vector<liveness::death> liveness::look(std::uint64_t now_ns, live_ranks const& live) {
  std::vector<death> found;
  std::uint64_t const away_ns = now_ns - last_look_ns_;
  if (away_ns < every_ns_) return found;
  std::uint64_t const looked_ns = std::exchange(last_look_ns_, now_ns);
  if (away_ns > 2 * every_ns_) {
    for (watched& w : watched_) {
      w.heard_ns = std::min(w.heard_ns + away_ns, now_ns);
      if (w.stopped_ns != 0) w.stopped_ns = std::min(w.stopped_ns + away_ns, now_ns);
    }
  }
  message_header h;
  h.kind = kind::alive;
  auto const watch = [&](rank_number r) {
    if (r == network_.rank() || is_suspected(r)) return;
    if (watched& who = watched_[r]; is_to_be_told(who, looked_ns, now_ns)) {
      who.told_ns = now_ns;
      network_.send(r, h, {});
    }
    look_at(r, looked_ns, now_ns, found);
  };
  lead_by(leader_among(live), now_ns);
  if (leader_ == network_.rank()) {
    live.each(watch);
  } else {
    watch(leader_);
  }
  return found;
}

void liveness::look_at(rank_number rank, std::uint64_t looked_ns, std::uint64_t now_ns, std::vector<death>& found) {
  watched& who = watched_[rank];
  if (who.heard_ns > looked_ns) {
    who.stopped_ns = who.ended_ns = 0;
    return;
  }
  transport::life const life = network_.life_of(rank);
  if (life != transport::life::stopped) who.stopped_ns = 0;
  switch (life) {
    case transport::life::there: break;
    case transport::life::unknown:
      if (!ends_ && now_ns > who.heard_ns + deadline_ns_) {
        found.push_back({rank, for_seconds("it was silent", now_ns - who.heard_ns)});
      }
      break;
    case transport::life::stopped:
      if (who.stopped_ns == 0) who.stopped_ns = now_ns;
      if (now_ns > who.stopped_ns + deadline_ns_) {
        found.push_back({rank, for_seconds("its process has been stopped", now_ns - who.stopped_ns)});
      }
      break;
    case transport::life::ended:
      if (who.ended_ns == 0) who.ended_ns = now_ns;
      if (!ends_ || now_ns > who.ended_ns + last_messages_ns) found.push_back({rank, "its process has ended"});
      break;
  }
}

}}}  // namespace skua::v0::ranks
