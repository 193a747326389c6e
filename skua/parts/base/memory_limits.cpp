// SPDX-License-Identifier: MIT
#include "skua/parts/base/memory_limits.hpp"

#include <sys/resource.h>

namespace skua { inline namespace v0 { namespace runtime {
namespace {

std::string text_of(decltype(RLIMIT_AS) which) {
  rlimit limit{};
  if (getrlimit(which, &limit) != 0) return "unknown";
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur >> 10) + " KiB";
}

}  // namespace

std::string memory_limits() {
  return "data segment (ulimit -d) = " + text_of(RLIMIT_DATA) + ", address space (ulimit -v) = " + text_of(RLIMIT_AS);
}

}}}  // namespace skua::v0::runtime
