// SPDX-License-Identifier: MIT
// Times that a policy has measured, as JSON (docs/partitions.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skua/policy/known_time.hpp"

namespace skua { inline namespace v0 { namespace runtime {

struct history {
  std::uint32_t workers = 0;  ///< 0: there is none
  std::vector<policies::known_time> times;
  friend bool operator==(history const&, history const&) = default;
};

[[nodiscard]] std::string text_of(history const& known);
/// Reads what text_of wrote; an empty text, as before a program's first run, is no history. Throws usage_error, which begins with the
/// name and says which entry is wrong.
[[nodiscard]] history read_history(std::string_view name, std::string_view text);

}}}  // namespace skua::v0::runtime
