// SPDX-License-Identifier: MIT
// Makes a run of mixed programs that fails smaller for as long as it goes on to fail, so that people can read it: greedily, as
// QuickCheck and delta debugging do.
#pragma once

#include <cstddef>
#include <functional>

#include "tests/mixed/mixed_runs.hpp"

namespace skua { inline namespace v0 { namespace testing {

/// Fewer programs, then fewer callers and workers and a plainer policy, then smaller programs: a step becomes one of its children or a
/// leaf, loses a child, or leaves less to chance. `fails` is asked of each candidate, and should try it more than once, because failures
/// depend on schedules. The result has failed, and none that is one step smaller has when it was asked; it names its programs (`these`).
/// `goes_on` is asked between candidates.
[[nodiscard]] mixed_run shrunk(mixed_run failing, std::function<bool(mixed_run const&)> const& fails,
                               std::function<bool()> const& goes_on);

/// Steps of all its programs, once each.
[[nodiscard]] std::size_t steps_of(mixed_run const& r);

}}}  // namespace skua::v0::testing
