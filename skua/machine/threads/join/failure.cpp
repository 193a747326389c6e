// SPDX-License-Identifier: MIT
// What a requested stop does.
#include "skua/machine/threads/join/failure.hpp"

#include "skua/machine/threads/pool/region.hpp"
#include "skua/machine/threads/worker/worker_slot.hpp"

namespace skua::inline v0::runtime {

region& stop_scope::region_of(fiber const& f) noexcept { return f.at().in; }

void stop_scope::alarm::operator()() const noexcept { in.request_attention(); }

}  // namespace skua::inline v0::runtime
