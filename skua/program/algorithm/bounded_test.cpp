// SPDX-License-Identifier: MIT
// No algorithm looks beyond the ends of its ranges, or goes there: on iterators that refuse, and, for those that take pointers, between pages
// that nobody may touch.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "skua/program/algorithm/filter.hpp"
#include "skua/program/algorithm/for_each.hpp"
#include "skua/program/algorithm/here_test.hpp"
#include "skua/program/algorithm/merge.hpp"
#include "skua/program/algorithm/reduce.hpp"
#include "skua/program/algorithm/scan.hpp"
#include "skua/program/algorithm/sort.hpp"
#include "skua/program/algorithm/stable_sort.hpp"
#include "skua/program/algorithm/transform.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

/// A pointer that knows the range that it belongs to.
template <class T>
class bounded {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;

  bounded() = default;
  bounded(T* at, T* low, T* high) : at_(at), low_(low), high_(high) {}

  T& operator*() const {
    if (at_ < low_ || at_ >= high_) {
      ADD_FAILURE() << "it looks at element " << at_ - low_ << " of " << high_ - low_;
      return nobodys;
    }
    return *at_;
  }
  T* operator->() const { return &**this; }
  T& operator[](std::ptrdiff_t n) const { return *(*this + n); }
  bounded& operator+=(std::ptrdiff_t n) {
    std::ptrdiff_t const to = at_ - low_ + n;
    if (to < 0 || to > high_ - low_) {
      ADD_FAILURE() << "it goes to element " << to << " of " << high_ - low_;
      return *this;
    }
    at_ += n;
    return *this;
  }
  bounded& operator-=(std::ptrdiff_t n) { return *this += -n; }
  bounded& operator++() { return *this += 1; }
  bounded& operator--() { return *this += -1; }
  bounded operator++(int) { return std::exchange(*this, *this + 1); }
  bounded operator--(int) { return std::exchange(*this, *this - 1); }
  friend bounded operator+(bounded a, std::ptrdiff_t n) { return a += n; }
  friend bounded operator+(std::ptrdiff_t n, bounded a) { return a += n; }
  friend bounded operator-(bounded a, std::ptrdiff_t n) { return a -= n; }
  friend std::ptrdiff_t operator-(bounded a, bounded b) { return a.at_ - b.at_; }
  friend bool operator==(bounded a, bounded b) { return a.at_ == b.at_; }
  friend auto operator<=>(bounded a, bounded b) { return a.at_ <=> b.at_; }

 private:
  static inline T nobodys{};
  T* at_ = nullptr;
  T* low_ = nullptr;
  T* high_ = nullptr;
};
static_assert(std::random_access_iterator<bounded<int>> && !std::contiguous_iterator<bounded<int>>);

template <class T>
between<bounded<T>> bounds(std::vector<T>& of) {
  T* const low = of.data();
  T* const high = low + of.size();
  return {bounded<T>(low, low, high), bounded<T>(high, low, high)};
}

constexpr std::size_t lengths[] = {0, 1, 2, 3, 5, 16, 17, 24, 25, 26, 33, 63, 127, 128, 129, 300};
constexpr std::size_t some_grains[] = {0, 1, 3, 16, 100, 1000};

/// test(here, n, grain) for what is above.
template <class Test>
void on_lengths(Test const& test) {
  testing::on_every_here([&](auto& here) {
    for (std::size_t const n : lengths) {
      for (std::size_t const g : some_grains) {
        SCOPED_TRACE(::testing::Message() << "n " << n << ", grain " << g);
        test(here, n, grain{g});
      }
    }
  });
}

/// Of a kind that is moved without a branch, and of one that is not.
template <class T>
T made(int x) {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::to_string(100'000 + x) + " is longer than a string without memory of its own";
  } else {
    return T{x};
  }
}
/// Drawn, with few keys, in order, in the opposite order, equal.
template <class T>
std::vector<std::vector<T>> orders(std::size_t n) {
  std::vector<std::vector<T>> all(5);
  std::vector<int> const drawn = testing::numbers(n, n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    auto const x = static_cast<int>(i);
    int const keys[] = {drawn[i], drawn[i] % 3, x, -x, 7};
    for (std::size_t k = 0; k < 5; ++k) all[k].push_back(made<T>(keys[k]));
  }
  return all;
}

template <class T>
class bounded_ranges : public ::testing::Test {};
using elements = ::testing::Types<int, std::string>;
TYPED_TEST_SUITE(bounded_ranges, elements);

TYPED_TEST(bounded_ranges, are_sorted_from_within) {
  on_lengths([](auto& here, std::size_t n, grain g) {
    for (auto const& drawn : orders<TypeParam>(n)) {
      std::vector<TypeParam> expected = drawn;
      std::ranges::sort(expected);
      std::vector<TypeParam> data = drawn;
      sort(here, bounds(data), std::less<>{}, g);
      EXPECT_EQ(data, expected);
      data = drawn;
      stable_sort(here, bounds(data), std::less<>{}, g);
      EXPECT_EQ(data, expected);
    }
  });
}

TYPED_TEST(bounded_ranges, are_merged_from_within) {
  on_lengths([](auto& here, std::size_t n, grain g) {
    for (std::size_t const m : {std::size_t{0}, std::size_t{1}, n / 2, n}) {
      auto const first = orders<TypeParam>(n);
      auto const second = orders<TypeParam>(m);
      for (std::size_t k = 0; k < first.size(); ++k) {
        std::vector<TypeParam> a = first[k];
        std::vector<TypeParam> b = second[(k + m) % first.size()];
        std::ranges::sort(a);
        std::ranges::sort(b);
        std::vector<TypeParam> expected(n + m);
        std::ranges::merge(a, b, expected.begin());
        std::vector<TypeParam> out(n + m);
        auto const end = merge(here, bounds(a), bounds(b), bounds(out).begin(), std::less<>{}, g);
        EXPECT_EQ(end, bounds(out).end());
        EXPECT_EQ(out, expected);
      }
    }
  });
}

TYPED_TEST(bounded_ranges, are_read_and_written_from_within) {
  on_lengths([](auto& here, std::size_t n, grain g) {
    std::vector<TypeParam> data = orders<TypeParam>(n)[0];
    std::vector<TypeParam> out(n);
    std::size_t visited = 0;
    for_each(here, bounds(data), [&](TypeParam&) { ++visited; }, g);
    EXPECT_EQ(visited, n);
    EXPECT_EQ(transform(here, bounds(data), bounds(out).begin(), std::identity{}, g), bounds(out).end());
    EXPECT_EQ(out, data);
    auto const larger = [](TypeParam const& a, TypeParam const& b) { return a < b ? b : a; };
    std::vector<TypeParam> twice(n);
    transform(here, bounds(data), bounds(out), bounds(twice).begin(), larger, g);
    EXPECT_EQ(twice, data);
    TypeParam const least = made<TypeParam>(0);
    TypeParam const most = n == 0 ? least : std::max(least, *std::ranges::max_element(data));
    EXPECT_EQ(reduce(here, bounds(data), least, larger, std::identity{}, g), most);
    EXPECT_EQ(inclusive_scan(here, bounds(data), bounds(out).begin(), least, larger, g), most);
    EXPECT_TRUE(n == 0 || out.back() == most);
    EXPECT_EQ(exclusive_scan(here, bounds(data), bounds(out).begin(), least, larger, g), most);
    EXPECT_TRUE(n == 0 || out.front() == least);
    EXPECT_EQ(inclusive_scan(here, bounds(data), bounds(data).begin(), least, larger, g), most) << "in place";
    std::vector<TypeParam> some(
        static_cast<std::size_t>(std::ranges::count_if(data, [&](auto const& x) { return x == most; })));
    auto const end = filter(here, bounds(data), bounds(some).begin(), [&](auto const& x) { return x == most; }, g);
    EXPECT_EQ(end, bounds(some).end());
  });
}

/// Memory whose end is the end of a page, and before and behind which nobody may look.
class fenced {
 public:
  explicit fenced(std::size_t bytes) : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    inner_ = (bytes + page_ - 1) / page_ * page_;
    all_ = static_cast<std::byte*>(::mmap(nullptr, inner_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_EQ(::mprotect(all_ + page_, inner_, PROT_READ | PROT_WRITE), 0);
  }
  ~fenced() { ::munmap(all_, inner_ + 2 * page_); }
  fenced(fenced const&) = delete;
  fenced& operator=(fenced const&) = delete;
  /// n of them: at the beginning, or at the end.
  template <class T>
  T* place(std::size_t n, bool at_end) const {
    return reinterpret_cast<T*>(all_ + page_ + (at_end ? inner_ - n * sizeof(T) : 0));
  }

 private:
  std::size_t page_;
  std::size_t inner_ = 0;
  std::byte* all_ = nullptr;
};

template <class T>
class fenced_numbers : public ::testing::Test {};
using numbers_to_sort = ::testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t>;
TYPED_TEST_SUITE(fenced_numbers, numbers_to_sort);

TYPED_TEST(fenced_numbers, are_sorted_by_their_digits_from_within) {
  constexpr std::size_t sizes[] = {1023, 1024, 1025, 5000, 70'000};
  fenced const room(70'000 * sizeof(TypeParam));
  testing::on_every_here([&](auto& here) {
    for (std::size_t const n : sizes) {
      dice roll(n);
      std::vector<TypeParam> drawn(n);
      for (TypeParam& x : drawn) x = static_cast<TypeParam>(roll.next());
      std::vector<TypeParam> expected = drawn;
      std::ranges::sort(expected);
      for (bool const at_end : {false, true}) {
        auto* const data = room.template place<TypeParam>(n, at_end);
        std::memcpy(data, drawn.data(), n * sizeof(TypeParam));
        sort(here, data, data + n);
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), data)) << n;
      }
    }
  });
}

}}}}  // namespace skua::v0::runtime
