// SPDX-License-Identifier: MIT
// What a fiber waits for, in words for people (engine/stall/stall.md).
#pragma once

namespace skua { inline namespace v0 { namespace runtime {

struct wait_reason {
  char const* what = "children of a join or loop";
  void const* which = nullptr;  ///< the object, as the program knows it; null: nothing that it could know
};

}}}  // namespace skua::v0::runtime
