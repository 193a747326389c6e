// SPDX-License-Identifier: MIT
// The calls of a policy never touch the heap: the allocator of this test program counts.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "skua/parts/base/dice.hpp"
#include "skua/policy/combinations_for_test.hpp"
#include "skua/policy/script_for_test.hpp"

namespace {
std::uint64_t allocations = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  std::size_t const rounded = (bytes + alignment - 1) / alignment * alignment;
  if (void* const p = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded)) return p;
  throw std::bad_alloc{};
}
}  // namespace

// Out of line: where the compiler inlines only one of the two, it calls them a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t a) {
  return counted(bytes, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace skua { inline namespace v0 { namespace policies { namespace {

TEST(no_heap, calls_do_not_allocate) {
  for (std::string const& name : testing::whole_policies()) {
    std::uint64_t const at_start = allocations;
    auto const p = make_policy(name, layout(topology::synthetic("package:4 core:16")), 11);
    EXPECT_GT(allocations, at_start) << "the counter counts";

    runtime::dice script(5);
    task_tag parent{};
    std::uint64_t const before = allocations;
    for (std::uint32_t i = 0; i < 100'000; ++i) {
      worker_policy& m = p->of_worker(worker_id{i % 64});
      probe const asked = m.next_probe();
      m.learn(probed{asked, static_cast<runtime::outcome>(script.below(4))});
      m.learn(ended{.task = {}, .duration_ns = i});
      parent = m.mark(parent, as_hint(work{1.0}));
      auto const why = static_cast<cause>(script.below(7));
      if (why != cause::refused) m.place(parent, why);  // only after a placement in a slot
    }
    EXPECT_EQ(allocations, before) << name;
  }
}

}}}}  // namespace skua::v0::policies
