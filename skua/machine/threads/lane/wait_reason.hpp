// SPDX-License-Identifier: MIT
// What a fiber waits for, in words for people (engine/stall/stall.md).
#pragma once

namespace skua::inline v0::runtime {

struct wait_reason {
  char const* what = "children of a join or loop";
  void const* which = nullptr;  ///< the object, as the program knows it; null: nothing that it could know
};

}  // namespace skua::inline v0::runtime
