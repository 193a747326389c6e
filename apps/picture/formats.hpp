// SPDX-License-Identifier: MIT
// One pair of functions per format; picture.hpp says what they guarantee.
#pragma once

#include <string>
#include <string_view>

#include "apps/picture/picture.hpp"

namespace skua::apps {

picture parse_pgm(std::string_view bytes, std::string const& source);
picture parse_png(std::string_view bytes, std::string const& source);

/// Raw PGM with 16 bits per pixel.
std::string to_pgm(picture const& shown);
/// PNG with 8 bits per pixel.
std::string to_png(picture const& shown);

/// Throws usage_error if a picture of this size is empty or too large.
void require_picture_size(std::size_t width, std::size_t height, std::string const& source);

}  // namespace skua::apps
