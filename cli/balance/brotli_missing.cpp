// SPDX-License-Identifier: MIT
// Of a build that found no brotli.
#include "cli/balance/brotli.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::cli {

bool has_brotli() noexcept { return false; }

std::string brotli_decompressed(std::string_view /*data*/, std::size_t /*most*/, std::string_view name) {
  throw usage_error(runtime::printable(name) +
                    ": this build found no brotli library (package libbrotli-dev); allowed: "
                    "files that `brotli -d` has decompressed");
}

std::string brotli_compressed(std::string_view /*text*/) {
  throw usage_error("this build found no brotli library (package libbrotli-dev)");
}

}  // namespace skua::cli
