// SPDX-License-Identifier: MIT
// What this kernel lets us do with pages. Containers often forbid binding and locating them. Then first touch alone
// places arrays, and `skua doctor` says so.
#pragma once

#include <cstddef>
#include <string>

#include "skua/parts/memory/page_kernel.hpp"

namespace skua { inline namespace v0 { namespace runtime {

struct page_ability {
  bool works = false;
  std::string why = {};  ///< one clause for people, in either case
};

struct page_abilities {
  page_ability bind;    ///< mbind(2)
  page_ability locate;  ///< move_pages(2)
  page_ability huge;    ///< madvise(2), and what the administrator allows
};

/// Tries each ability on a page of its own. A dozen system calls. Throws resource_error if there is no page to try.
[[nodiscard]] page_abilities try_pages(page_kernel const& kernel = running_kernel());

}}}  // namespace skua::v0::runtime
