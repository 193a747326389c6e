// SPDX-License-Identifier: MIT
// A task that runs children on top of itself, as a scope does, while something else becomes ready: under every schedule it begins no
// child once it could see a ready frame, and no more than a turn of them while another region waits (turns.hpp, next_step.md).
#include "skua/machine/threads/lane/turns.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "skua/parts/queue/injector.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using skua::runtime::injectable, skua::runtime::tasks_per_turn, skua::runtime::turns;
using queue = skua::runtime::injector<model_sync>;

/// Where something may come meanwhile.
enum class source : std::uint8_t { tied, ready, inbox, other_region, no_member, own_region };
constexpr bool is_frame(source s) { return s == source::tied || s == source::ready || s == source::inbox; }

class worker;
struct region;

struct slot {
  class worker& worker;
  struct region& region;
  queue inbox{};
  [[nodiscard]] inline bool has_ready() const;
  [[nodiscard]] inline bool turns_away() const;
};

struct region {
  region(worker& w, bool has_member) { own = has_member ? &immortal<slot>(w, *this) : nullptr; }
  [[nodiscard]] slot* slot_for(worker const&) const { return own; }
  [[nodiscard]] bool looks_empty_to(slot*) const { return ready.looks_empty() && injected.looks_empty(); }
  slot* own = nullptr;
  queue ready;
  queue injected;
};

/// A worker of one region or of two, as far as it looks what waits.
class worker {
 public:
  worker(source coming, bool isolated) : isolated_(isolated) {
    regions_.push_back(&immortal<region>(*this, true));
    if (coming == source::other_region || coming == source::own_region)
      regions_.push_back(&immortal<region>(*this, true));
    if (coming == source::no_member) regions_.push_back(&immortal<region>(*this, false));
  }
  [[nodiscard]] bool runs_isolated() const { return isolated_; }
  [[nodiscard]] auto const& regions() const { return regions_; }
  [[nodiscard]] bool other_regions_wait(region const& mine) const { return turns::others_wait(*this, mine); }
  queue tied;

 private:
  bool isolated_;
  std::pmr::vector<region*> regions_{&memory()};
};

bool slot::has_ready() const { return turns::has_ready(worker.tied, region.ready, inbox); }
bool slot::turns_away() const { return turns::turns_away(worker, *this); }

/// Thread 0 runs children as long as nothing goes first; there is always another one. Thread 1 puts something somewhere.
template <source Where, bool Isolated = false, bool Looks = true>
struct children_on_top {
  static constexpr int threads = 2;
  static constexpr bool must_yield = !Isolated && Where != source::no_member && Where != source::own_region;
  worker& runner = immortal<worker>(Where, Isolated);
  slot& mine = *runner.regions().front()->own;
  injectable arrived;
  model_atomic<int> put{0};

  void run(int me) {
    if (me == 1) {
      lane().push(arrived);
      put.exchange(1, std::memory_order_release);
      return put.notify_all();
    }
    std::uint32_t since = 0;  // children that began after `arrived` could be seen
    for (std::uint32_t ran = 0; since <= 2 * tasks_per_turn; ++ran) {
      if (ran == tasks_per_turn + 1) put.wait(0, std::memory_order_acquire);
      bool const is_there = put.load(std::memory_order_acquire) == 1;
      if (Looks && turns::should_yield(mine, ran)) return require(must_yield, "it yields to what it may not turn to");
      if (is_there) ++since;
      require(!must_yield || since <= (is_frame(Where) ? 0 : tasks_per_turn), "it yields in time");
    }
  }
  queue& lane() {
    switch (Where) {
      case source::tied: return runner.tied;
      case source::ready: return runner.regions().front()->ready;
      case source::inbox: return mine.inbox;
      case source::own_region: return runner.regions().front()->injected;
      default: return runner.regions().back()->injected;
    }
  }
  void finish() {}
};

constexpr options bounded{.preemptions = 1};

}  // namespace

TEST(turns_model, a_ready_frame_goes_before_the_next_child) {
  holds<children_on_top<source::tied>>();
  holds<children_on_top<source::ready>>();
  holds<children_on_top<source::inbox>>();
  holds<children_on_top<source::tied>>(weak);
  holds<children_on_top<source::ready>>(weak);
  holds<children_on_top<source::inbox>>(weak);
}
TEST(turns_model, another_region_gets_its_turn) {
  holds<children_on_top<source::other_region>>();
  holds<children_on_top<source::other_region>>(weak);
}
TEST(turns_model, who_has_only_its_own_or_is_no_member_goes_on) {
  holds<children_on_top<source::own_region>>();
  holds<children_on_top<source::no_member>>();
}
TEST(turns_model, an_isolated_fiber_goes_on) {
  holds<children_on_top<source::tied, true>>(bounded);
  holds<children_on_top<source::ready, true>>(bounded);
  holds<children_on_top<source::inbox, true>>(bounded);
  holds<children_on_top<source::other_region, true>>(bounded);
}

TEST(turns_mutant, who_does_not_look_between_children_is_caught) {
  fails<children_on_top<source::ready, false, false>>("it yields in time");
  fails<children_on_top<source::other_region, false, false>>("it yields in time");
}
