// SPDX-License-Identifier: MIT
// All readers of files that others wrote, each with a source of such files. readers.md says what they promise.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace testing {

/// What a reader returned contradicts what it promises.
struct broken_promise : std::logic_error {
  using std::logic_error::logic_error;
};

struct reader {
  std::string_view name;
  std::string_view file;                      ///< name of the file: its extension counts
  std::string (*original)(runtime::dice& d);  ///< the bytes of a file that can be read
  void (*read)(std::string const& path);      ///< throws what the reader throws, or broken_promise
  bool may_compress = false;                  ///< reads gzip, too
};

[[nodiscard]] std::span<reader const> all_readers();

}}}  // namespace skua::v0::testing
