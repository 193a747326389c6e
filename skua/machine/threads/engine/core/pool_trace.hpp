// SPDX-License-Identifier: MIT
// The trace of a pool: where it goes and how it describes the pool. Format: skua/parts/trace/trace.md.
#pragma once

#include <memory>

#include "skua/parts/base/settings.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/parts/trace/trace_file.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A trace for the workers of `map`, with one track more for other threads. Its file is the one that was chosen; in a rank of
/// an MPI job, which is known by the variables that its launcher sets, with ".RANK" behind it. Throws usage_error if it
/// cannot be written.
[[nodiscard]] std::unique_ptr<trace::trace_file> open_trace(settings const& chosen, layout const& map);

}}}  // namespace skua::v0::runtime
