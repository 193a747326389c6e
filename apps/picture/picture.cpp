// SPDX-License-Identifier: MIT
#include "apps/picture/picture.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "apps/picture/formats.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/parts/base/whole_file.hpp"

namespace skua::apps {
namespace {

constexpr std::string_view png_signature = "\x89PNG\r\n\x1a\n";
constexpr std::size_t most_file_bytes = std::size_t{1} << 30;

bool may_be_picture(std::string_view bytes) { return bytes.starts_with('P') || bytes.starts_with(png_signature[0]); }

/// `source` is the name for messages.
std::string read_bytes(std::filesystem::path const& file, std::string const& source) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) throw usage_error(source + ": is a directory, not a picture");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw usage_error(source + ": cannot be opened: " + std::generic_category().message(errno));
  std::string bytes;
  char some[1 << 16];
  while (in.read(some, sizeof some), in.gcount() > 0) {
    bytes.append(some, static_cast<std::size_t>(in.gcount()));
    // /dev/zero is large, and the parser need not see more to refuse it.
    if (!may_be_picture(bytes)) return bytes;
    if (bytes.size() > most_file_bytes) throw usage_error(source + ": is larger than 1 GiB, too large for a picture");
  }
  if (in.bad()) throw usage_error(source + ": cannot be read");
  return bytes;
}

}  // namespace

void require_picture_size(std::size_t width, std::size_t height, std::string const& source) {
  if (width == 0 || height == 0) throw usage_error(source + ": the picture has no pixels");
  if (width > most_picture_side || height > most_picture_side || width * height > most_picture_pixels) {
    throw usage_error(source + ": " + std::to_string(width) + " x " + std::to_string(height) +
                      " pixels are too many; allowed: at most " + std::to_string(most_picture_side) + " a side and " +
                      std::to_string(most_picture_pixels) + " in all");
  }
}

picture parse_picture(std::string_view bytes, std::string const& source) {
  if (bytes.empty()) throw usage_error(source + ": is empty");
  return bytes.starts_with(png_signature.substr(0, 4)) ? parse_png(bytes, source) : parse_pgm(bytes, source);
}

picture read_picture(std::filesystem::path const& file) {
  std::string const source = runtime::printable(file.string());
  return parse_picture(read_bytes(file, source), source);
}

std::string lower_extension(std::filesystem::path const& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) {
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension;
}

void require_file_name(std::string_view option, std::filesystem::path const& file,
                       std::initializer_list<std::string_view> endings) {
  auto const refuse = [&](std::string const& allowed) {
    throw usage_error(std::string{option} + " is '" + runtime::printable(file.string()) + "'; allowed: " + allowed);
  };
  if (std::ranges::find(endings, lower_extension(file)) == endings.end()) {
    std::string allowed;
    for (std::string_view const ending : endings) allowed += (allowed.empty() ? "" : " or ") + std::string{ending};
    refuse("a name that ends in " + allowed);
  }
  std::error_code ignored;
  auto const folder = file.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    refuse("a folder that exists; there is no " + runtime::printable(folder.string()));
}

void require_picture_name(std::string_view option, std::filesystem::path const& file) {
  require_file_name(option, file, {".pgm", ".png"});
}

void write_picture(std::filesystem::path const& file, picture const& shown) {
  require_picture_name("picture", file);
  std::string const bytes = lower_extension(file) == ".pgm" ? to_pgm(shown) : to_png(shown);
  runtime::write_whole_file(file.string(), bytes, {.special_files = runtime::file_rules::special::written_in_place});
}

}  // namespace skua::apps
