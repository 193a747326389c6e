// SPDX-License-Identifier: MIT
// How wide texts are in pictures, whose font only the viewer knows: at least as wide as in DejaVu Sans, the widest of the usual
// ones. What is laid out with it does not overlap elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/picture/look.hpp"

namespace skua::apps {

/// In pixels, of UTF-8.
[[nodiscard]] double text_width(std::string_view text, double size = look::text_size, bool bold = false);

/// Lines of at most `width` pixels, broken at spaces; a longer word has a line of its own. At least one line.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, double width, double size = look::text_size,
                                               bool bold = false);

/// `text`, or as much of its beginning as fits, and an ellipsis.
[[nodiscard]] std::string fitted(std::string_view text, double width, double size = look::text_size, bool bold = false);

}  // namespace skua::apps
