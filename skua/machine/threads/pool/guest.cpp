// SPDX-License-Identifier: MIT
#include "skua/machine/threads/pool/guest.hpp"

#include <utility>

#include "skua/machine/threads/pool/caller.hpp"
#include "skua/machine/threads/pool/root.hpp"

namespace skua::inline v0::runtime {

guest::guest(region& host) : host_(host), core_(host.of(), host.slot_of(worker_id{0}).who.number()) {
  worker_id const only{0};
  own_ = core_.open_region(host.policy_maker(), {&only, 1});
  own_->stand_in_for(host);
}

bool guest::run(root& call) noexcept {
  if (!caller::run(*own_, call)) return false;
  worker_slot& slot = own_->slot_of(worker_id{0});
  entry left;
  // Free tasks that nobody has waited for.
  while (slot.spawned.pop_oldest(left)) host_.inject(*static_cast<handed*>(static_cast<task*>(left.task)));
  return true;
}

void guest_list::run(root& call) {
  std::unique_ptr<guest> mine;
  {
    std::lock_guard const hold(changing_);
    if (!free_.empty()) {
      mine = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (mine == nullptr) mine = std::make_unique<guest>(host_);
  while (!mine->run(call)) mine = std::make_unique<guest>(host_);
  std::lock_guard const hold(changing_);
  free_.push_back(std::move(mine));
}

}  // namespace skua::inline v0::runtime
