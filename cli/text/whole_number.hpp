// SPDX-License-Identifier: MIT
// Numbers of rounds, runs and workers on the command line.
#pragma once

#include <cstdint>
#include <string_view>

namespace skua::cli {

/// Decimal digits only, least .. most. Throws usage_error that names the option, the text and what is allowed.
[[nodiscard]] std::uint32_t read_whole_number(std::string_view option, std::string_view text, std::uint32_t least,
                                              std::uint32_t most);

}  // namespace skua::cli
