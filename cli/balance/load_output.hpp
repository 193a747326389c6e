// SPDX-License-Identifier: MIT
// A new placement of the tasks of a file, in the form of that file.
#pragma once

#include <string>

#include "cli/balance/load_set.hpp"

namespace skua::cli {

/// Before anything is balanced. A text file needs a path of its own; vt's files a directory that is new or empty, since files of more ranks
/// that lie there would count as well when somebody reads it. Throws usage_error for another one, and resource_error if it cannot be written.
void require_output_of(load_set const& read, std::string const& loads, std::string const& path);

/// `placed[r]` are the tasks of rank r, as numbers in the order of `read`: rank by rank. A text file has a line per task, in the unit of the input,
/// with the phase that counted. Of vt there is a file per rank, named and compressed as the input: its tasks as they were but for their node, in the
/// phase that counted, without communications. Reading it gives the loads placed here.
///
/// Each file is there whole or not at all. After a fault none of this call's files is left in a directory; if the process is killed, rank 0 has
/// none yet, so nobody takes the others for the whole. Throws resource_error.
void write_output(load_set const& read, machine_loads const& placed, std::string const& path);

}  // namespace skua::cli
