// SPDX-License-Identifier: MIT
// Files that are there whole or not at all: whoever finds one can trust it, and a full disk costs nobody the old one.
#pragma once

#include <string>
#include <string_view>

namespace skua::apps {

/// Writes a new file beside `path` and gives it that name once all of it is out; an older file keeps its permissions,
/// and a symbolic link its place. Writes in place what is no ordinary file (a device, a pipe), and where the folder
/// takes no new file. Throws resource_error "cannot write PATH: why", and leaves what was there before.
void write_whole_file(std::string const& path, std::string_view text);

}  // namespace skua::apps
