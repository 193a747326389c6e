// SPDX-License-Identifier: MIT
// What the kernel says of an open file: how both sides of a shared memory tell its file from another one under its number.
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
