// SPDX-License-Identifier: MIT
// A region: a policy and the workers that obey it. The only scheduler state; regions nest and several live at once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skua/machine/threads/worker/worker_slot.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/queue/injector.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/policy/policy.hpp"

namespace skua::threads {

class crew;

class region : public std::enable_shared_from_this<region> {
 public:
  /// Seats for the `members` of the crew (their numbers in the crew), under the policy of that name.
  /// Throws usage_error for an unknown policy.
  region(crew& c, std::string_view policy_name, std::span<worker_id const> members, std::uint64_t seed);
  region(region const&) = delete;
  region& operator=(region const&) = delete;

  [[nodiscard]] std::uint32_t workers() const noexcept { return static_cast<std::uint32_t>(seats_.size()); }
  [[nodiscard]] seat& seat_of(worker_id local) noexcept { return *seats_[index(local)]; }
  /// The seat of a worker of the crew; null if it is no member.
  [[nodiscard]] seat* seat_for(worker const& w) const noexcept;
  [[nodiscard]] layout const& map() const noexcept { return map_; }
  [[nodiscard]] std::string_view policy_name() const noexcept { return policy_->name(); }
  [[nodiscard]] crew& of() noexcept { return crew_; }

  /// From outside: any thread. As soon as `t` is in, its run may end, and with it the region and the crew: `inject` holds
  /// on to both.
  void inject(handed& t) noexcept;
  /// Something can be taken: wake a worker of the region, unless enough are about. Any thread. True if one was woken.
  bool call_help() noexcept;
  [[nodiscard]] handed* take_injected() noexcept;

  /// Every strand of this region looks at its next fork. Any thread.
  void poke() noexcept;
  /// Nothing to take for the worker of this seat; without a seat: for any member.
  [[nodiscard]] bool looks_empty_to(seat* mine) noexcept;

 private:
  crew& crew_;
  std::vector<worker_id> const members_;  ///< by their numbers in the crew
  layout const map_;
  std::unique_ptr<policy> const policy_;
  std::vector<std::unique_ptr<seat>> seats_;
  std::vector<seat*> seat_of_crew_;  ///< by number in the crew
  injector<> injected_;
};

}  // namespace skua::threads
