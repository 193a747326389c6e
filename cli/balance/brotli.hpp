// SPDX-License-Identifier: MIT
// Brotli, in which DARMA vt compresses its files; of a build without the library (package libbrotli-dev) only refusals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace skua::cli {

[[nodiscard]] bool has_brotli() noexcept;

/// Throws usage_error "NAME: ..." for damaged or cut data, for more than `most` bytes, and where the library is missing.
[[nodiscard]] std::string brotli_decompressed(std::string_view data, std::size_t most, std::string_view name);
/// Throws usage_error where the library is missing.
[[nodiscard]] std::string brotli_compressed(std::string_view text);

}  // namespace skua::cli
