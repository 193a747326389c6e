// SPDX-License-Identifier: MIT
// The files of machines/clusters as CMake compiles them in.
#pragma once

#include <span>
#include <string_view>

namespace skua { inline namespace v0 { namespace ranks {

/// In the order of clusters().
[[nodiscard]] std::span<std::string_view const> cluster_texts() noexcept;

}}}  // namespace skua::v0::ranks
