// SPDX-License-Identifier: MIT
// The thread that is lent to enqueued tasks, one that enqueues, and a worker that takes a task or does not, under every
// schedule: the lent thread takes each item that no worker takes (lent_thread.md). Each mutant breaks one step of the argument.
#include <gtest/gtest.h>

#include <utility>

#include "skua/machine/threads/engine/outside/lending.hpp"
#include "skua/parts/queue/injector.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;

/// Items are pushed one by one. The taker of the last one ends the lent thread; if a request is lost, that sleeps for ever.
template <class Sync, int Items>
struct lent {
  static constexpr int threads = 3;
  skua::runtime::injector<Sync>& tasks = immortal<skua::runtime::injector<Sync>>();
  skua::runtime::lending<Sync>& when = immortal<skua::runtime::lending<Sync>>();
  skua::runtime::injectable item[Items] = {};
  typename Sync::template atomic<int> left{Items};

  void run(int me) {
    if (me == 0) {
      do {
        while (take()) {}
      } while (when.rest([this] { return !tasks.looks_empty(); }));
    } else if (me == 1) {
      for (auto& one : item) {
        tasks.push(one);
        when.ask([] { return true; });
      }
    } else {
      take();
    }
  }
  bool take() {
    if (tasks.pop() == nullptr) return false;
    if (left.fetch_sub(1, std::memory_order_relaxed) == 1) when.end();
    return true;
  }
  void finish() { require(left.load(std::memory_order_relaxed) == 0, "every task is taken"); }
};

using clearing_is_relaxed = ordered_store_of<bool, std::memory_order_relaxed>;
/// The thread clears the word and does not look again.
struct looks_before_it_clears : model_sync {};

}  // namespace

namespace skua { inline namespace v0 { namespace runtime {

template <>
class lending<looks_before_it_clears> : public lending<model_sync> {
 public:
  template <class AnythingLeft>
  [[nodiscard]] bool rest(AnythingLeft&& anything_left) noexcept {
    if (anything_left()) return true;
    return lending<model_sync>::rest([] { return false; });
  }
};

}}}  // namespace skua::v0::runtime

TEST(lending_model, what_nobody_takes_the_lent_thread_takes) {
  for (auto const model : {memory_model::tso, memory_model::pso}) {
    holds<lent<model_sync, 1>>({.model = model});
    holds<lent<model_sync, 2>>(full_or(2, {.model = model, .preemptions = 3}));
  }
  holds<lent<model_sync, 1>>(weak);
}

TEST(lending_mutant, a_relaxed_clearing_is_caught) { fails<lent<clearing_is_relaxed, 2>>("deadlock"); }
TEST(lending_mutant, a_look_before_the_clearing_is_caught) { fails<lent<looks_before_it_clears, 2>>("deadlock"); }
