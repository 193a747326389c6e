// SPDX-License-Identifier: MIT
// Texts by OMP_AFFINITY_FORMAT: "%n", "%5n", "%0.5n", "%{thread_num}" .. [OpenMP 5.0, 6.14]
#pragma once

#include <string>
#include <string_view>

namespace skua { inline namespace v0 { namespace openmp {

/// Of the calling thread. Ends the process for a format that has unknown fields, with libgomp's sentence. Empty: the format of the process.
[[nodiscard]] std::string affinity_text(std::string_view format);
/// Prints the calling thread's text and a newline on stderr.
void display_affinity() noexcept;

}}}  // namespace skua::v0::openmp
