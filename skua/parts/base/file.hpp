// SPDX-License-Identifier: MIT
// A whole file as text. Plain system calls: the first ifstream of a process touches half a megabyte of locale tables.
#pragma once

#include <cstddef>
#include <string>
#include <system_error>

namespace skua { inline namespace v0 { namespace runtime {

struct file_text {
  std::string text = {};
  std::error_code wrong =
      {};  ///< file_too_large if it has more than `most_bytes`; then and after other errors text is empty
};

[[nodiscard]] file_text read_file(std::string const& path, std::size_t most_bytes);

}}}  // namespace skua::v0::runtime
