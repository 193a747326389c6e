// SPDX-License-Identifier: MIT
#include "skua/parts/topology/xml_scanner.hpp"

#include <algorithm>

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view name_ends = " \t\r\n=<>/\"'";
constexpr int deepest = 64;
constexpr std::size_t most_elements = 4'000'000;  // 65,536 PUs have some 200,000
constexpr std::size_t most_attributes = 256;      // of an element; hwloc writes some 20

class scanner {
 public:
  explicit scanner(std::string_view text) : text_(text) {}

  xml_element document() {
    skip_misc();
    xml_element root = element(0);
    skip_misc();
    if (position_ != text_.size()) fail("there is text after the end of the root element");
    return root;
  }

 private:
  [[noreturn]] void fail(std::string const& why) const {
    throw xml_error("line " + std::to_string(line_at(position_)) + ": " + why);
  }

  [[nodiscard]] std::size_t line_at(std::size_t position) const {
    return 1 + static_cast<std::size_t>(std::ranges::count(text_.substr(0, position), '\n'));
  }
  [[nodiscard]] std::string_view rest() const { return text_.substr(position_); }

  bool skip(std::string_view word) {
    if (!rest().starts_with(word)) return false;
    position_ += word.size();
    return true;
  }
  void skip_blanks() { position_ = std::min(text_.find_first_not_of(blanks, position_), text_.size()); }

  /// Skips from `open` to the end of `close`; false if `open` is not next.
  bool skip_between(std::string_view open, std::string_view close) {
    if (!rest().starts_with(open)) return false;
    auto const end = text_.find(close, position_ + open.size());
    if (end == std::string_view::npos) fail("no " + std::string{close} + " after " + std::string{open});
    position_ = end + close.size();
    return true;
  }

  void skip_misc() {
    do {
      skip_blanks();
    } while (skip_between("<!--", "-->") || skip_between("<?", "?>") || skip_between("<!DOCTYPE", ">"));
  }

  std::string_view name() {
    auto const end = std::min(text_.find_first_of(name_ends, position_), text_.size());
    if (end == position_) fail("a name is expected");
    std::string_view const found = text_.substr(position_, end - position_);
    position_ = end;
    return found;
  }

  void attribute(xml_element& of) {
    std::string_view const key = name();
    skip_blanks();
    if (!skip("=")) fail("attribute " + std::string{key} + " has no value");
    skip_blanks();
    char const quote = rest().empty() ? '\0' : rest().front();
    if (quote != '"' && quote != '\'') fail("the value of " + std::string{key} + " is not in quotes");
    ++position_;
    auto const end = text_.find(quote, position_);
    std::string_view const value = text_.substr(position_, end == std::string_view::npos ? end : end - position_);
    if (end == std::string_view::npos || value.find('<') != std::string_view::npos) {
      fail("the value of " + std::string{key} + " has no closing quote");
    }
    if (of.attributes.size() == most_attributes) fail("an element has too many attributes");
    if (of.has(key)) fail("attribute " + std::string{key} + " is there twice");
    of.attributes.emplace_back(key, value);
    position_ = end + 1;
  }

  xml_element element(int depth) {
    if (depth > deepest) fail("elements are nested too deep");
    if (++elements_ > most_elements) fail("there are more than 4,000,000 elements");
    xml_element self;
    if (!skip("<")) fail("an element is expected");
    self.name = name();
    for (;;) {
      skip_blanks();
      if (skip("/>")) return self;
      if (skip(">")) break;
      if (rest().empty()) fail("the file ends inside <" + std::string{self.name} + ">");
      attribute(self);
    }
    content(self, depth);
    return self;
  }

  void content(xml_element& self, int depth) {
    for (;;) {
      auto const next = std::min(text_.find('<', position_), text_.size());
      std::string_view const run = text_.substr(position_, next - position_);
      if (run.find_first_not_of(blanks) != std::string_view::npos) self.text = run;
      position_ = next;
      if (rest().empty()) fail("the file ends inside <" + std::string{self.name} + ">");
      if (skip_between("<!--", "-->")) continue;
      if (!skip("</")) {
        self.children.push_back(element(depth + 1));
        continue;
      }
      std::string_view const closed = name();
      skip_blanks();
      if (closed != self.name || !skip(">")) {
        fail("</" + std::string{closed} + "> where </" + std::string{self.name} + "> is expected");
      }
      return;
    }
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t elements_ = 0;
};

}  // namespace

std::string_view xml_element::attribute(std::string_view key) const noexcept {
  auto const found = std::ranges::find(attributes, key, &std::pair<std::string_view, std::string_view>::first);
  return found == attributes.end() ? std::string_view{} : found->second;
}

xml_element scan_xml(std::string_view text) { return scanner{text}.document(); }

}}}  // namespace skua::v0::runtime
