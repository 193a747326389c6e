// SPDX-License-Identifier: MIT
// For builds with a sanitizer, which has an operator new of its own: executions are repeated, not restored.
#include "tests/explorer/image.hpp"

namespace skua { inline namespace v0 { namespace explorer {

bool heap_is_in_image() noexcept { return false; }

}}}  // namespace skua::v0::explorer
