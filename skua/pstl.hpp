// SPDX-License-Identifier: MIT
// The C++ standard's parallel algorithms, std::sort(std::execution::par, ..) and the others, on Skua's workers: a parallel
// backend for libstdc++ in place of oneTBB's, so programs need no libtbb. docs/parallel-algorithms.md
//
//     #include <skua/pstl.hpp>   // before <execution>, in every source that includes <execution>
//     #include <execution>
//
// or, with the sources as they are, the compiler's option `-include skua/pstl.hpp`.
//
// libstdc++ names what it wants of a backend in pstl/parallel_backend.h. This header defines the include guard of that file
// and declares the namespace alias that the file declares.
#pragma once

#include <version>

#ifndef __GLIBCXX__
#error "skua/pstl.hpp: this is not libstdc++; only its parallel algorithms can use Skua"
#endif
#ifdef _PSTL_PARALLEL_BACKEND_H
#error "skua/pstl.hpp: include it before <execution>, which has already chosen another backend"
#else
#define _PSTL_PARALLEL_BACKEND_H

#include "skua/pstl/loops.hpp"
#include "skua/pstl/scan.hpp"
#include "skua/pstl/sort.hpp"

// Two headers that oneTBB's backend includes, and libstdc++'s algorithms rely on.
#include <algorithm>

#include <pstl/parallel_backend_utils.h>

namespace __pstl {
namespace __par_backend = ::skua::runtime::pstl;
}  // namespace __pstl
#endif
