// SPDX-License-Identifier: MIT
// The kernel's identification of an open file, by which both sides of a shared memory tell its file from another one that reuses its number.
#pragma once

#include <sys/stat.h>

namespace skua { inline namespace v0 { namespace runtime {

/// All zero if `file` is not open.
[[nodiscard]] inline struct stat about_file(int file) noexcept {
  struct stat about{};
  if (::fstat(file, &about) != 0) about = {};
  return about;
}

}}}  // namespace skua::v0::runtime
