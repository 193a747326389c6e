// SPDX-License-Identifier: MIT
#include "skua/machine/threads/pool/region.hpp"

#include <algorithm>

#include "skua/machine/threads/pool/pool_core.hpp"
#include "skua/machine/threads/worker/work_search.hpp"
#include "skua/policy/registry.hpp"

namespace skua::threads {

region::region(crew& c, std::string_view policy_name, std::span<worker_id const> members, std::uint64_t seed)
    : crew_(c), members_(members.begin(), members.end()), map_(c.map().part(members)),
      policy_(make_policy(policy_name, map_, seed)) {
  seats_.reserve(members.size());
  seat_of_crew_.resize(c.workers(), nullptr);
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    worker_id const local{i};
    worker& its = c.worker_at(members[i]);
    seats_.push_back(std::make_unique<seat>(its, its.leaves(), *this, static_cast<std::uint32_t>(members.size()), local,
                                            policy_->mind_of(local)));
    seat_of_crew_[index(members[i])] = seats_.back().get();
  }
}

void region::inject(handed& t) noexcept {
  auto const alive = shared_from_this();
  crew::visit const inside{crew_};
  injected_.push(t);
  call_help();
}

bool region::call_help() noexcept {
  // Who searches already is an excuse only if it takes whatever there is.
  if (seats_.front()->thinks.is_choosy()) return crew_.beds().notify_among(members_);
  return crew_.beds().call(members_);
}

handed* region::take_injected() noexcept { return static_cast<handed*>(injected_.pop()); }

void region::poke() noexcept {
  for (auto const& s : seats_) s->poke();
}

bool region::looks_empty_to(seat* mine) noexcept {
  return nothing_for(mine, injected_, seats_) && std::ranges::all_of(seats_, [](auto const& s) {
           return s->kept.looks_empty() && s->migrated.looks_empty() && s->slot.looks_empty();
         });
}

seat* region::seat_for(worker const& w) const noexcept { return seat_of_crew_[index(w.number())]; }

}  // namespace skua::threads
