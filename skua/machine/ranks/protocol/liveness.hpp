// SPDX-License-Identifier: MIT
// Detects dead ranks: the lowest live rank, the leader, watches every other one, and they watch it. Who has found it dead watches the next one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "skua/machine/ranks/protocol/live_ranks.hpp"
#include "skua/machine/ranks/transport/transport.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// A rank is dead if its process has ended, or has been stopped for the deadline, where the transport can tell
/// (transport::life_of); elsewhere if it was silent for the deadline. A rank is heard whenever it polls. Times in which
/// this rank did not look itself do not count. The process of a rank that was heard since the last look is not asked for.
class liveness {
 public:
  /// `deadline_ns` > 0. `network` must outlive it.
  liveness(transport& network, std::uint64_t deadline_ns);

  struct death {
    rank_number rank;
    std::string reason;  ///< "its process has ended", "it was silent for 10.2 s"
  };
  /// Announces this rank, and checks the ranks that it watches. Cheap until the next check is due: an eighth of the
  /// deadline, at most 50 ms. A rank that is silent, and so does not receive, is told every eighth of the deadline.
  [[nodiscard]] std::vector<death> look(std::uint64_t now_ns, live_ranks const& live);
  /// A message kind::alive came.
  void heard(rank_number from, std::uint64_t now_ns) {
    watched_[from].heard_ns = now_ns;
    std::erase(suspected_, from);
  }
  /// This rank has been found dead; from now on it is not watched, unless it is heard again.
  void suspect(rank_number rank) {
    if (!is_suspected(rank)) suspected_.push_back(rank);
  }
  /// Whom this rank takes for the leader: the lowest of `live` that it has not found dead.
  [[nodiscard]] rank_number leader_among(live_ranks const& live) const;
  /// Tells a rank that watches this one, though this one does not lead, that it is there.
  void answer(rank_number to, live_ranks const& live);
  /// This rank's session ends, so others may be busy without a deadline, or have left: silence is no death any more, and
  /// the end of a process is one only after a time in which its last messages arrive.
  void wait_for_the_end() noexcept { ends_ = true; }

 private:
  /// Of a rank that this one watches. The last two are 0 if it is not so.
  struct watched {
    std::uint64_t heard_ns;
    std::uint64_t told_ns = 0;     ///< 0: not yet
    std::uint64_t stopped_ns = 0;  ///< since it was found stopped
    std::uint64_t ended_ns = 0;    ///< since its process was found to have ended
  };
  [[nodiscard]] bool is_suspected(rank_number rank) const noexcept {
    return std::ranges::find(suspected_, rank) != suspected_.end();
  }
  void lead_by(rank_number leader, std::uint64_t now_ns);
  [[nodiscard]] bool is_to_be_told(watched const& who, std::uint64_t looked_ns, std::uint64_t now_ns) const noexcept {
    return who.told_ns == 0 || who.heard_ns > looked_ns || now_ns - who.told_ns >= deadline_ns_ / 8;
  }
  void look_at(rank_number rank, std::uint64_t looked_ns, std::uint64_t now_ns, std::vector<death>& found);

  transport& network_;
  std::uint64_t const deadline_ns_;
  std::uint64_t const every_ns_;
  std::uint64_t last_look_ns_;
  rank_number leader_ = 0;
  std::vector<watched> watched_;  ///< by rank
  std::vector<rank_number> suspected_;
  bool ends_ = false;
};

}}}  // namespace skua::v0::ranks
