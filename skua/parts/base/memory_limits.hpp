// SPDX-License-Identifier: MIT
// The limits of this process's memory, for errors: a user who reads "out of memory" on a machine with memory to spare must
// know which limit was too low.
#pragma once

#include <string>

namespace skua { inline namespace v0 { namespace runtime {

/// "data segment (ulimit -d) = 3000 KiB, address space (ulimit -v) = unlimited"
[[nodiscard]] std::string memory_limits();

}}}  // namespace skua::v0::runtime
