// SPDX-License-Identifier: MIT
// Whether this process is a child, by fork(), of the process that made an object. Costs a load, where getpid() is a system call.
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 { namespace runtime {

/// How many fork()s lie between the start of the program and this process. A child made by a bare clone() is not
/// counted. Cost: 1 ns.
[[nodiscard]] std::uint32_t fork_generation() noexcept;

}}}  // namespace skua::v0::runtime
