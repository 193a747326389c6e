// SPDX-License-Identifier: MIT
// What a policy has measured, in a form that outlives its region. [arms-2021 3.3]
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "skua/parts/base/ids.hpp"
#include "skua/policy/call_choice.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// How long tasks of a type take, with the data at an address, on the workers leader .. leader + width - 1.
struct known_time {
  std::uint32_t type = 0;
  runtime::address address{};
  worker_id leader{};
  std::uint16_t width = 1;
  std::uint64_t ns = 0;
  friend constexpr bool operator==(known_time const&, known_time const&) = default;
};

struct known_times {
  std::string_view source;  ///< names the times in errors
  std::span<known_time const> all;
  std::span<call_choice const> calls = {};
};

}}}  // namespace skua::v0::policies
