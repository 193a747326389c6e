// SPDX-License-Identifier: MIT
// Numbers as a page wants them: few digits, and pictures as text that takes little more room than their bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace skua::cli::traced {

/// Four significant digits: more than a screen shows.
[[nodiscard]] double rounded(double value) noexcept;

[[nodiscard]] constexpr double seconds(std::uint64_t ns) noexcept { return static_cast<double>(ns) / 1e9; }

/// Base 64 (RFC 4648) of the bytes.
[[nodiscard]] std::string packed(std::span<std::uint8_t const> bytes);
/// ... of each number as two bytes, the low one first; larger ones become 0xffff.
[[nodiscard]] std::string packed16(std::span<std::uint32_t const> numbers);

}  // namespace skua::cli::traced
