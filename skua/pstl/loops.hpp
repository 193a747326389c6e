// SPDX-License-Identifier: MIT
// libstdc++'s parallel backend: memory, loops and reductions. The names and parameters of the functions with underscores are
// those that libstdc++'s algorithms call.
//
// These rules hold for every function of the backend:
//  * The standard ends the process (std::terminate) if a function of the user throws; libstdc++ does so. Only std::bad_alloc
//    leaves a call: there is no memory for a buffer.
//  * A cancelled task around the algorithm does not end it: `cancelled` would end the process.
//  * A thread that waits runs no other task (isolate), so a program may hold a lock across an algorithm.
// n is the number of elements, p the number of workers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "skua/conventional.hpp"
#include "skua/machine/threads/face/isolate.hpp"
#include "skua/machine/threads/face/this_worker.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace pstl {

/// Calls f(here) on the workers that the caller would use, to its end whatever is cancelled around it, and isolated.
template <class F>
auto to_the_end(F const& f) {
  return skua::isolate([&f](here& h) {
    executor::shield const whole(h);
    return f(h);
  });
}

using offset = std::ptrdiff_t;
using offsets = blocked_range<offset>;

/// The position `by` after `first`, which is an integer or a random access iterator of any kind.
template <class Index>
Index later(Index first, offset by) {
  return static_cast<Index>(first + static_cast<decltype(first - first)>(by));
}

/// n elements in tiles of equal size, at most 8 per worker, each of at least `least` elements unless n is smaller.
struct tiling {
  tiling(offset elements, offset least) : n(elements) {
    offset const most = 8 * static_cast<offset>(num_workers());
    offset const wanted = std::clamp<offset>(n / std::max<offset>(least, 1), 1, most);
    offset const floor = n / wanted;
    size = std::max<offset>(floor + (floor * wanted < n ? 1 : 0), 1);
    count = std::max<offset>((n + size - 1) / size, 1);
    if (count > 1 && n - begin(count - 1) < least) --count;  // the last tile takes the rest
  }
  [[nodiscard]] offset begin(offset tile) const noexcept { return tile * size; }
  [[nodiscard]] offset end(offset tile) const noexcept { return tile + 1 == count ? n : (tile + 1) * size; }
  [[nodiscard]] offset smallest() const noexcept { return std::min(size, n - begin(count - 1)); }

  offset n;
  offset size = 1;
  offset count = 1;
};

/// Memory for n elements, which are neither constructed nor destroyed. Throws std::bad_alloc.
template <class T>
class __buffer {
 public:
  explicit __buffer(std::size_t n) : n_(n), memory_(std::allocator<T>().allocate(n)) {}
  ~__buffer() { std::allocator<T>().deallocate(memory_, n_); }
  __buffer(__buffer const&) = delete;
  __buffer& operator=(__buffer const&) = delete;

  explicit operator bool() const noexcept { return memory_ != nullptr; }
  [[nodiscard]] T* get() const noexcept { return memory_; }

 private:
  std::size_t n_;
  T* memory_;
};

/// An algorithm has found what it looks for. It also keeps that in a flag of its own, which the pieces that remain read.
inline void __cancel_execution() noexcept {}

/// Calls body(i, j) for pieces [i, j) of [first, last). Work O(n), span O(log p + n / p).
template <class Policy, class Index, class Body>
void __parallel_for(Policy&&, Index first, Index last, Body body) {
  auto const n = static_cast<offset>(last - first);
  if (n <= 0) return;
  to_the_end([&](here&) {
    skua::parallel_for(offsets(0, n), [&](offsets const& r) { body(later(first, r.begin()), later(first, r.end())); });
  });
}

/// Joins fold(i, j, identity) of pieces [i, j) of [first, last) in their order. Work O(n), span O(log p + n / p).
template <class Policy, class Value, class Index, class Fold, class Join>
Value __parallel_reduce(Policy&&, Index first, Index last, Value const& identity, Fold const& fold, Join const& join) {
  auto const n = static_cast<offset>(last - first);
  if (n <= 0) return identity;
  return to_the_end([&](here&) -> Value {
    return skua::parallel_reduce(
        offsets(0, n), identity,
        [&](offsets const& r, Value const& before) -> Value {
          return fold(later(first, r.begin()), later(first, r.end()), before);
        },
        [&](Value const& left, Value const& right) -> Value { return join(left, right); });
  });
}

/// Joins `init` and unary(i) for i in [first, last) in their order, where fold(i, j, value) joins `value` and those of
/// [i, j). There is no identity, and only what `join` returns converts to Value: so each tile begins with two elements.
/// Work O(n), span O(p + n / p).
template <class Policy, class Index, class Unary, class Value, class Join, class Fold>
Value __parallel_transform_reduce(Policy&&, Index first, Index last, Unary unary, Value init, Join join, Fold fold) {
  auto const n = static_cast<offset>(last - first);
  if (n <= 0) return init;
  return to_the_end([&](here&) -> Value {
    tiling const tiles(n, 2);
    auto const values = std::make_unique<std::optional<Value>[]>(static_cast<std::size_t>(tiles.count));
    skua::parallel_for(offset{0}, tiles.count, [&](offset t) {
      Index const i = later(first, tiles.begin(t));
      Index const end = later(first, tiles.end(t));
      auto& value = values[static_cast<std::size_t>(t)];
      if (t == 0) {
        value.emplace(fold(i, end, std::move(init)));
      } else {
        value.emplace(fold(later(i, 2), end, Value(join(unary(i), unary(later(i, 1))))));
      }
    });
    for (offset t = 1; t < tiles.count; ++t)
      values[0].emplace(join(std::move(*values[0]), std::move(*values[static_cast<std::size_t>(t)])));
    return std::move(*values[0]);
  });
}

template <class Policy, class F, class G>
void __parallel_invoke(Policy&&, F&& f, G&& g) {
  to_the_end([&](here&) { skua::parallel_invoke([&] { f(); }, [&] { g(); }); });
}

}}}}  // namespace skua::v0::runtime::pstl
