// SPDX-License-Identifier: MIT
// A reader beside the worker's entries, under every schedule: its times are those of some number of whole entries, and it
// learns the time of the last one.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "skua/machine/threads/lane/time_account.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"
#include "tests/explorer/mutants.hpp"

namespace {

using namespace skua::explorer;
using skua::runtime::activity, skua::runtime::time_account;

/// The worker makes three entries, the reader looks twice, at a time after all of them.
template <class Sync>
struct entries_and_reader {
  static constexpr int threads = 2;
  using account = time_account<Sync>;
  static constexpr std::uint64_t opened = 1;
  static constexpr std::uint64_t later = 1000;
  /// The times that the reader may find after that many entries.
  static constexpr std::array<typename account::spent, 4> after{{
      {0, later - opened, 0},      // it schedules
      {later - 10, 9, 0},          // works from 10 on
      {90, 9 + later - 100, 0},    // schedules from 100 on
      {90, 9 + later - 300, 200},  // was idle until 300, as it found later
  }};
  account& book = immortal<account>();
  std::size_t seen = 0;

  entries_and_reader() { book.open(opened); }
  void run(int me) {
    if (me == 0) {
      book.change_to(activity::working, 10);
      book.change_to(activity::scheduling, 100);
      book.charge(activity::idling, 300);
      return;
    }
    look();
    look();
  }
  void look() {
    auto const found = book.try_at(later);
    if (!found) return;
    while (seen < after.size() && after[seen] != found->times) ++seen;
    require(seen < after.size(), "a reader sees whole entries, and never fewer than before");
    require(found->since_then == (seen == 1 ? activity::working : activity::scheduling),
            "the activity is the last entry's");
  }
  void finish() {
    seen = 0;
    look();
    require(seen == 3, "in the end all entries are seen");
  }
};

/// The reader does not see that an entry is being made.
struct never_in_the_middle : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    void store(T value, std::memory_order order) noexcept {
      if (value != ~T{0}) model_atomic<T>::store(value, order);
    }
  };
};

constexpr options pso{.model = memory_model::pso};

}  // namespace

TEST(time_account_model, a_reader_sees_whole_entries) {
  holds<entries_and_reader<model_sync>>(pso);
  holds<entries_and_reader<model_sync>>({.model = memory_model::weak});
}

TEST(time_account_mutant, an_entry_that_is_not_announced_is_caught) {
  fails<entries_and_reader<never_in_the_middle>>("whole entries");
}
TEST(time_account_mutant, sums_in_any_order_are_caught) {
  fails<entries_and_reader<ordered_store<std::memory_order_relaxed>>>("whole entries", pso);
}
