// SPDX-License-Identifier: MIT
#include "skua/parts/memory/touch.hpp"

#include <cerrno>

namespace skua { inline namespace v0 { namespace runtime {

std::error_code touch_pages(std::span<std::byte> pages, page_kernel const& kernel) {
  if (pages.empty()) return {};
  int const error = kernel.advise(pages, page_advice::populate);
  // Any other error means that a touch would kill the process.
  bool const advice_unknown = error == EINVAL || error == ENOSYS || error == EPERM;
  if (!advice_unknown) return {error, std::generic_category()};
  std::size_t const page = small_page_bytes();
  for (std::size_t at = 0; at < pages.size(); at += page) {
    auto* const byte = static_cast<std::byte volatile*>(&pages[at]);
    *byte = *byte;  // a read alone would only show the kernel's page of zeros
  }
  return {};
}

}}}  // namespace skua::v0::runtime
