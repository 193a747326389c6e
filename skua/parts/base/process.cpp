// SPDX-License-Identifier: MIT
#include "skua/parts/base/process.hpp"

#include <atomic>

#include "skua/parts/base/fork_handlers.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

// Process-wide, because fork() is.
std::atomic<std::uint32_t> generation{0};

extern "C" void skua_count_fork() { generation.fetch_add(1, std::memory_order_relaxed); }  // relaxed: a single thread
// Without memory for the handler, children look like their parents: their pools would wait for workers they lack.
[[gnu::init_priority(before_static_objects)]] fork_handlers const counts_forks{nullptr, nullptr, &skua_count_fork};

}  // namespace

std::uint32_t fork_generation() noexcept {
  return generation.load(std::memory_order_relaxed);  // relaxed: only fork() changes it
}

}}}  // namespace skua::v0::runtime
