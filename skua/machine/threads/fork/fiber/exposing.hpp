// SPDX-License-Identifier: MIT
// What an owner does between the moment at which it meets an exposed group and that at which it places the first child. Generic in the owner,
// so that registered_group_model.cpp can supply its own.
#pragma once

namespace skua { inline namespace v0 { namespace runtime {

/// The group is registered, and no child of it is anywhere yet. Its children run elsewhere as soon as they are placed, and look at
/// what is linked around the group: a join around it may have been stolen before.
template <class Owner, class Group, class Node>
void begin_exposed(Owner& owner, Group& g, Node const& inside) noexcept {
  g.add(1);  // the owner's own share: the count cannot reach zero before the owner waits (group.md, "Parking")
  owner.note_steals();
  owner.watch(&inside);
}

}}}  // namespace skua::v0::runtime
