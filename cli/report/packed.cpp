// SPDX-License-Identifier: MIT
#include "cli/report/packed.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace skua::cli::traced {

double rounded(double value) noexcept {
  if (value == 0 || !std::isfinite(value)) return 0;
  double const scale = std::pow(10.0, 3 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

std::string packed(std::span<std::uint8_t const> bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::size_t const there = std::min<std::size_t>(bytes.size() - i, 3);
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) three = three << 8 | (k < there ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= there ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string packed16(std::span<std::uint32_t const> numbers) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(numbers.size() * 2);
  for (std::uint32_t const n : numbers) {
    std::uint32_t const kept = std::min<std::uint32_t>(n, 0xffff);
    bytes.push_back(static_cast<std::uint8_t>(kept & 0xff));
    bytes.push_back(static_cast<std::uint8_t>(kept >> 8));
  }
  return packed(bytes);
}

}  // namespace skua::cli::traced
