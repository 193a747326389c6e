// SPDX-License-Identifier: MIT
#include "skua/machine/sim/model/model_rules.hpp"

namespace skua { inline namespace v0 { namespace sim {
namespace {

using numbers = machine_numbers;

constexpr figure_rule all_rules[] = {
    {"core", "clock_ghz", need::always, &numbers::clock_ghz},
    {"core", "flops_per_ns", need::always, &numbers::flops_per_ns},
    {"core", "misses_in_flight", need::always, &numbers::misses_in_flight},
    {"core", "lines_in_flight", need::optional, &numbers::lines_in_flight},
    {"core", "hidden_share", need::share, &numbers::hidden_share},
    {"kinds", "clock_ghz", need::by_kind, nullptr, &numbers::kind_clock_ghz},
    {"kinds", "flops_per_ns", need::by_kind, nullptr, &numbers::kind_flops_per_ns},
    {"kinds", "misses_in_flight", need::by_kind, nullptr, &numbers::kind_misses_in_flight},
    {"kinds", "first_level_bytes", need::by_kind, nullptr, &numbers::kind_first_level_bytes},
    {"kinds", "private_bytes", need::by_kind, nullptr, &numbers::kind_private_bytes},
    {"kinds", "memory_core_bytes_per_ns", need::by_kind, nullptr, &numbers::kind_memory_core_bytes_per_ns},
    {"first_level_cache", "bytes", need::together, &numbers::first_level_bytes},
    {"first_level_cache", "bytes_per_ns", need::together, &numbers::first_level_bytes_per_ns},
    {"first_level_cache", "latency_ns", need::together, &numbers::first_level_latency_ns},
    {"private_cache", "bytes", need::always, &numbers::private_bytes},
    {"private_cache", "bytes_per_ns", need::always, &numbers::private_bytes_per_ns},
    {"private_cache", "latency_ns", need::always, &numbers::private_latency_ns},
    {"shared_cache", "bytes", need::always, &numbers::shared_bytes},
    {"shared_cache", "bytes_per_ns", need::always, &numbers::shared_bytes_per_ns},
    {"shared_cache", "latency_ns", need::always, &numbers::shared_latency_ns},
    {"shared_cache", "memory_bytes_per_ns", need::optional, &numbers::shared_memory_bytes_per_ns},
    {"transfer", "bytes_per_ns", need::always, &numbers::transfer_bytes_per_ns},
    {"transfer", "latency_ns", need::always, &numbers::transfer_latency_ns},
    {"memory", "bytes_per_ns", need::always, &numbers::memory_bytes_per_ns},
    {"memory", "core_bytes_per_ns", need::always, &numbers::memory_core_bytes_per_ns},
    {"memory", "write_back_bytes_per_ns", need::optional, &numbers::memory_write_back_bytes_per_ns},
    {"memory", "latency_ns", need::always, &numbers::memory_latency_ns},
    {"link", "bytes_per_ns", need::linked, nullptr, &numbers::link_bytes_per_ns},
    {"link", "core_bytes_per_ns", need::apart, nullptr, &numbers::link_core_bytes_per_ns},
    {"link", "latency_ns", need::apart, nullptr, &numbers::link_latency_ns},
    {"prices", "fork_ns", need::always, &numbers::fork_ns},
    {"prices", "spawn_ns", need::optional, &numbers::spawn_ns},
    {"prices", "compare_ns", need::optional, &numbers::compare_ns},
    {"prices", "expose_ns", need::always, &numbers::expose_ns},
    {"prices", "pop_ns", need::always, &numbers::pop_ns},
    {"prices", "steal_ns", need::always, &numbers::steal_ns},
    {"prices", "miss_ns", need::always, &numbers::miss_ns},
    {"prices", "send_ns", need::always, &numbers::send_ns},
    {"prices", "park_ns", need::always, &numbers::park_ns},
    {"prices", "resume_ns", need::always, &numbers::resume_ns},
    {"prices", "rest_ns", need::always, &numbers::rest_ns},
    {"prices", "notify_ns", need::always, &numbers::notify_ns},
    {"prices", "wake_up_ns", need::always, &numbers::wake_up_ns},
    {"prices", "fence_ns", need::optional, &numbers::fence_ns},
    {"prices", "heavy_fence_ns", need::optional, &numbers::heavy_fence_ns},
    {"prices", "heavy_fence_each_ns", need::optional, &numbers::heavy_fence_each_ns},
    {"prices", "interrupt_ns", need::optional, &numbers::interrupt_ns},
    {"prices", "steal_lines", need::always, &numbers::steal_lines},
    {"prices", "miss_lines", need::always, &numbers::miss_lines},
    {"prices", "send_lines", need::always, &numbers::send_lines},
    {"idle", "spin_ns", need::always, &numbers::spin_ns},
};

}  // namespace

std::span<figure_rule const> figure_rules() noexcept { return all_rules; }

}}}  // namespace skua::v0::sim
