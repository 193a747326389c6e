// SPDX-License-Identifier: MIT
#include "skua/parts/base/printable.hpp"

#include <cstdint>

namespace skua { inline namespace v0 { namespace runtime {
namespace {

struct character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  ///< 0: not UTF-8
};

/// The first character of a text that is not empty. Overlong forms, surrogates and codes above U+10FFFF are not UTF-8.
character first_of(std::string_view text) noexcept {
  auto const byte = [text](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  std::uint32_t const lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  std::size_t const bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  bool const overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  bool const no_character = (code >= 0xd800 && code < 0xe000) || code > 0x10ffff;
  return overlong || no_character ? character{} : character{code, bytes};
}

/// C0, delete and C1; line and paragraph separators; the marks, embeddings and isolates of bidirectional text.
bool acts_on_a_terminal(std::uint32_t code) noexcept {
  bool const is_control = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
  bool const turns = code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                     (code >= 0x2066 && code <= 0x2069);
  return is_control || turns;
}

void append_escaped(std::string& to, std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (char const c : bytes) {
    auto const value = static_cast<unsigned char>(c);
    to += {'\\', 'x', digits[value >> 4U], digits[value & 15U]};
  }
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    if (at >= most) return shown + "...";
    std::string_view const rest = text.substr(at);
    character const next = first_of(rest);
    std::size_t const bytes = next.bytes == 0 ? 1 : next.bytes;
    if (next.bytes == 0 || acts_on_a_terminal(next.code)) {
      append_escaped(shown, rest.substr(0, bytes));
    } else {
      shown += rest.substr(0, bytes);
    }
    at += bytes;
  }
  return shown;
}

}}}  // namespace skua::v0::runtime
