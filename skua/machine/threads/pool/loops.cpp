// SPDX-License-Identifier: MIT
#include "skua/machine/threads/pool/loops.hpp"

namespace skua::runtime {

template void run_pieces(threads::here&, std::size_t, std::size_t, halving, piece_body<threads::here> const&);
template void run_calls(threads::here&, std::span<plain_call<threads::here> const>);
template void run_fold(threads::here&, std::size_t, std::size_t, halving, fold_body<threads::here> const&, void*);
template void loop_over<threads::venue>(std::size_t, std::size_t, bool, piece_body<threads::here> const&);
template void call_all<threads::venue>(std::span<plain_call<threads::here> const>);
template void fold_over<threads::venue>(std::size_t, std::size_t, bool, fold_body<threads::here> const&, void*);

}  // namespace skua::runtime
