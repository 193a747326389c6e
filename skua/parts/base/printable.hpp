// SPDX-License-Identifier: MIT
// Text of others in our messages. A file's content, its name and another program's command line may hold the bytes that move a
// terminal's cursor, rename its window or reverse a line; a message shows them, and never sends them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace skua { inline namespace v0 { namespace runtime {

/// The longest text that a message repeats, in bytes, unless its caller knows better.
inline constexpr std::size_t longest_printable = 4'000;

/// UTF-8 that a terminal only prints. Control characters (line breaks too), marks that change the direction of writing and bytes that are not
/// UTF-8 are shown as "\x1b", one escape for each byte. A text longer than `most` is cut there, and ends in "...".
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = longest_printable);

}}}  // namespace skua::v0::runtime
