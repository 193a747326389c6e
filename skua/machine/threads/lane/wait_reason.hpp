// SPDX-License-Identifier: MIT
// What a fiber waits for, as text for the report of a stall (engine/stall/stall.md).
#pragma once

namespace skua { inline namespace v0 { namespace runtime {

struct wait_reason {
  char const* text = "children of a join or loop";
  void const* object = nullptr;  ///< an object that the program knows; null: none
};

}}}  // namespace skua::v0::runtime
