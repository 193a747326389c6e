// SPDX-License-Identifier: MIT
// What each of oneTBB's headers declares on Skua: namespaces tbb and oneapi::tbb, with all of skua/as_tbb.hpp, and oneTBB's version.
// The headers themselves, tbb/parallel_for.h and so on, are made of header.in by CMakeLists.txt. docs/from-onetbb.md
#pragma once

#include "skua/as_tbb.hpp"                  // IWYU pragma: export
#include "skua/onetbb/scalable_malloc.hpp"  // IWYU pragma: export

/// The oneTBB whose interface this is: programs ask.
#define TBB_VERSION_MAJOR 2021
#define TBB_VERSION_MINOR 8
#define TBB_VERSION_PATCH 0
#define TBB_VERSION_STRING "2021.8.0"
#define TBB_INTERFACE_VERSION 12080
#define TBB_INTERFACE_VERSION_MAJOR 12
#define TBB_INTERFACE_VERSION_MINOR 80

/// Programs call parallel_for(tbb::blocked_range<int>(0, n), body) without `tbb::`: oneTBB has both in one namespace, so the argument finds the function.
namespace skua { inline namespace v0 { namespace runtime {
using v0::parallel_invoke;
using v0::tbb::parallel_deterministic_reduce;
using v0::tbb::parallel_for;
using v0::tbb::parallel_reduce;
using v0::tbb::parallel_scan;
}}}  // namespace skua::v0::runtime

/// A namespace and no alias of one: programs add to it.
namespace tbb {
using namespace ::skua::tbb;
}  // namespace tbb
namespace oneapi {
namespace tbb = ::tbb;
}  // namespace oneapi

/// The library's version at run time is that of the headers.
inline int TBB_runtime_interface_version() noexcept { return TBB_INTERFACE_VERSION; }
inline char const* TBB_runtime_version() noexcept { return TBB_VERSION_STRING; }
