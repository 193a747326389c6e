// SPDX-License-Identifier: MIT
#include "skua/openmp/last_words.hpp"

#include <cstdio>
#include <cstdlib>

#include "skua/openmp/code_place.hpp"

namespace skua { inline namespace v0 { namespace openmp {

void cannot_go_on(char const* what, char const* why) noexcept {
  std::fprintf(stderr, "libgomp-skua: %s: %s\n", what, why);
  std::exit(EXIT_FAILURE);
}

void say_once(std::atomic_flag& said, char const* call, void const* code, char const* what) noexcept {
  if (said.test(std::memory_order_relaxed)) return;          // relaxed, both: a flag of its own
  if (said.test_and_set(std::memory_order_relaxed)) return;  // as above
  char const* const known = place_of_code(code);
  std::string_view place = known == nullptr || *known == '\0' ? "an unknown place" : known;
  place = place.substr(0, place.find(" build-id "));
  std::fprintf(stderr, "libgomp-skua: %s at %.*s: %s\n", call, static_cast<int>(place.size()), place.data(), what);
}

void say_as_libgomp(std::string_view text) noexcept {
  std::fprintf(stderr, "\nlibgomp: %.*s\n", static_cast<int>(text.size()), text.data());
}

void end_as_libgomp(std::string_view text) noexcept {
  say_as_libgomp(text);
  std::exit(EXIT_FAILURE);
}

}}}  // namespace skua::v0::openmp
