// SPDX-License-Identifier: MIT
// Files as hwloc writes them, of random machines: for the tests of the reader and the campaign against it.
#pragma once

#include <string>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace testing {

/// Writes the XML of a machine of 1 to 1024 PUs to `path`, and returns what it is; an empty text if hwloc refused the machine.
[[nodiscard]] std::string write_random_machine(dice& d, std::string const& path);

[[nodiscard]] std::string content_of(std::string const& path);

}}}}  // namespace skua::v0::runtime::testing
