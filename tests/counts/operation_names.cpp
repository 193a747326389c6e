// SPDX-License-Identifier: MIT
#include "tests/counts/operation_names.hpp"

#include <link.h>

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>

namespace line_counts {
namespace {

/// Where this program was loaded.
std::uintptr_t own_base() noexcept {
  std::uintptr_t base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* first, std::size_t, void* to) {
        *static_cast<std::uintptr_t*>(to) = first->dlpi_addr;
        return 1;
      },
      &base);
  return base;
}

/// Without what stands in <..>, (..) and [..].
std::string without_brackets(std::string_view symbol) {
  std::string kept;
  int depth = 0;
  for (char const c : symbol) {
    if (c == '<' || c == '(' || c == '[') ++depth;
    if (depth == 0) kept += c;
    if ((c == '>' || c == ')' || c == ']') && depth > 0) --depth;
  }
  return kept;
}

}  // namespace

std::string short_name(std::string_view symbol) {
  std::string text(symbol);
  for (std::string_view const unnamed = "(anonymous namespace)"; text.find(unnamed) != std::string::npos;)
    text.replace(text.find(unnamed), unnamed.size(), "anonymous");
  std::string kept = without_brackets(text);
  while (kept.ends_with(" const") || kept.ends_with(' ')) kept.resize(kept.size() - (kept.ends_with(' ') ? 1 : 6));
  if (auto const space = kept.rfind(' '); space != std::string::npos) kept.erase(0, space + 1);
  auto const last = kept.rfind("::");
  if (last == std::string::npos || last == 0) return kept;
  auto const before = kept.rfind("::", last - 1);
  return before == std::string::npos ? kept : kept.substr(before + 2);
}

std::vector<function_name> functions_of_this_program() {
  struct closer {
    void operator()(std::FILE* f) const noexcept { ::pclose(f); }
  };
  std::uintptr_t const base = own_base();
  std::unique_ptr<std::FILE, closer> const symbols(
      ::popen("nm --demangle --defined-only /proc/$PPID/exe", "r"));  // $PPID: this program, the shell's parent
  if (symbols == nullptr) throw std::runtime_error("line_counts: nm does not start");
  std::vector<function_name> all;
  std::string line;
  for (int c = std::fgetc(symbols.get()); c != EOF; c = std::fgetc(symbols.get())) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    // ADDRESS KIND NAME
    if (line.size() > 19 && std::string_view("tTwWiu").find(line[17]) != std::string_view::npos) {
      std::uintptr_t const address = std::stoull(line.substr(0, 16), nullptr, 16);
      all.push_back({reinterpret_cast<void const*>(base + address), short_name(std::string_view(line).substr(19))});
    }
    line.clear();
  }
  if (all.empty()) throw std::runtime_error("line_counts: nm finds no functions in this program");
  return all;
}

}  // namespace line_counts
