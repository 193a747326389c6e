// SPDX-License-Identifier: MIT
// First touch in parallel: one child per run of pages, with the run's place as its hint, touches the pages. Under a
// policy that follows place hints, and with pinned workers, the pages are then near the tasks that will use them. A
// hint does not bind: callers that need certainty use distribute (machine/threads/face/distribute.hpp).
#pragma once

#include <span>
#include <system_error>

#include "skua/parts/base/error.hpp"
#include "skua/parts/memory/page_block.hpp"
#include "skua/parts/memory/shares.hpp"
#include "skua/parts/memory/touch.hpp"
#include "skua/program/footprint.hpp"
#include "skua/program/fork_join.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Touches all pages of the runs, so that the kernel allocates them. Keeps their contents; no other thread may write to
/// them meanwhile. Throws resource_error if there is no memory. Work: that of touch_pages; span: the longest run plus
/// the number of runs.
template <fork_join Here>
void first_touch(Here& here, page_block const& block, std::span<page_run const> runs,
                 page_kernel const& kernel = running_kernel()) {
  auto const place_of = [](page_run const& run) { return at{run.place}; };
  here.join_each(runs, place_of, [&block, &kernel](Here& h, page_run const& run) {
    std::span<std::byte> const pages = block.bytes().subspan(run.first, run.bytes);
    std::error_code const fault =
        h.leaf(writes{pages.data(), pages.size()}, [&pages, &kernel] { return touch_pages(pages, kernel); });
    if (fault) throw resource_error("cannot bring in the pages of an array: " + fault.message());
  });
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::first_touch;

}}  // namespace skua::v0
