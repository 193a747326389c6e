// SPDX-License-Identifier: MIT
#include "cli/page/page.hpp"

#include <string_view>

#include "apps/picture/look.hpp"
#include "cli/page/page_sources.hpp"

namespace skua::cli {
namespace {

void put(std::string& into, std::string_view place, std::string_view text) {
  std::size_t at = 0;
  while ((at = into.find(place, at)) != std::string::npos) {
    into.replace(at, place.size(), text);
    at += text.size();
  }
}

}  // namespace

std::string inside_script(std::string text) {
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) text.replace(at, 1, "\\u003c");
  return text;
}

std::string page_of(page_kind const& kind, json const& data) {
  std::string page = page_sources::frame();
  // What is put in last may hold any text, and nothing is looked for behind it.
  put(page, "{{name}}", kind.name);
  put(page, "{{subcommand}}", kind.subcommand);
  put(page, "{{style}}", apps::look::css_of_look() + page_sources::style());
  put(page, "{{script}}", page_sources::script() + kind.script);
  std::size_t const at = page.find("{{data}}");
  page.replace(at, std::string_view("{{data}}").size(), inside_script(data.dump_repaired()));
  return page;
}

}  // namespace skua::cli
