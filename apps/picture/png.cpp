// SPDX-License-Identifier: MIT
// PNG through libpng's simplified interface, which reports every error as a return value.
#include <png.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "apps/picture/formats.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::apps {
namespace {

/// A png_image that is freed on every path.
class image {
 public:
  image() { data.version = PNG_IMAGE_VERSION; }
  ~image() { png_image_free(&data); }
  image(image const&) = delete;
  image& operator=(image const&) = delete;

  png_image data{};
};

std::string encoded(std::size_t width, std::size_t height, png_uint_32 format, void const* pixels) {
  image written;
  written.data.width = static_cast<png_uint_32>(width);
  written.data.height = static_cast<png_uint_32>(height);
  written.data.format = format;
  png_alloc_size_t size = 0;
  std::string bytes;
  auto const write = [&](void* to) {
    return png_image_write_to_memory(&written.data, to, &size, 0, pixels, 0, nullptr);
  };
  if (write(nullptr) != 0) {
    bytes.resize(size);
    if (write(bytes.data()) != 0) return bytes;
  }
  throw resource_error(std::string("the PNG picture cannot be made: ") + written.data.message);
}

std::size_t big_endian(std::string_view four_bytes) noexcept {
  std::size_t value = 0;
  for (char const c : four_bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

/// libpng takes the memory that a chunk asks for before it looks whether the file has so many bytes, and its simplified
/// interface has no limits to set. Throws usage_error for a chunk that goes beyond the end of the file.
void require_whole_chunks(std::string_view bytes, std::string const& source) {
  constexpr std::size_t signature_bytes = 8;
  constexpr std::size_t frame_bytes = 12;  // length, type, checksum
  for (std::size_t at = signature_bytes; at + frame_bytes <= bytes.size();) {
    std::size_t const length = big_endian(bytes.substr(at, 4));
    std::size_t const rest = bytes.size() - at - frame_bytes;
    if (length > rest) {
      throw usage_error(source + ": is not a PNG picture that can be read: the chunk at byte " + std::to_string(at) +
                        " claims " + std::to_string(length) + " bytes, of which the file has " + std::to_string(rest));
    }
    at += frame_bytes + length;
  }
}

}  // namespace

picture parse_png(std::string_view bytes, std::string const& source) {
  require_whole_chunks(bytes, source);
  image read;
  auto const refuse = [&] {
    throw usage_error(runtime::printable(source + ": is not a PNG picture that can be read: " + read.data.message));
  };
  if (png_image_begin_read_from_memory(&read.data, bytes.data(), bytes.size()) == 0) refuse();
  picture shown{.width = read.data.width, .height = read.data.height, .grey = {}};
  require_picture_size(shown.width, shown.height, source);

  read.data.format = PNG_FORMAT_GRAY;
  std::vector<png_byte> grey(shown.width * shown.height);
  png_color const behind_transparency{};
  if (png_image_finish_read(&read.data, &behind_transparency, grey.data(), 0, nullptr) == 0) refuse();
  shown.grey.resize(grey.size());
  std::transform(grey.begin(), grey.end(), shown.grey.begin(),
                 [](png_byte v) { return static_cast<float>(v) / 255.0F; });
  return shown;
}

std::string to_png(picture const& shown) {
  std::vector<png_byte> grey(shown.grey.size());
  std::transform(shown.grey.begin(), shown.grey.end(), grey.begin(),
                 [](float v) { return static_cast<png_byte>(std::lround(std::clamp(v, 0.0F, 1.0F) * 255.0F)); });
  return encoded(shown.width, shown.height, PNG_FORMAT_GRAY, grey.data());
}

std::string to_png(colour_picture const& shown) {
  static_assert(sizeof(rgb) == 3 * sizeof(png_byte));
  return encoded(shown.width, shown.height, PNG_FORMAT_RGB, shown.pixels.data());
}

}  // namespace skua::apps
