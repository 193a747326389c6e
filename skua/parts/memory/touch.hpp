// SPDX-License-Identifier: MIT
// First touch: the thread that touches a page first decides on which node it lies, unless it was bound. Works in every
// container; many containers allow nothing else.
#pragma once

#include <cstddef>
#include <span>
#include <system_error>

#include "skua/parts/memory/page_kernel.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Brings the pages in, on the caller's node unless they are bound or present; keeps their contents. Nobody else may
/// write to them meanwhile: on kernels before 5.14 each page is read and written back. Most of the time goes into the
/// kernel's clearing: 240 us per MiB of small pages and 115 of huge ones on a 2-core Sapphire Rapids virtual machine.
/// not_enough_memory: no memory is left; some pages may have come in.
[[nodiscard]] std::error_code touch_pages(std::span<std::byte> pages, page_kernel const& kernel = running_kernel());

}}}  // namespace skua::v0::runtime
