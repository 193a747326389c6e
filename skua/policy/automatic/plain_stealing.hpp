// SPDX-License-Identifier: MIT
// Random and hierarchical stealing for a region in which the task that is alone has exposed groups: the rest of such a group lies
// in the lane `local` of the worker that runs the task, and nowhere else.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "skua/policy/greedy.hpp"
#include "skua/policy/hierarchical.hpp"
#include "skua/policy/random.hpp"
#include "skua/policy/shared_word.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace automatic {

/// Where the task that is alone runs. A hint: its reader may look in vain, and looks again.
class alone_place {
 public:
  [[nodiscard]] std::uint32_t get() const noexcept { return worker_.get(); }
  void set(worker_id w) noexcept {
    if (get() != index(w)) worker_.set(index(w));
  }

 private:
  shared_word<std::uint32_t> worker_{0};
};

/// Victims of which only one may have something in `local`.
template <victim_choice V>
class with_alone : public V {
 public:
  with_alone(V choice, alone_place const& at) : V(std::move(choice)), at_(&at) {}
  [[nodiscard]] std::uint8_t first_step(worker_id w) const noexcept { return index(w) == at_->get() ? 0 : 1; }

 private:
  alone_place const* at_;
};

namespace plain {
/// Calls come in `migrated`. What another scheduler has left in a lane of this worker is found, too.
inline constexpr search_step own[] = {{lane::local}, {lane::spawned}, {lane::migrated}, {lane::mailbox}, {lane::inbox}};
inline constexpr search_step theirs[] = {{lane::local, after_lost::next_victim},
                                         {lane::forks, after_lost::next_victim},
                                         {lane::spawned, after_lost::next_victim}};
inline constexpr search_order order{
    .own = own, .theirs = theirs, .injected_first_after_rest = true, .of_injected = amount::half};
}  // namespace plain

template <victim_choice V>
class plain_stealing final : public greedy_policy<with_alone<V>> {
 public:
  /// `choose(w)` makes the choice of victims of worker w. `at` outlives this.
  template <class MakeChoice>
  plain_stealing(std::string_view name, std::uint32_t workers, std::uint64_t seed, alone_place const& at,
                 MakeChoice const& choose)
      : name_(name) {
    this->workers_state_.reserve(workers);
    for (std::uint32_t w = 0; w < workers; ++w) {
      worker_id const self{w};
      this->workers_state_.emplace_back(self, with_alone<V>(choose(self), at), seed, plain::order);
    }
  }
  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  [[nodiscard]] policy_needs needs() const noexcept override {
    return {.lanes = {lane::local, lane::migrated, lane::mailbox}};
  }

 private:
  std::string_view name_;
};

[[nodiscard]] inline std::unique_ptr<policy> random_beside(layout const& where, std::uint64_t seed,
                                                           alone_place const& at) {
  return std::make_unique<plain_stealing<uniform_victims>>(
      "random", where.workers(), seed, at, [&where](worker_id w) { return uniform_victims(w, where.workers()); });
}
[[nodiscard]] inline std::unique_ptr<policy> hierarchical_beside(layout const& where, std::uint64_t seed,
                                                                 alone_place const& at) {
  return std::make_unique<plain_stealing<ring_victims>>("hierarchical", where.workers(), seed, at,
                                                        [&where](worker_id w) { return ring_victims(w, where, 1); });
}

}}}}  // namespace skua::v0::policies::automatic
