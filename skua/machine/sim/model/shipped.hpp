// SPDX-License-Identifier: MIT
// The files of machines/, inside the program: shipped.cpp is made from them when the build is configured, so that
// they are found wherever the program is moved.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace skua::sim {

/// Ascending.
[[nodiscard]] std::span<std::string_view const> shipped_names() noexcept;
[[nodiscard]] std::optional<std::string_view> find_shipped(std::string_view name) noexcept;

}  // namespace skua::sim
