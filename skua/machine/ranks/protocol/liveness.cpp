// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/protocol/liveness.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace skua { inline namespace v0 { namespace ranks {

namespace {

constexpr std::uint64_t longest_pause_ns = 50'000'000;

std::string silent_for(std::uint64_t ns) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "it was silent for %.1f s", static_cast<double>(ns) * 1e-9);
  return text.data();
}

}  // namespace

liveness::liveness(transport& network, std::uint64_t deadline_ns)
    : network_(network), deadline_ns_(deadline_ns), every_ns_(std::min(deadline_ns / 8, longest_pause_ns)),
      last_look_ns_(network.now_ns()), last_heard_ns_(network.rank() == 0 ? network.ranks() : 1, last_look_ns_) {}

std::vector<liveness::death> liveness::look(std::uint64_t now_ns, live_ranks const& live) {
  std::vector<death> found;
  std::uint64_t const away_ns = now_ns - last_look_ns_;
  if (away_ns < every_ns_) return found;
  last_look_ns_ = now_ns;
  if (away_ns > 2 * every_ns_) {
    for (std::uint64_t& t : last_heard_ns_) t = std::min(t + away_ns, now_ns);
  }
  message_header h;
  h.kind = kind::alive;
  auto const watch = [&](rank_number r) {
    if (r == network_.rank()) return;
    network_.send(r, h, {});
    look_at(r, now_ns, found);
  };
  if (network_.rank() == 0) {
    live.each(watch);
  } else {
    watch(0);
  }
  return found;
}

void liveness::look_at(rank_number rank, std::uint64_t now_ns, std::vector<death>& found) {
  transport::life const life = network_.life_of(rank);
  std::uint64_t const heard_ns = last_heard_ns_[slot_of(rank)];
  if (life == transport::life::ended) {
    found.push_back({rank, "its process has ended"});
  } else if (life == transport::life::unknown && now_ns > heard_ns + deadline_ns_) {
    found.push_back({rank, silent_for(now_ns - heard_ns)});
  }
}

}}}  // namespace skua::v0::ranks
