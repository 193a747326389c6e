// SPDX-License-Identifier: MIT
#include "skua/machine/threads/face/loops.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template void run_pieces(here&, std::size_t, std::size_t, piece_limits, piece_body<here> const&);
template void run_usual_pieces(here&, std::size_t, std::size_t, piece_body<here> const&);
template void run_calls(here&, std::span<plain_call<here> const>);
template void run_fold(here&, std::size_t, std::size_t, piece_limits, fold_body<here> const&, void*);
template void loop_over<executor>(std::size_t, std::size_t, bool, piece_body<here> const&);
template void call_all<executor>(std::span<plain_call<here> const>);
template void fold_over<executor>(std::size_t, std::size_t, bool, fold_body<here> const&, void*);

}}}  // namespace skua::v0::runtime
