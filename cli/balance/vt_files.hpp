// SPDX-License-Identifier: MIT
// The load files of DARMA vt (--vt_lb_data): JSON of the type LBDatafile, a file per rank, plain or compressed with brotli.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/balance/load_set.hpp"

namespace skua::cli {

/// The largest file, also once it is decompressed.
inline constexpr std::size_t largest_vt_file = std::size_t{256} << 20U;

/// A name of a rank's file: STEM.RANK.json or STEM.RANK.json.br.
struct vt_name {
  std::string before;  ///< the rank, with the dot
  std::uint32_t rank = 0;
  std::string after;  ///< with the dot
};
[[nodiscard]] std::optional<vt_name> vt_name_of(std::string_view file_name);

/// Whether a path stands for such files: a directory, a name with *, or one that ends in .json or .json.br.
[[nodiscard]] bool stands_for_vt_files(std::string const& path);

/// The files of all ranks, in their order: those in a directory, those that a * in place of the rank matches, or those
/// that differ from the named file in the rank. Throws usage_error if there are none, if a rank between has none, and for a directory with
/// the files of two programs.
[[nodiscard]] std::vector<std::string> vt_files_of(std::string const& path);

/// The loads of one phase of all ranks. A file without any phase is a rank without tasks. A phase that a file does not have, but calls
/// identical_to_previous, has the tasks of the last one before it that the file has. Throws usage_error "FILE: ..." with the
/// line of a fault of JSON, or the phase and the task of any other.
[[nodiscard]] load_set read_vt_files(std::string const& path, load_request const& wanted);

}  // namespace skua::cli
