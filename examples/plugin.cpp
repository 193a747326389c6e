// SPDX-License-Identifier: MIT
// Skua under a library with an interface of its own, such as ParlayLib's: four functions, none of which receives a
// `here`. They run on the pool of their caller.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <utility>
#include <vector>

#include <skua/skua.hpp>

namespace library {

std::size_t num_workers() { return skua::num_workers(); }
/// 0 also for a thread outside the pool, and perhaps another number after a par_do: no index into scratch memory.
std::size_t worker_id() { return skua::this_worker() ? index(*skua::this_worker()) : 0; }

template <class Left, class Right>
void par_do(Left&& left, Right&& right) {
  skua::join(std::forward<Left>(left), std::forward<Right>(right));
}

/// granularity 0: the runtime chooses the number of iterations per task.
template <class Body>
void parallel_for(std::size_t first, std::size_t last, Body&& body, std::size_t granularity = 0) {
  skua::with_here([&](auto& here) {
    skua::for_each(here, first, last, body, granularity == 0 ? skua::automatic : skua::grain{granularity});
  });
}

}  // namespace library

/// A program that uses the library and knows nothing of Skua.
void sort(std::vector<int>::iterator first, std::vector<int>::iterator last) {
  if (last - first < 100) return std::sort(first, last);
  int const pivot = first[(last - first) / 2];
  auto const less = std::partition(first, last, [pivot](int x) { return x < pivot; });
  auto const equal = std::partition(less, last, [pivot](int x) { return x == pivot; });
  library::par_do([&] { sort(first, less); }, [&] { sort(equal, last); });
}

int main() {
  std::vector<int> numbers(200'000);
  library::parallel_for(0, numbers.size(),
                        [&](std::size_t i) { numbers[i] = static_cast<int>(i * 7919 % numbers.size()); });
  std::vector<int> expected(numbers.size());
  std::iota(expected.begin(), expected.end(), 0);

  auto shuffled = numbers;
  sort(shuffled.begin(), shuffled.end());  // on the default pool
  if (shuffled != expected) return 1;

  skua::pool three(3);
  bool const stays = three.run([&] {  // on the caller's pool
    sort(numbers.begin(), numbers.end());
    return library::num_workers() == 3 && library::worker_id() < 3 && &skua::current_pool() == &three;
  });
  if (numbers != expected || !stays) return 1;
  std::puts("sorted twice");
}
