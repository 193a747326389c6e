// SPDX-License-Identifier: MIT
// The settings that a user can change without touching the program: worker count, places, pinning, policy, spin time, stack
// size. Each value remembers its source, so that an error or `skua doctor` can name it. Readers: options.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "skua/parts/base/durations.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A larger number of workers is rejected as a typing error.
inline constexpr std::uint32_t max_workers = 65'536;

/// An idle worker searches this long before it sleeps; `spin_forever` = it never sleeps.
inline constexpr std::chrono::nanoseconds spin_forever = std::chrono::nanoseconds::max();

/// Of a trace's events, unless chosen: 10^6 of them.
inline constexpr std::size_t usual_trace_bytes = std::size_t{32} << 20;
inline constexpr std::size_t max_trace_bytes = std::size_t{64} << 30;

inline constexpr std::size_t min_stack_bytes = std::size_t{16} << 10;
inline constexpr std::size_t max_stack_bytes = std::size_t{1} << 30;

/// A value and its source: "default", "code", or the name of an environment variable.
template <class T>
struct setting {
  T value{};
  std::string source = "default";

  /// Sets the program's own choice.
  void set(T chosen) {
    value = std::move(chosen);
    source = "code";
  }
  [[nodiscard]] bool chosen() const noexcept { return source != "default"; }
};

struct settings {
  setting<std::optional<std::uint32_t>> workers;  ///< unset: min(affinity mask, cgroup quota)
  setting<std::string> places;                    ///< OMP_PLACES grammar, see topology/places.hpp; empty: L3 clusters
  setting<std::optional<bool>> pin;               ///< unset: the machine decides
  setting<std::string> policy{.value = "auto"};   ///< of policy/registry.hpp, which also says what is wrong with it
  setting<std::string> partitions;                ///< a file of policy/arms/partitions.hpp; empty: from the topology
  setting<std::string> history;  ///< a file that a policy reads at the begin and writes at the end; empty: none
  setting<std::string> trace;    ///< a file for the workers' events; empty: none
  setting<std::size_t> trace_bytes{.value = usual_trace_bytes};
  setting<std::chrono::nanoseconds> spin{.value = std::chrono::microseconds{50}};
  setting<bool> count_forks{.value = false};
  setting<std::size_t> stack_bytes{.value = std::size_t{8} << 20};  ///< as a main thread has; only touched pages cost
};

}}}  // namespace skua::v0::runtime
