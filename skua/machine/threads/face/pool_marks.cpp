// SPDX-License-Identifier: MIT
#include "skua/machine/threads/face/pool_marks.hpp"

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/face/pool.hpp"

namespace skua { inline namespace v0 { namespace runtime {

void mark_from_outside(pool const& p, char const* name, std::uint64_t number) noexcept {
  core_of(p).note_mark(name, number);
}

}}}  // namespace skua::v0::runtime
