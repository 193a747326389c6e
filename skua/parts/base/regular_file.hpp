// SPDX-License-Identifier: MIT
// Reads a file whole. For files that a program names: a device or a FIFO there would never end, or wait for its writer.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace skua { inline namespace v0 { namespace runtime {

/// Throws resource_error "SUBJECT PATH: cannot be read: why", and usage_error for what is neither a regular file nor a folder.
[[nodiscard]] std::vector<std::byte> read_regular_file(std::string const& subject, std::string const& path);
/// The usage_error for a file of another kind, also where one is to be written.
[[noreturn]] void refuse_special_file(std::string const& subject, std::string const& path);

}}}  // namespace skua::v0::runtime
