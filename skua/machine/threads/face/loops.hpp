// SPDX-License-Identifier: MIT
// The common part of loops, reductions and parallel_invoke (program/pieces.hpp) on threads, compiled once, in
// loops.cpp. Programs compile the code that watches a token themselves (parts/context/stop_listener.hpp).
#pragma once

#include <cstddef>
#include <span>

#include "skua/machine/threads/face/executor.hpp"
#include "skua/machine/threads/fork/join/here.hpp"
#include "skua/program/pieces.hpp"

namespace skua { inline namespace v0 { namespace runtime {

extern template void run_pieces(here&, std::size_t, std::size_t, piece_limits, piece_body<here> const&);
extern template void run_usual_pieces(here&, std::size_t, std::size_t, piece_body<here> const&);
extern template void run_calls(here&, std::span<plain_call<here> const>);
extern template void run_fold(here&, std::size_t, std::size_t, piece_limits, fold_body<here> const&, void*);
extern template void loop_over<executor>(std::size_t, std::size_t, bool, piece_body<here> const&);
extern template void call_all<executor>(std::span<plain_call<here> const>);
extern template void fold_over<executor>(std::size_t, std::size_t, bool, fold_body<here> const&, void*);

}}}  // namespace skua::v0::runtime
