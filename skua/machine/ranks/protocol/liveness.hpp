// SPDX-License-Identifier: MIT
// Detects dead ranks: rank 0 watches every other rank, and they watch rank 0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "skua/machine/ranks/protocol/live_ranks.hpp"
#include "skua/machine/ranks/transport/transport.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// A rank is dead if its process has ended, where the transport can tell (transport::life_of); elsewhere if it was
/// silent for the deadline. A rank is heard whenever it polls. Times in which this rank did not look itself do not
/// count.
class liveness {
 public:
  /// `deadline_ns` > 0. `network` must outlive it.
  liveness(transport& network, std::uint64_t deadline_ns);

  struct death {
    rank_number rank;
    std::string reason;  ///< "its process has ended", "it was silent for 10.2 s"
  };
  /// Announces this rank, and checks the ranks that it watches. Cheap until the next check is due: an eighth of the
  /// deadline, at most 50 ms.
  [[nodiscard]] std::vector<death> look(std::uint64_t now_ns, live_ranks const& live);
  /// A message kind::alive came.
  void heard(rank_number from, std::uint64_t now_ns) { last_heard_ns_[slot_of(from)] = now_ns; }

 private:
  [[nodiscard]] std::size_t slot_of(rank_number watched) const noexcept { return network_.rank() == 0 ? watched : 0; }
  void look_at(rank_number rank, std::uint64_t now_ns, std::vector<death>& found);

  transport& network_;
  std::uint64_t const deadline_ns_;
  std::uint64_t const every_ns_;
  std::uint64_t last_look_ns_;
  std::vector<std::uint64_t> last_heard_ns_;  ///< on rank 0 by rank, elsewhere of rank 0
};

}}}  // namespace skua::v0::ranks
