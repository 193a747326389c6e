// SPDX-License-Identifier: MIT
// Ids of workers and places. Each is its own type, so that a worker cannot be passed for a place.
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 { namespace runtime {

/// A worker of a pool, 0 .. workers-1. Neighbours in the topology have neighbouring numbers.
enum class worker_id : std::uint32_t {};

/// A place of the topology (by default an L3 cluster), 0 .. places-1.
enum class place_id : std::uint32_t {};

/// "Nowhere in particular": unsets a place hint.
inline constexpr place_id anywhere{0xffff'ffffU};

constexpr std::uint32_t index(worker_id w) noexcept { return static_cast<std::uint32_t>(w); }
constexpr std::uint32_t index(place_id p) noexcept { return static_cast<std::uint32_t>(p); }

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::anywhere;
using runtime::place_id;
using runtime::worker_id;

}}  // namespace skua::v0
