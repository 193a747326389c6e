// SPDX-License-Identifier: MIT
// First touch: the kernel puts a page that is not bound on the node of the thread that first touches it. Works in every
// container; many containers allow no other placement.
#pragma once

#include <cstddef>
#include <span>
#include <system_error>

#include "skua/parts/memory/page_kernel.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Touches the pages, so that the kernel allocates them, on the caller's node unless they are bound or present. Keeps
/// their contents. No other thread may write to them meanwhile: on kernels before 5.14 the call reads each page and
/// writes it back. Most of the time the kernel clears memory: 240 us per MiB of small pages and 115 of huge ones on a
/// 2-core Sapphire Rapids virtual machine. not_enough_memory: no memory is left; some pages may have been allocated.
[[nodiscard]] std::error_code touch_pages(std::span<std::byte> pages, page_kernel const& kernel = running_kernel());

}}}  // namespace skua::v0::runtime
