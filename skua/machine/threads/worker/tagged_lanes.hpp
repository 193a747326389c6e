// SPDX-License-Identifier: MIT
// The lanes of a worker that only some policies need.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "skua/machine/threads/join/frame.hpp"
#include "skua/machine/threads/policy_words.hpp"
#include "skua/parts/queue/tagged_queue.hpp"
#include "skua/policy/needs.hpp"

namespace skua::inline v0::runtime {

class tagged_lanes {
 public:
  using queue = tagged_queue<tagged_entry>;

  /// Throws std::bad_alloc.
  explicit tagged_lanes(policies::lane_set needed) {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (needed.has(kinds[i])) built_[i] = std::make_unique<queue>(kinds[i] == lane::mailbox ? 1 : 0);
    }
  }
  /// One that nobody needs is an empty queue that stays empty, shared by all.
  [[nodiscard]] queue& of(lane l) noexcept {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i] == l && built_[i] != nullptr) return *built_[i];
    }
    static queue none{no_entries};
    return none;
  }

 private:
  static constexpr std::array kinds{lane::mailbox, lane::local, lane::migrated};
  std::array<std::unique_ptr<queue>, kinds.size()> built_;
};

}  // namespace skua::inline v0::runtime
