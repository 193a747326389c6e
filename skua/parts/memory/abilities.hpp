// SPDX-License-Identifier: MIT
// The operations on pages that this kernel allows. Containers often forbid to bind and to locate pages. Then only first
// touch can place arrays, and `skua doctor` reports it.
#pragma once

#include <cstddef>
#include <string>

#include "skua/parts/memory/page_kernel.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Whether the kernel allows an operation.
struct page_ability {
  bool works = false;
  std::string why = {};  ///< the reason, one clause for the user, in either case
};

/// The operations that try_pages tried.
struct page_abilities {
  page_ability bind;    ///< mbind(2)
  page_ability locate;  ///< move_pages(2)
  page_ability huge;    ///< madvise(2), if the administrator allows huge pages
};

/// Tries each operation on a page of its own. A dozen system calls. Throws resource_error if it cannot map a page.
[[nodiscard]] page_abilities try_pages(page_kernel const& kernel = running_kernel());

}}}  // namespace skua::v0::runtime
