// SPDX-License-Identifier: MIT
// Tasks from outside: one of them is the root, whose iterations are counted; the others are not recorded. The same in
// all iterations.
#pragma once

#include <cstdint>

#include "skua/policy/outside_tasks.hpp"
#include "skua/policy/replay/tag_fields.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay {

class outside_tasks {
 public:
  /// The tag of a task that arrives. Any worker.
  tag_fields comes(bool may_be_root) noexcept {
    if (all_.begin(may_be_root)) return {.kind = kind::task, .is_root = true, .is_outside = true, .path = root_path};
    return {.is_open = true, .is_outside = true};
  }

  /// Any worker calls it for any task that has ended.
  void has_ended(tag_fields const& task) noexcept {
    if (!task.is_outside) return;
    task.is_root ? all_.root_ends() : all_.free_ends();
  }

  [[nodiscard]] bool has_free() const noexcept { return all_.any_free(); }

 private:
  static constexpr std::uint64_t root_path = 0x5cb7'1e1d'0a3f'9241ULL;

  policies::outside_tasks<> all_;
};

}}}}  // namespace skua::v0::policies::replay
