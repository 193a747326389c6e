// SPDX-License-Identifier: MIT
#include "skua/machine/threads/join/shield.hpp"

#include "skua/machine/threads/worker/worker_slot.hpp"

namespace skua::inline v0::runtime {

shield::shield(fiber& f) noexcept
    : node_(nullptr, nullptr, nullptr, nullptr, stop_node::inherited(f.watching()).place.value_or(no_place_hint)),
      nested_(f, &node_) {}
shield::~shield() = default;

}  // namespace skua::inline v0::runtime
