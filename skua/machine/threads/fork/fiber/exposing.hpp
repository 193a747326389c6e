// SPDX-License-Identifier: MIT
// The steps of an owner from the moment at which it meets an exposed group until it places the first child. Generic in the owner, so that
// registered_group_model.cpp can supply its own.
#pragma once

namespace skua { inline namespace v0 { namespace runtime {

/// Call it once the group is registered and before any child is placed. A placed child runs on another worker at once, and checks the
/// joins that are linked around the group: one of them may have been stolen before.
template <class Owner, class Group, class Node>
void begin_exposed(Owner& owner, Group& g, Node const& inside) noexcept {
  g.add(1);  // the owner's own share: the count cannot reach zero before the owner waits (group.md, "Parking")
  owner.note_steals();
  owner.watch(&inside);
}

}}}  // namespace skua::v0::runtime
