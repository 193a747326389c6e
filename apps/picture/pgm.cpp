// SPDX-License-Identifier: MIT
// Portable grey map, as in netpbm's pgm(5): "P2" or "P5", width, height, greatest value, pixels. Before the pixels, '#'
// begins a comment that ends with the line.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "apps/picture/formats.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::apps {
namespace {

constexpr bool is_space(char c) noexcept { return c == ' ' || ('\t' <= c && c <= '\r'); }
constexpr bool is_digit(char c) noexcept { return '0' <= c && c <= '9'; }

/// Reads what precedes the pixels, and plain pixels.
class reader {
 public:
  reader(std::string_view bytes, std::string const& source) : bytes_(bytes), source_(source) {}

  [[noreturn]] void refuse(std::string const& why) const {
    throw usage_error(runtime::printable(source_ + ": " + why));
  }

  /// Reads the next decimal number, at most `most`.
  std::size_t number(char const* what, std::size_t most) {
    skip_space_and_comments();
    if (at_ == bytes_.size()) refuse("ends before the " + std::string(what));
    if (!is_digit(bytes_[at_])) refuse("the " + std::string(what) + " is not a number");
    std::size_t value = 0;
    for (; at_ < bytes_.size() && is_digit(bytes_[at_]); ++at_) {
      value = value * 10 + static_cast<std::size_t>(bytes_[at_] - '0');
      if (value > most) refuse("the " + std::string(what) + " is more than " + std::to_string(most));
    }
    return value;
  }

  /// The bytes after the one white space that ends the header.
  std::string_view raw() {
    if (at_ == bytes_.size()) refuse("ends before the pixels");
    if (!is_space(bytes_[at_])) refuse("the greatest value is not followed by white space");
    return bytes_.substr(at_ + 1);
  }

  [[nodiscard]] std::size_t left() const noexcept { return bytes_.size() - at_; }

 private:
  void skip_space_and_comments() noexcept {
    while (at_ < bytes_.size() && (is_space(bytes_[at_]) || bytes_[at_] == '#')) {
      at_ = bytes_[at_] == '#' ? std::min(bytes_.find_first_of("\r\n", at_), bytes_.size()) : at_ + 1;
    }
  }

  std::string_view bytes_;
  std::string const& source_;
  std::size_t at_ = 2;  ///< after the magic number
};

void read_plain(reader& in, picture& shown, std::size_t pixels, std::size_t greatest) {
  // Every pixel takes at least one digit, and every pixel but the last one space.
  if (in.left() < 2 * pixels - 1) in.refuse("holds fewer pixels than its header says");
  shown.grey.reserve(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    shown.grey.push_back(static_cast<float>(in.number("pixel", greatest)) / static_cast<float>(greatest));
  }
}

void read_raw(reader& in, picture& shown, std::size_t pixels, std::size_t greatest) {
  std::string_view const raw = in.raw();
  std::size_t const bytes_each = greatest > 255 ? 2 : 1;
  if (raw.size() / bytes_each < pixels) in.refuse("holds fewer pixels than its header says");
  shown.grey.reserve(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    std::size_t value = static_cast<std::uint8_t>(raw[i * bytes_each]);
    if (bytes_each == 2) value = value * 256 + static_cast<std::uint8_t>(raw[i * 2 + 1]);
    if (value > greatest) in.refuse("pixel " + std::to_string(i) + " is more than the greatest value");
    shown.grey.push_back(static_cast<float>(value) / static_cast<float>(greatest));
  }
}

}  // namespace

picture parse_pgm(std::string_view bytes, std::string const& source) {
  reader in(bytes, source);
  bool const magic = bytes.size() >= 2 && bytes[0] == 'P';
  if (magic && '1' <= bytes[1] && bytes[1] <= '7' && bytes[1] != '2' && bytes[1] != '5') {
    in.refuse(std::string("is a P") + bytes[1] + " picture; only grey maps (P2, P5) and PNG are read");
  }
  if (!magic || (bytes[1] != '2' && bytes[1] != '5')) in.refuse("is neither PGM (P2, P5) nor PNG");
  bool const plain = bytes[1] == '2';
  if (bytes.size() > 2 && !is_space(bytes[2]) && bytes[2] != '#')
    in.refuse("the P2 or P5 is not followed by white space");

  picture shown;
  shown.width = in.number("width", 1'000'000'000);
  shown.height = in.number("height", 1'000'000'000);
  require_picture_size(shown.width, shown.height, source);
  std::size_t const greatest = in.number("greatest value", 65535);
  if (greatest == 0) in.refuse("the greatest value is 0");
  std::size_t const pixels = shown.width * shown.height;
  if (plain) {
    read_plain(in, shown, pixels, greatest);
  } else {
    read_raw(in, shown, pixels, greatest);
  }
  return shown;
}

std::string to_pgm(picture const& shown) {
  std::string bytes = "P5\n" + std::to_string(shown.width) + " " + std::to_string(shown.height) + "\n65535\n";
  bytes.reserve(bytes.size() + 2 * shown.grey.size());
  for (float const grey : shown.grey) {
    auto const value = static_cast<unsigned>(std::lround(std::clamp(grey, 0.0F, 1.0F) * 65535.0F));
    bytes.push_back(static_cast<char>(value >> 8));
    bytes.push_back(static_cast<char>(value & 255U));
  }
  return bytes;
}

}  // namespace skua::apps
