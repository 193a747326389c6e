// SPDX-License-Identifier: MIT
#include "skua/openmp/last_words.hpp"

#include <cstdio>
#include <cstdlib>

namespace skua { inline namespace v0 { namespace openmp {

void cannot_go_on(char const* what, char const* why) noexcept {
  std::fprintf(stderr, "libgomp-skua: %s: %s\n", what, why);
  std::exit(EXIT_FAILURE);
}

void refuse(char const* what) noexcept {
  cannot_go_on(what, "this library has no such thing; run the program with GCC's libgomp");
}

void say_as_libgomp(std::string_view text) noexcept {
  std::fprintf(stderr, "\nlibgomp: %.*s\n", static_cast<int>(text.size()), text.data());
}

void end_as_libgomp(std::string_view text) noexcept {
  say_as_libgomp(text);
  std::exit(EXIT_FAILURE);
}

}}}  // namespace skua::v0::openmp
