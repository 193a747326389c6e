// SPDX-License-Identifier: MIT
// The splittable random number generator of UTS. A node's state is the SHA-1 hash of its parent's state and its number
// among its siblings, so the tree below a node depends on the node alone, on any worker and at any time.
// (Olivier, Huan, Liu, Prins, Dinan, Sadayappan, Tseng: UTS, LCPC 2006.) The hash is OpenSSL's.
#pragma once

#include <array>
#include <cstdint>

namespace skua::apps::uts {

class splittable {
 public:
  /// The state of a root.
  static splittable seeded(std::uint32_t seed);
  /// The state of child number i. Costs one SHA-1 block, about 90 ns.
  [[nodiscard]] splittable child(std::uint32_t i) const;
  /// The node's random number in [0, 1), a multiple of 2^-31.
  [[nodiscard]] double number() const noexcept;

  friend bool operator==(splittable const&, splittable const&) = default;

 private:
  std::array<std::uint8_t, 20> state_;
};

}  // namespace skua::apps::uts
