// SPDX-License-Identifier: MIT
// Which cache lines of other workers' lanes a searching worker still has in its own cache: those that have not changed
// since it last looked. A worker's lanes with tags share a line, as `local` and `migrated`
// do on threads, and each other lane has one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "skua/machine/sim/names.hpp"
#include "skua/parts/base/ids.hpp"

namespace skua { inline namespace v0 { namespace sim {

class cached_lines {
 public:
  explicit cached_lines(std::uint32_t workers) : caches_(workers) {}

  /// Worker w looks at this lane of a victim; `changes` counts how often its line has changed. True if w's copy is
  /// current.
  bool look(worker_id w, worker_id victim, lane where, std::uint32_t changes) noexcept {
    line const now{.owner = victim, .number = line_of(where), .changes = changes, .is_there = true};
    cache& mine = caches_[index(w)];
    return std::exchange(mine[(index(victim) * lines + now.number) % mine.size()], now) == now;
  }

  static constexpr std::uint8_t lines = 5;
  [[nodiscard]] static constexpr std::uint8_t line_of(lane where) noexcept {
    switch (where) {
      case lane::local:
      case lane::migrated:
      case lane::next:
      case lane::nodes: break;
      case lane::forks: return 1;
      case lane::spawned: return 2;
      case lane::mailbox:
      case lane::inbox:
      case lane::injected: return 3;
      case lane::ordered: return 4;
    }
    return 0;
  }

 private:
  struct line {
    worker_id owner{};
    std::uint8_t number = 0;
    std::uint32_t changes = 0;
    bool is_there = false;
    friend bool operator==(line const&, line const&) = default;
  };
  /// The part of a first-level cache that a search uses.
  using cache = std::array<line, 320>;
  std::vector<cache> caches_;
};

}}}  // namespace skua::v0::sim
