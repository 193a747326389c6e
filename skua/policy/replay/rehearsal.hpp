// SPDX-License-Identifier: MIT
// Predicts how long an iteration would take with a given division: simulates a strict iteration with nothing but the
// measured times, the workers' lanes and the waits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "skua/policy/replay/pieces.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay {

class rehearsal {
 public:
  /// The cost for a worker of sending a piece and coming back from it, in ns.
  static constexpr std::uint64_t price = 500;

  /// For at most this many pieces. Throws std::bad_alloc.
  rehearsal(std::uint32_t workers, std::size_t pieces);

  /// The predicted time in ns. `all` is a tree whose visible pieces are whole or opened. Cost: O(n log workers) for n
  /// pieces.
  std::uint64_t time_of(std::span<piece const> all, std::span<piece_group const> groups,
                        std::uint32_t root_groups) noexcept;

 private:
  /// A list of pieces, linked through `next_`.
  struct queue {
    std::uint32_t first = no_piece;
    std::uint32_t last = no_piece;
  };
  struct worker {
    queue resumed;  ///< pieces whose group has ended
    queue sent;     ///< pieces that have not begun
    std::uint32_t runs = no_piece;
  };
  struct end {
    std::uint64_t time;
    std::uint32_t worker;
  };

  void ready(std::uint32_t w, std::uint32_t p, queue worker::* lane) noexcept;
  void run_next(std::uint32_t w) noexcept;
  void run_for(std::uint32_t w, std::uint64_t ns) noexcept;
  void segment_ends(std::uint32_t w, std::uint32_t p) noexcept;
  void has_ended(std::uint32_t p) noexcept;
  [[nodiscard]] bool goes_on(std::uint32_t p) noexcept;
  [[nodiscard]] std::uint32_t first_group_of(std::uint32_t p) const noexcept;
  [[nodiscard]] std::uint32_t groups_of(std::uint32_t p) const noexcept;

  std::span<piece const> all_;
  std::span<piece_group const> groups_;
  std::uint32_t root_groups_ = 0;
  std::uint64_t now_ = 0;
  std::vector<worker> workers_;
  std::vector<end> ends_;               ///< a heap, the earliest first
  std::vector<std::uint32_t> pending_;  ///< by group: pieces that have not ended
  // By piece, and for the root behind them:
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> opened_;  ///< groups opened so far
  std::vector<std::uint32_t> inside_;  ///< the innermost open group
  std::vector<std::uint8_t> waits_;    ///< for the end of that group
};

}}}}  // namespace skua::v0::policies::replay
