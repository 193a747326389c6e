// SPDX-License-Identifier: MIT
// Grey-scale pictures: PGM (plain and raw, 8 and 16 bits) and PNG, read from files that may hold anything. Colour is
// written only, as PNG.
//
// Formats: netpbm's pgm(5); PNG through libpng's simplified interface. Every function that reads throws usage_error in
// one line that names the source and says what is wrong with it; nothing is allocated before the sizes are known to be
// sane.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace skua::apps {

/// Row by row from the top left; 0 is black, 1 is white.
struct picture {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<float> grey;
};

/// Red, green, blue.
using rgb = std::array<std::uint8_t, 3>;

/// Row by row from the top left. Only written, never read.
struct colour_picture {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<rgb> pixels;
};

/// Sides and pixels of the largest picture that can be read.
inline constexpr std::size_t most_picture_side = 32768;
inline constexpr std::size_t most_picture_pixels = std::size_t{1} << 26;

/// Reads a PGM or PNG file; its first bytes tell which. Turns colour into grey.
picture read_picture(std::filesystem::path const& file);
/// The same from memory; errors name `source`.
picture parse_picture(std::string_view bytes, std::string const& source);

/// Writes a file; the extension (.pgm: 16 bits, .png: 8 bits) gives the format. Values outside [0, 1] become black or
/// white. Throws what require_picture_name throws, and resource_error if the file cannot be written.
void write_picture(std::filesystem::path const& file, picture const& shown);
/// The bytes of a PNG file with 8 bits per colour. Throws resource_error if libpng cannot make it.
std::string to_png(colour_picture const& shown);
/// Throws usage_error unless the name ends in one of `endings`, whose case does not matter, and its folder exists;
/// `option` is what the error names. For calls before any work is done, which would be lost.
void require_file_name(std::string_view option, std::filesystem::path const& file,
                       std::initializer_list<std::string_view> endings);
/// The same for files that write_picture can write.
void require_picture_name(std::string_view option, std::filesystem::path const& file);
/// ".png" of "A.PNG"
std::string lower_extension(std::filesystem::path const& file);

}  // namespace skua::apps
