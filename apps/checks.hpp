// SPDX-License-Identifier: MIT
// The two sentences that every app says: "this input makes no sense" and "this answer is wrong".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "skua/parts/base/error.hpp"

namespace skua::apps {

/// Throws usage_error unless least <= value <= most.
inline void require_between(std::string_view what, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (least <= value && value <= most) return;
  throw usage_error(std::string(what) + " must be between " + std::to_string(least) + " and " + std::to_string(most) +
                    ", not " + std::to_string(value));
}

/// Compare a run's count with the right one: empty if equal, else one line. No count: there was no run.
inline std::string differs(std::string_view what, std::optional<std::uint64_t> got, std::uint64_t right) {
  if (!got) return std::string(what) + ": no run yet";
  if (*got == right) return {};
  return std::string(what) + ": got " + std::to_string(*got) + ", right is " + std::to_string(right);
}

}  // namespace skua::apps
