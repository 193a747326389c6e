// SPDX-License-Identifier: MIT
// An app from its name and its options as one would type them.
#pragma once

#include <memory>
#include <string>

#include "apps/app.hpp"

namespace skua::cli {

/// Options set, not prepared. Throws usage_error for an unknown app (with the nearest) or option.
[[nodiscard]] std::unique_ptr<apps::app> app_of_words(std::string const& name, std::string const& options);

}  // namespace skua::cli
