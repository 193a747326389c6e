// SPDX-License-Identifier: MIT
// For tests of deques: entries that are numbers, and the kinds of fences that this machine has.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "skua/parts/base/fence.hpp"
#include "skua/parts/queue/ring.hpp"

namespace skua { inline namespace v0 { namespace testing {

/// The entry `id` is as_task(id) with extra_of(id).
inline void* as_task(std::uint64_t id) { return reinterpret_cast<void*>(id); }
inline std::uint64_t id_of(runtime::entry e) { return reinterpret_cast<std::uintptr_t>(e.task); }
constexpr std::uint64_t extra_of(std::uint64_t id) { return ~id * 3; }

/// What a test of deques runs with in turn.
inline std::vector<runtime::fences> fence_kinds() {
  std::vector<runtime::fences> all{runtime::fences::full};
  if (runtime::fence_kind() == runtime::fences::asymmetric) all.push_back(runtime::fences::asymmetric);
  return all;
}
inline std::string name_of_fences(::testing::TestParamInfo<runtime::fences> const& each) {
  return each.param == runtime::fences::full ? "full" : "asymmetric";
}

}}}  // namespace skua::v0::testing
