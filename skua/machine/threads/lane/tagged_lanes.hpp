// SPDX-License-Identifier: MIT
// The lanes of a worker that only some policies need.
#pragma once

#include <cstddef>

#include "skua/machine/threads/lane/task.hpp"
#include "skua/parts/queue/tagged_queue.hpp"
#include "skua/policy/needs.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class tagged_lanes {
 public:
  using queue = tagged_queue<tagged_entry>;

  /// Lanes that the policy does not need take no entries. Throws std::bad_alloc.
  explicit tagged_lanes(policies::lane_set needed)
      : local_(made(needed.has(lane::local), 0)), migrated_(made(needed.has(lane::migrated), 0)),
        mailbox_(made(needed.has(lane::mailbox), 1)), next_(made(needed.has(lane::next), 0)),
        nodes_(made(needed.has(lane::nodes), 0)) {}

  [[nodiscard]] queue& local() noexcept { return local_; }
  [[nodiscard]] queue& migrated() noexcept { return migrated_; }
  [[nodiscard]] queue& mailbox() noexcept { return mailbox_; }
  [[nodiscard]] queue& next() noexcept { return next_; }
  [[nodiscard]] queue& nodes() noexcept { return nodes_; }

 private:
  static queue made(bool needed, std::size_t room) { return needed ? queue(room) : queue(no_entries); }

  queue local_;
  queue migrated_;
  queue mailbox_;
  queue next_;
  queue nodes_;
};

}}}  // namespace skua::v0::runtime
