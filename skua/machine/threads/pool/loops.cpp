// SPDX-License-Identifier: MIT
#include "skua/machine/threads/pool/loops.hpp"

namespace skua::runtime {

template void run_pieces(runtime::here&, std::size_t, std::size_t, halving, piece_body<runtime::here> const&);
template void run_calls(runtime::here&, std::span<plain_call<runtime::here> const>);
template void run_fold(runtime::here&, std::size_t, std::size_t, halving, fold_body<runtime::here> const&, void*);
template void loop_over<runtime::executor>(std::size_t, std::size_t, bool, piece_body<runtime::here> const&);
template void call_all<runtime::executor>(std::span<plain_call<runtime::here> const>);
template void fold_over<runtime::executor>(std::size_t, std::size_t, bool, fold_body<runtime::here> const&, void*);

}  // namespace skua::runtime
