// SPDX-License-Identifier: MIT
// The injector under every schedule: each item comes out once, in order, and a sleeper is never forgotten
// (injector.md).
#include <gtest/gtest.h>

#include "skua/parts/queue/injector.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;

struct item : skua::runtime::injectable {
  int producer = 0;
  int taken = 0;
};

template <class Sync>
struct two_producers_one_consumer {
  static constexpr int threads = 3;
  skua::runtime::injector<Sync>& in = immortal<skua::runtime::injector<Sync>>();
  item items[2][2];
  int last = -1;  // of producer 0

  void run(int me) {
    if (me < 2) {
      for (auto& i : items[me]) {
        i.producer = me;
        in.push(i);
        if (me == 1) return;
      }
    } else {
      take();
      take();
    }
  }
  bool take() {
    auto* const i = static_cast<item*>(in.pop());
    if (i == nullptr) return false;
    ++i->taken;
    if (i->producer == 0) {
      auto const number = static_cast<int>(i - items[0]);
      require(number > last, "one producer's items come out in order");
      last = number;
    }
    return true;
  }
  void finish() {
    while (take()) {}
    require(items[0][0].taken == 1 && items[0][1].taken == 1 && items[1][0].taken == 1, "each item comes out once");
    require(in.looks_empty(), "empty is empty");
  }
};

/// Consumer: announce (seq_cst), look, sleep. Producer: push, look at the announcements (seq_cst), wake.
template <class Sync>
struct sleeper {
  static constexpr int threads = 2;
  skua::runtime::injector<Sync>& in = immortal<skua::runtime::injector<Sync>>();
  item one;
  typename Sync::template atomic<int> asleep{0};

  void run(int me) {
    if (me == 0) {
      in.push(one);
      if (asleep.load(std::memory_order_seq_cst) > 0) {
        asleep.store(0, std::memory_order_seq_cst);
        asleep.notify_all();
      }
      return;
    }
    asleep.store(1, std::memory_order_seq_cst);
    if (in.looks_empty()) asleep.wait(1, std::memory_order_acquire);
    take();
  }
  void take() {
    if (auto* const i = static_cast<item*>(in.pop()); i != nullptr) ++i->taken;
  }
  void finish() {
    take();
    require(one.taken == 1, "each item comes out once");
  }
};

/// The count is a plain store: it may stay in the producer's buffer, with the unlocking behind it.
using count_stored_late = buffered_fetch_add;
/// The sleeper's announcement is not sequentially consistent.
using announced_late = ordered_store<std::memory_order_release>;

constexpr options pso{.model = memory_model::pso};

}  // namespace

TEST(injector_model, two_producers_and_one_consumer_keep_the_order) {
  holds<two_producers_one_consumer<model_sync>>(pso);
}
TEST(injector_model, a_sleeper_misses_no_item) { holds<sleeper<model_sync>>(pso); }

TEST(injector_model, holds_on_weak_memory) {
  holds<two_producers_one_consumer<model_sync>>(weak);
  holds<sleeper<model_sync>>(weak);
}

TEST(injector_mutant, count_stored_late_is_caught) { fails<sleeper<count_stored_late>>("deadlock"); }
TEST(injector_mutant, announced_late_is_caught) { fails<sleeper<announced_late>>("deadlock"); }
