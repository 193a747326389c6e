// SPDX-License-Identifier: MIT
#include "skua/parts/topology/xml_words.hpp"

#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace skua { inline namespace v0 { namespace runtime {

std::uint64_t xml_number(std::string_view text, std::string const& what) {
  std::uint64_t value = 0;
  auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size())
    throw xml_content_error(what + " is \"" + std::string{text} + "\", not a number");
  return value;
}

std::string xml_name(xml_element const& object) {
  return std::string{object.attribute("type")} + " object " + std::string{object.attribute("os_index")};
}

cpu_mask xml_set(xml_element const& object, std::string_view key) {
  auto set = cpu_mask::from_hwloc(object.attribute(key));
  if (!set) throw xml_content_error(xml_name(object) + " has no sound " + std::string{key});
  return std::move(*set);
}

std::uint32_t xml_os_index(xml_element const& object) {
  if (!object.has("os_index")) return no_index;
  std::uint64_t const value =
      xml_number(object.attribute("os_index"), "os_index of a " + std::string{object.attribute("type")});
  return value < no_index ? static_cast<std::uint32_t>(value) : no_index;
}

namespace {

/// The character that stands for "&NAME;"; '\0': not known.
char character_named(std::string_view name) noexcept {
  using entity = std::pair<std::string_view, char>;
  for (auto const& [word, character] : std::array{entity{"amp", '&'}, entity{"lt", '<'}, entity{"gt", '>'},
                                                  entity{"quot", '"'}, entity{"apos", '\''}}) {
    if (name == word) return character;
  }
  if (!name.starts_with('#')) return '\0';
  bool const is_hex = name.starts_with("#x");
  name.remove_prefix(is_hex ? 2 : 1);
  unsigned code = 0;
  auto const [end, fault] = std::from_chars(name.data(), name.data() + name.size(), code, is_hex ? 16 : 10);
  bool const is_whole = fault == std::errc{} && end == name.data() + name.size();
  return is_whole && code < 256 ? static_cast<char>(code) : '\0';
}

}  // namespace

std::string xml_text(std::string_view value) {
  std::string text;
  while (!value.empty()) {
    auto const begin = value.find('&');
    text += value.substr(0, begin);
    if (begin == std::string_view::npos) break;
    auto const end = value.find(';', begin);
    char const meant = end == std::string_view::npos ? '\0' : character_named(value.substr(begin + 1, end - begin - 1));
    if (meant != '\0') text += meant;
    if (meant == '\0') text += '&';
    value.remove_prefix(meant != '\0' ? end + 1 : begin + 1);
  }
  return text;
}

}}}  // namespace skua::v0::runtime
