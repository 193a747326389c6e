// SPDX-License-Identifier: MIT
// Files that are nearly right: what a disk, an editor, another program's version or an enemy makes of a file that was.
#pragma once

#include <string>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace testing {

/// Changes one thing: a number (to one beside a limit), a word, a line, a piece, or some bytes; rarely its end or its encoding.
/// Binary files have their first bytes, which tell lengths, changed as often as all others together. At most `most_mutated_bytes`.
void mutate(runtime::dice& d, std::string& file);
inline constexpr std::size_t most_mutated_bytes = std::size_t{4} << 20;

}}}  // namespace skua::v0::testing
