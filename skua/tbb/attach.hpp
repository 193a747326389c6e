// SPDX-License-Identifier: MIT
// oneTBB's attach: says that something that exists already is meant.
#pragma once

namespace skua::inline v0::tbb {

struct attach {};

}  // namespace skua::inline v0::tbb
