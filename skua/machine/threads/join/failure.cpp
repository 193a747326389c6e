// SPDX-License-Identifier: MIT
// How a fiber begins to watch a stop token, and what a requested stop does.
#include "skua/machine/threads/join/failure.hpp"

#include "skua/machine/threads/pool/region.hpp"
#include "skua/machine/threads/worker/worker_slot.hpp"

namespace skua::inline v0::runtime {

stop_scope::stop_scope(fiber& f, std::stop_token const& token)
    : fiber_(f), token_(token), node_{f.watching(), nullptr, &token_}, on_stop_(token_, alarm{f.at().in}) {
  fiber_.watch(&node_);
}

void stop_scope::alarm::operator()() const noexcept { in.request_attention(); }

}  // namespace skua::inline v0::runtime
