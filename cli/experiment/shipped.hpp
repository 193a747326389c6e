// SPDX-License-Identifier: MIT
// The files of experiments/, inside the program: shipped.cpp is made from them when the build is configured.
#pragma once

#include <span>
#include <string_view>

namespace skua::cli {

struct shipped_file {
  std::string_view name;  ///< "adws-sc19/fig12"
  std::string_view text;
};

/// Ascending by name.
[[nodiscard]] std::span<shipped_file const> shipped_experiment_files() noexcept;

}  // namespace skua::cli
