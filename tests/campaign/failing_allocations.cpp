// SPDX-License-Identifier: MIT
// A file of its own: where the compiler sees both `new` and `delete` it warns that they do not match.
#include "tests/campaign/failing_allocations.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::uint32_t> failing{0};

bool fails_now() noexcept {
  std::uint32_t const every = failing.load(std::memory_order_relaxed);  // relaxed: set between programs
  thread_local std::uint32_t made = 0;
  return every != 0 && ++made % every == 0;
}

}  // namespace

void skua::testing::fail_allocations(std::uint32_t every) noexcept {
  failing.store(every, std::memory_order_relaxed);  // relaxed: as above
}

void* operator new(std::size_t bytes) {
  void* const got = fails_now() ? nullptr : std::malloc(bytes);
  if (got == nullptr) throw std::bad_alloc{};
  return got;
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
