// SPDX-License-Identifier: MIT
// Just enough XML to read what hwloc writes: elements, attributes, text; comments, the prolog and the
// doctype are skipped. Strict: a tag that is not closed, an attribute without quotes or twice, or
// anything after the root is an error.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skua { inline namespace v0 { namespace runtime {

/// Views into the scanned text, valid as long as that text.
struct xml_element {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> attributes;
  std::string_view text;  ///< the last run of text directly below
  std::vector<xml_element> children;

  /// The attribute's value as the file has it; data() is nullptr if there is none.
  [[nodiscard]] std::string_view attribute(std::string_view key) const noexcept;
  [[nodiscard]] bool has(std::string_view key) const noexcept { return attribute(key).data() != nullptr; }
};

/// What is wrong, beginning with "line N: ".
struct xml_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The root element. Depth at most 64, at most 4,000,000 elements, 256 attributes in each: memory is at most some 100 bytes per element and
/// 32 per attribute. Throws xml_error.
[[nodiscard]] xml_element scan_xml(std::string_view text);

}}}  // namespace skua::v0::runtime
