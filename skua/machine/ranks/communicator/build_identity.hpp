// SPDX-License-Identifier: MIT
// Whether two ranks run the same program: tasks are functions and bytes whose meaning another build may have changed.
#pragma once

#include <string>

namespace skua { inline namespace v0 { namespace ranks {

/// A text that two different executables do not share: a hash of the file of this process. Cost: reads the file once.
[[nodiscard]] std::string build_identity();

}}}  // namespace skua::v0::ranks
