// SPDX-License-Identifier: MIT
#include "skua/parts/base/huge_allocator.hpp"

#include <sys/mman.h>

namespace skua { inline namespace v0 { namespace runtime {

void ask_for_huge_pages(void* start, std::size_t bytes) noexcept {
  static_cast<void>(madvise(start, bytes, MADV_HUGEPAGE));  // no error: the pages stay small
}

}}}  // namespace skua::v0::runtime
