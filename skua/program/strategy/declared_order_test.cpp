// SPDX-License-Identifier: MIT
// Which order a type of strategy has: of prioritize and key, what the more derived class declares.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "skua/parts/ordered/ordered_store.hpp"
#include "skua/program/strategy/orders.hpp"
#include "skua/program/strategy/strategy.hpp"

namespace {

using skua::worker_id;
using skua::runtime::kind_of, skua::runtime::ordered_by_key, skua::runtime::ordered_store, skua::runtime::outcome,
    skua::runtime::requester, skua::runtime::taken_task;

// What a class declares of its own.
struct by_key {
  double k = 0;
  [[nodiscard]] double key(requester const&) const { return k; }
};
struct by_order {
  double k = 0;
  [[nodiscard]] bool prioritize(by_order const& other, requester const&) const { return k < other.k; }
};
struct by_both : by_order {
  using base = by_order;
  [[nodiscard]] bool prioritize(by_both const& other, requester const&) const { return k > other.k; }
  [[nodiscard]] double key(requester const&) const { return k; }
};
struct key_then_order : by_key {
  using base = by_key;
  [[nodiscard]] bool prioritize(key_then_order const& other, requester const&) const { return k > other.k; }
};
struct order_then_key : by_order {
  using base = by_order;
  [[nodiscard]] double key(requester const&) const { return k; }
};
struct inherits_all : key_then_order {
  using base = key_then_order;
  [[nodiscard]] static double transitive_weight() { return 2; }
};
struct key_again : key_then_order {
  using base = key_then_order;
  [[nodiscard]] double key(requester const&) const noexcept { return -k; }
};
struct of_a_ready_made_one
    : skua::strategies::priority {  // `order`, which declares the key, is no base of the hierarchy
  using base = skua::strategies::priority;
  double k = 0;
  [[nodiscard]] bool prioritize(of_a_ready_made_one const& other, requester const&) const { return k < other.k; }
};
struct without_base : skua::strategies::order {
  [[nodiscard]] bool prioritize(without_base const& other, requester const&) const { return local > other.local; }
};

// Functions whose class no pointer shows.
struct overloaded : by_key {
  using base = by_key;
  [[nodiscard]] bool prioritize(overloaded const& other, requester const&) const { return k > other.k; }
  [[nodiscard]] bool prioritize(int) const { return k > 0; }
};
struct of_any : by_key {
  using base = by_key;
  template <class Other>
  [[nodiscard]] bool prioritize(Other const& other, requester const&) const {
    return k > other.k;
  }
};
struct key_of_any : by_order {
  using base = by_order;
  template <class By>
  [[nodiscard]] double key(By const&) const {
    return k;
  }
};
struct key_again_below_a_template : of_any {
  using base = of_any;
  [[nodiscard]] double key(requester const&) const { return k; }
};
struct order_again_below_a_template : key_of_any {
  using base = key_of_any;
  [[nodiscard]] bool prioritize(order_again_below_a_template const& other, requester const&) const {
    return k > other.k;
  }
};
struct inherits_a_template : of_any {
  using base = of_any;
  [[nodiscard]] static bool is_dead() { return false; }
};
struct two_templates {
  double k = 0;
  template <class Other>
  [[nodiscard]] bool prioritize(Other const& other, requester const&) const {
    return k > other.k;
  }
  template <class By>
  [[nodiscard]] double key(By const&) const {
    return k;
  }
};

}  // namespace

TEST(declared_order, more_derived_declaration_counts) {
  EXPECT_TRUE(ordered_by_key<by_key>());
  EXPECT_FALSE(ordered_by_key<by_order>());
  EXPECT_TRUE(ordered_by_key<by_both>()) << "one class declares both";
  EXPECT_FALSE(ordered_by_key<key_then_order>());
  EXPECT_TRUE(ordered_by_key<order_then_key>());
  EXPECT_FALSE(ordered_by_key<inherits_all>());
  EXPECT_TRUE(ordered_by_key<key_again>());
  EXPECT_FALSE(ordered_by_key<of_a_ready_made_one>());
  EXPECT_FALSE(ordered_by_key<without_base>());
}

TEST(declared_order, overloads_and_templates_count_where_the_base_has_no_such_function) {
  EXPECT_FALSE(ordered_by_key<overloaded>());
  EXPECT_FALSE(ordered_by_key<of_any>());
  EXPECT_TRUE(ordered_by_key<key_of_any>());
  EXPECT_TRUE(ordered_by_key<key_again_below_a_template>());
  EXPECT_FALSE(ordered_by_key<order_again_below_a_template>());
  EXPECT_FALSE(ordered_by_key<inherits_a_template>());
  EXPECT_TRUE(ordered_by_key<two_templates>());
}

namespace {

// A hierarchy in which each class may declare a key, an order, both or neither. Each declaration reads a number of its own, so the
// order of the tasks shows which one counts.
struct root_class {
  std::array<std::int16_t, 12> v{};
};
enum class adds : std::uint8_t { nothing, key, order, both };

template <class Base, int Number, adds What>
struct level : Base {};
template <class Base, int Number>
struct level<Base, Number, adds::key> : Base {
  [[nodiscard]] double key(requester const&) const { return this->v[2 * Number]; }
};
template <class Base, int Number>
struct level<Base, Number, adds::order> : Base {
  [[nodiscard]] bool prioritize(level const& other, requester const&) const {
    return this->v[2 * Number + 1] < other.v[2 * Number + 1];
  }
};
template <class Base, int Number>
struct level<Base, Number, adds::both> : Base {
  [[nodiscard]] double key(requester const&) const { return this->v[2 * Number]; }
  [[nodiscard]] bool prioritize(level const& other, requester const&) const {
    return this->v[2 * Number + 1] < other.v[2 * Number + 1];
  }
};
/// `level`, below its base in the hierarchy of strategies.
template <class Base, int Number, adds What>
struct strategy_level : level<Base, Number, What> {
  using base = Base;
};

// Three of a chain, and a brother of each: the types of one hierarchy.
template <adds A, adds B, adds C, adds D>
struct hierarchy {
  using first = level<root_class, 0, A>;  // below the root
  using second = strategy_level<first, 1, B>;
  using third = strategy_level<second, 2, C>;
  using brother = strategy_level<first, 3, D>;
  using nephew = strategy_level<brother, 4, B>;
};

/// The numbers that a task holds, its type, and when it was spawned.
struct described {
  int type;
  root_class numbers;
  int id;
};
constexpr std::array<int, 5> base_of{-1, 0, 1, 0, 3};

/// Which of the numbers orders a type: of the nearest class that declares something, its key's, else its order's. -1: the root's order.
int number_of(int type, std::array<adds, 5> const& what) {
  for (int t = type; t >= 0; t = base_of[static_cast<std::size_t>(t)]) {
    adds const declares = what[static_cast<std::size_t>(t)];
    if (declares == adds::key || declares == adds::both) return 2 * t;
    if (declares == adds::order) return 2 * t + 1;
  }
  return -1;
}
bool goes_before(int type, std::array<adds, 5> const& what, described const& a, described const& b) {
  int const number = type < 0 ? -1 : number_of(type, what);
  if (number < 0) return a.id > b.id;
  auto const at = static_cast<std::size_t>(number);
  return a.numbers.v[at] < b.numbers.v[at];
}
/// The definition: the best of each type takes part in the order of its base. -1: none is left.
int best_of(int type, std::array<adds, 5> const& what, std::vector<described> const& live) {
  int best = -1;
  auto const offer = [&](int other) {
    if (other >= 0 && (best < 0 || goes_before(type, what, live[static_cast<std::size_t>(other)],
                                               live[static_cast<std::size_t>(best)])))
      best = other;
  };
  for (std::size_t i = 0; i < live.size(); ++i)
    if (live[i].type == type) offer(static_cast<int>(i));
  for (int t = 0; t < 5; ++t)
    if (base_of[static_cast<std::size_t>(t)] == type) offer(best_of(t, what, live));
  return best;
}

template <class S>
void push(ordered_store<>& store, described& task) {
  S value;
  static_cast<root_class&>(value) = task.numbers;
  ASSERT_TRUE(store.push({.task = &task, .kind = kind_of<S>(), .value = &value, .value_size = sizeof(value)}));
}

template <adds A, adds B, adds C, adds D>
void check_order(std::uint64_t seed) {
  SCOPED_TRACE(testing::Message() << "seed " << seed << ", declarations " << int(A) << int(B) << int(C) << int(D));
  using all = hierarchy<A, B, C, D>;
  constexpr std::array<adds, 5> what{A, B, C, D, B};
  std::mt19937_64 roll(seed);
  std::vector<described> tasks;
  for (int i = 0; i < 30; ++i) {
    described task{static_cast<int>(roll() % 5), {}, i};
    for (auto& n : task.numbers.v) n = static_cast<std::int16_t>(i);
    tasks.push_back(task);
  }
  for (std::size_t n = 0; n < root_class{}.v.size(); ++n)  // distinct numbers: no ties
    for (std::size_t i = tasks.size(); i-- > 1;) std::swap(tasks[i].numbers.v[n], tasks[roll() % (i + 1)].numbers.v[n]);
  ordered_store<> store(requester{.worker = worker_id{0}});
  for (described& task : tasks) {
    switch (task.type) {
      case 0: push<typename all::first>(store, task); break;
      case 1: push<typename all::second>(store, task); break;
      case 2: push<typename all::third>(store, task); break;
      case 3: push<typename all::brother>(store, task); break;
      default: push<typename all::nephew>(store, task);
    }
  }
  std::vector<described> live = tasks;
  std::vector<int> expected;
  std::vector<int> popped;
  while (!live.empty()) {
    int const best = best_of(0, what, live);  // every task is of the first type, or of one below it
    expected.push_back(live[static_cast<std::size_t>(best)].id);
    live.erase(live.begin() + best);
    taken_task t;
    ASSERT_EQ(store.pop(t), outcome::got);
    popped.push_back(static_cast<described const*>(t.task)->id);
  }
  EXPECT_EQ(popped, expected);
}

constexpr adds declarations(unsigned n, unsigned level) { return static_cast<adds>(n >> (2 * level) & 3); }
template <unsigned... N>
void check_all(std::integer_sequence<unsigned, N...>) {
  (..., [] {
    // The first class declares an order at least, else it is no strategy.
    constexpr adds first = static_cast<adds>(1 + N % 3);
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
      check_order<first, declarations(N, 0), declarations(N, 1), declarations(N, 2)>(seed * 100 + N);
  }());
}

}  // namespace

TEST(declared_order, random_hierarchies_have_the_order_of_the_definition) {
  check_all(std::make_integer_sequence<unsigned, 64>{});
}
