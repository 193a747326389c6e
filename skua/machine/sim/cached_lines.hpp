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
    line const now{.number = number_of(victim, where) + 1, .changes = changes};
    return std::exchange(slot(w, now.number - 1), now) == now;
  }
  /// Worker w will look there.
  void fetch(worker_id w, worker_id victim, lane where) noexcept {
    __builtin_prefetch(&slot(w, number_of(victim, where)), 1);
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
    std::uint32_t number = 0;  ///< among all workers' lines, from 1; 0: no line
    std::uint32_t changes = 0;
    friend bool operator==(line const&, line const&) = default;
  };
  /// The part of a first-level cache that a search uses.
  using cache = std::array<line, 320>;

  [[nodiscard]] static constexpr std::uint32_t number_of(worker_id victim, lane where) noexcept {
    return index(victim) * lines + line_of(where);
  }
  [[nodiscard]] line& slot(worker_id w, std::uint32_t number) noexcept {
    return caches_[index(w)][number % std::tuple_size_v<cache>];
  }

  std::vector<cache> caches_;
};

}}}  // namespace skua::v0::sim
