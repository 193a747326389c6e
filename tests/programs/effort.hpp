// SPDX-License-Identifier: MIT
// How much a test tries where more is always better: seeds, rounds. `make nightly` and `make mutants` set
// TEST_EFFORT=full; a test of every change does a part of that. No SKUA_: programs warn of such variables that
// they do not read.
#pragma once

#include <cstdlib>
#include <string_view>

namespace skua { inline namespace v0 { namespace testing {

inline bool full_effort() {
  char const* const given = std::getenv("TEST_EFFORT");
  return given != nullptr && std::string_view(given) == "full";
}

/// `all` with full effort, else `part` of it.
template <class T>
T full_or(T all, T part) {
  return full_effort() ? all : part;
}

}}}  // namespace skua::v0::testing
