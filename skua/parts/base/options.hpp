// SPDX-License-Identifier: MIT
// Reads the settings of a user (settings.hpp) from the environment:
//
// SKUA_WORKERS, SKUA_PLACES, SKUA_PIN, SKUA_POLICY, SKUA_PARTITIONS, SKUA_HISTORY, SKUA_TRACE, SKUA_TRACE_SIZE, SKUA_SPIN,
// SKUA_STACK; where the first two are unset,
// OMP_NUM_THREADS (its first number) and OMP_PLACES are read, because many job scripts set them already.
// A variable whose value is blank counts as unset.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "skua/parts/base/settings.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// From a variable's name to its value; nullopt = unset.
using environment = std::function<std::optional<std::string>(char const* name)>;

/// The environment of this process. Reads with getenv: not while another thread calls setenv.
[[nodiscard]] environment process_environment();

/// Reads the variables above. Throws usage_error that names the variable, its value and what is allowed. The values of
/// SKUA_PLACES and SKUA_POLICY are checked later, by read_places and check_policy. An OMP_ variable is ignored when its
/// SKUA_ counterpart is set.
[[nodiscard]] settings settings_from_environment(environment const& get);

// Readers of single values, also used for command lines. `name` is what the error calls the value.
// All ignore surrounding spaces and throw usage_error.

/// 1 .. max_workers, decimal digits only.
[[nodiscard]] std::uint32_t read_workers(std::string_view name, std::string_view text);
/// on, off, true, false, yes, no, 1, 0; case does not matter.
[[nodiscard]] bool read_switch(std::string_view name, std::string_view text);
/// 0, inf, or a whole number with a unit: ns, us, ms, s.
[[nodiscard]] std::chrono::nanoseconds read_duration(std::string_view name, std::string_view text);
/// Bytes, optionally with the suffix k, m or g (powers of 1024), min_stack_bytes .. max_stack_bytes.
[[nodiscard]] std::size_t read_stack_bytes(std::string_view name, std::string_view text);

/// Bytes, with a suffix as above, of all events of a trace: 64k .. 64g.
[[nodiscard]] std::size_t read_trace_bytes(std::string_view name, std::string_view text);

}}}  // namespace skua::v0::runtime
