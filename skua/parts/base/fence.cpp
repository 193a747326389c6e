// SPDX-License-Identifier: MIT
#include "skua/parts/base/fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/clock.hpp"
#include "skua/parts/base/platform.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

enum class decision : std::uint8_t { open, asymmetric, refused, forced };

// Process-wide, because the kernel's registration is: these three mirror it.
std::atomic<decision> decided{decision::open};
std::atomic<bool> registered{false};
std::atomic<int> refusal{0};

// The smoothed time of recent heavy fences; the first guess is for a machine that is not virtual. Any thread writes it: a
// lost update loses one measurement.
std::atomic<std::uint64_t> smoothed_ns{1500};
constexpr std::uint64_t shortest_ns = 500;
constexpr std::uint64_t longest_ns = 20'000;  // a measurement that was itself interrupted counts for no more

int membarrier(int command) noexcept { return syscall(__NR_membarrier, command, 0, 0) == 0 ? 0 : errno; }

decision ask_kernel() noexcept {
  int const error = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  if (error != 0) {
    refusal.store(error, std::memory_order_relaxed);  // relaxed: published by the exchange of `decided`
    return decision::refused;
  }
  // Relaxed: a thread gets an asymmetric queue from the thread that made it, which came through here before.
  registered.store(true, std::memory_order_relaxed);
  return decision::asymmetric;
}

decision decide() noexcept {
  auto now = decided.load(std::memory_order_acquire);  // pairs with the exchange below: `refusal` is visible
  if (now != decision::open) return now;
  auto const answer = ask_kernel();
  // Release: publishes `refusal`. Acquire on failure: reads the winner's `refusal`. The first answer stays.
  if (decided.compare_exchange_strong(now, answer, std::memory_order_release, std::memory_order_acquire)) return answer;
  return now;
}

}  // namespace

fences fence_kind() noexcept { return decide() == decision::asymmetric ? fences::asymmetric : fences::full; }

std::string fence_reason() {
  switch (decide()) {
    case decision::asymmetric: return "asymmetric: owners pay no fence, thieves call membarrier(2)";
    case decision::forced: return "full: asked for";
    default: break;
  }
  int const error = refusal.load(std::memory_order_relaxed);  // relaxed: ordered by the acquire in decide()
  return "full: the kernel refused membarrier(2): " + std::generic_category().message(error);
}

void force_full_fences() noexcept {
  decided.store(decision::forced, std::memory_order_release);  // pairs with decide(); publishes nothing else
}

void heavy_fence() noexcept {
  if (!registered.load(std::memory_order_relaxed)) {  // relaxed: see ask_kernel
    full_fence();
    return;
  }
  std::uint64_t const begin = clock_ns();
  int error = membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  if (error == EPERM) {  // a kernel that does not pass the registration on to a forked child
    error = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
    if (error == 0) error = membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  }
  // Continuing without the fence would run tasks twice.
  if (error != 0) [[unlikely]]
    broken("invariant", "membarrier(2) works as long as the process that registered for it");
  std::uint64_t const took = std::clamp(clock_ns() - begin, shortest_ns, longest_ns);
  // relaxed, both: a hint.
  smoothed_ns.store((7 * smoothed_ns.load(std::memory_order_relaxed) + took) / 8, std::memory_order_relaxed);
}

heavy_fence_time::heavy_fence_time() noexcept
    : end_ns_(clock_ns() + smoothed_ns.load(std::memory_order_relaxed)) {}  // relaxed: a hint

bool heavy_fence_time::is_over() const noexcept { return clock_ns() >= end_ns_; }

}}}  // namespace skua::v0::runtime
