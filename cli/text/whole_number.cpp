// SPDX-License-Identifier: MIT
#include "cli/whole_number.hpp"

#include <fmt/format.h>

#include <charconv>

#include "skua/parts/base/error.hpp"

namespace skua::cli {

std::uint32_t read_whole_number(std::string_view option, std::string_view text, std::uint32_t least,
                                std::uint32_t most) {
  std::uint32_t number = 0;
  auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size() || number < least || number > most) {
    throw usage_error(fmt::format("{}=\"{}\": allowed is a whole number from {} to {}", option, text, least, most));
  }
  return number;
}

}  // namespace skua::cli
