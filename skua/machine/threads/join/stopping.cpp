// SPDX-License-Identifier: MIT
#include "skua/machine/threads/join/stopping.hpp"

#include "skua/machine/threads/pool/region.hpp"
#include "skua/machine/threads/worker/worker_slot.hpp"

namespace skua::runtime {

stop_scope::stop_scope(fiber& s, std::stop_token const& token)
    : fiber_(s), token_(token), node_{s.watching(), nullptr, &token_, nullptr}, on_stop_(token_, alarm{s.at().in}) {
  fiber_.watch(&node_);
}

void stop_scope::alarm::operator()() const noexcept { in.request_attention(); }

}  // namespace skua::runtime
