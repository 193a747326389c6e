// SPDX-License-Identifier: MIT
// Detects whether two ranks run the same program: tasks are functions and bytes, whose meaning may differ in another
// build.
#pragma once

#include <string>

namespace skua { inline namespace v0 { namespace ranks {

/// A text that differs between any two executables: a hash of this process's file. Cost: reads the file once, about 1 ms
/// for each MB, on every rank at once; the ranks of a node read it from memory after the first one.
[[nodiscard]] std::string build_identity();

}}}  // namespace skua::v0::ranks
