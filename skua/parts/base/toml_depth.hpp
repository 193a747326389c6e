// SPDX-License-Identifier: MIT
// How deep the keys of a TOML file are nested, found before it is parsed: toml++ recurses once per part of a dotted key
// and bounds only values, so a line of 200,000 parts overflows the stack.
#pragma once

#include <cstdint>
#include <string_view>

namespace skua { inline namespace v0 { namespace runtime {

/// Parts of the longest key that a file may have; no file of ours has a key of more than two.
inline constexpr std::uint32_t most_key_parts = 16;

/// The number of the first line with a key of more than most_key_parts parts, a.b.c; 0: there is none. Of a text that is
/// not TOML it may find too few parts only after the parser would have stopped. Cost: one pass.
[[nodiscard]] std::uint32_t line_of_deep_key(std::string_view text) noexcept;

}}}  // namespace skua::v0::runtime
