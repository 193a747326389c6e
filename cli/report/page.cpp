// SPDX-License-Identifier: MIT
#include "cli/report/page.hpp"

#include <string_view>

#include "cli/report/page_sources.hpp"

namespace skua::cli::traced {
namespace {

void put(std::string& into, std::string_view place, std::string_view text) {
  into.replace(into.find(place), place.size(), text);
}

}  // namespace

std::string inside_script(std::string text) {
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) text.replace(at, 1, "\\u003c");
  return text;
}

std::string page_of(json const& report) {
  std::string page = page_template();
  // What is put in last may hold any text, and nothing is looked for behind it.
  put(page, "{{style}}", page_style());
  put(page, "{{plots}}", plot_library());
  put(page, "{{script}}", page_script());
  put(page, "{{data}}", inside_script(report.dump(-1, ' ', false, json::error_handler_t::replace)));
  return page;
}

}  // namespace skua::cli::traced
