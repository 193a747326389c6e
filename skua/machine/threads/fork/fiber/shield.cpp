// SPDX-License-Identifier: MIT
#include "skua/machine/threads/fork/fiber/shield.hpp"

#include "skua/machine/threads/fork/fiber/fiber_at.hpp"
#include "skua/machine/threads/fork/join/here.hpp"

namespace skua { inline namespace v0 { namespace runtime {

task_kind const shield_node::kind{.run = nullptr};

shield::shield(fiber& f) noexcept : mark_(&shield_node::kind, 0), node_(f.watching(), mark_), nested_(f, &node_) {}
shield::~shield() = default;

bool stop_node::inside(stop_node const* n, wait_group const& group) noexcept {
  while (n != nullptr && n->tasks != &group) {
    shield_node const* const shielded = n->outer == nullptr ? shield_node::of(*n) : nullptr;
    n = shielded != nullptr ? shielded->below : n->outer;
  }
  return n != nullptr;
}

}}}  // namespace skua::v0::runtime
