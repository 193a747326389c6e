// SPDX-License-Identifier: MIT
// How often a retained start looks for better owners: each look costs messages, and a placement that has found its owners stays as it is.
#pragma once

#include <algorithm>
#include <cstdint>

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// After a look without a gain the next 1, 3, 7 and then always 15 starts go without one. The same calls on every rank: the same answers.
class relocation_pace {
 public:
  /// Asked once for each start.
  [[nodiscard]] bool is_due() noexcept {
    if (waits_ == 0) return true;
    --waits_;
    return false;
  }
  /// What came of a look, also of one that followed a balancer.
  void looked(bool gains) noexcept {
    waits_ = gains ? 0 : std::min(2 * last_ + 1, longest);
    last_ = waits_;
  }

 private:
  static constexpr std::uint32_t longest = 15;
  std::uint32_t waits_ = 0;  ///< starts before the next look
  std::uint32_t last_ = 0;
};

}}}}  // namespace skua::v0::policies::balance
