// SPDX-License-Identifier: MIT
// oneTBB's attach: says that something that exists already is meant.
#pragma once

namespace skua { inline namespace v0 { namespace tbb {

struct attach {};

}}}  // namespace skua::v0::tbb
