// SPDX-License-Identifier: MIT
// What a history is about: the program, the machine and the workers of a run. A later run uses it only if all three agree.
#pragma once

#include <cstdint>
#include <string>

#include "skua/parts/topology/layout.hpp"

namespace skua { inline namespace v0 { namespace runtime {

struct run_identity {
  std::string program = {};   ///< its file name; empty: unknown, as in files of older versions
  std::string machine = {};   ///< its processor, and where the workers are; empty: unknown
  std::uint32_t workers = 0;  ///< 0: unknown
  friend bool operator==(run_identity const&, run_identity const&) = default;
};

/// Of this process, with the workers of `map`.
[[nodiscard]] run_identity identity_of(layout const& map);

}}}  // namespace skua::v0::runtime
