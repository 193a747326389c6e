// SPDX-License-Identifier: MIT
#include "apps/picture/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace skua::apps {
namespace {

/// Widths of ASCII's characters from the space on in DejaVu Sans, in hundredths of its size.
constexpr std::array<std::uint8_t, 95> widths{
    32, 41, 46, 84, 64, 96, 78, 28, 40,  40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 78, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79,
    61, 79, 70, 64, 62, 74, 69, 99, 69,  62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64,
    64, 28, 28, 58, 28, 98, 64, 62, 64,  64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84};
constexpr double other_width = 100;  ///< of a character that is not ASCII's
constexpr double bold_widens = 1.18;

bool continues(char c) noexcept { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; }

double width_of(char c) noexcept {
  if (continues(c)) return 0;
  return ' ' <= c && c <= '~' ? widths[static_cast<std::size_t>(c - ' ')] : other_width;
}

}  // namespace

double text_width(std::string_view text, double size, bool bold) {
  double sum = 0;
  for (char const c : text) sum += width_of(c);
  return sum / 100 * size * (bold ? bold_widens : 1);
}

std::vector<std::string> wrapped(std::string_view text, double width, double size, bool bold) {
  std::vector<std::string> lines{""};
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = std::min(text.find(' ', at), text.size());
    std::string const word{text.substr(at, end - at)};
    at = end + 1;
    if (word.empty()) continue;
    std::string const longer = lines.back().empty() ? word : lines.back() + ' ' + word;
    if (lines.back().empty() || text_width(longer, size, bold) <= width) {
      lines.back() = longer;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::string fitted(std::string_view text, double width, double size, bool bold) {
  if (text_width(text, size, bold) <= width) return std::string{text};
  constexpr std::string_view ellipsis = "\u2026";
  std::size_t kept = text.size();
  do {
    --kept;
    while (kept > 0 && continues(text[kept])) --kept;
  } while (kept > 0 && text_width(std::string{text.substr(0, kept)} + std::string{ellipsis}, size, bold) > width);
  return std::string{text.substr(0, kept)} + std::string{ellipsis};
}

}  // namespace skua::apps
