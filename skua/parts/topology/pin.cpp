// SPDX-License-Identifier: MIT
#include "skua/parts/topology/pin.hpp"

#include <system_error>

#include "skua/parts/topology/affinity.hpp"

namespace skua { inline namespace v0 { namespace runtime {

pin_result may_pin(layout const& where, bool asked) {
  if (!asked) return {.outcome = pinning::not_asked, .why = "pinning is off"};
  if (!where.is_this_system())
    return {.outcome = pinning::pointless, .why = "the topology is not that of this machine"};
  if (where.oversubscribed()) return {.outcome = pinning::pointless, .why = "there are more workers than PUs"};
  if (!where.can_bind()) return {.outcome = pinning::refused, .why = "this system cannot bind threads to PUs"};
  return {.outcome = pinning::pinned, .why = "one worker per PU"};
}

pin_result pin_this_thread(layout const& where, worker_id w, bool asked) {
  pin_result const intent = may_pin(where, asked);
  if (intent.outcome != pinning::pinned) return intent;
  std::uint32_t const pu = where.pu_of(w);
  cpu_mask only;
  only.insert(pu);
  if (std::error_code const fault = bind_this_thread(only)) {
    return {.outcome = pinning::refused, .why = "the kernel refused PU " + std::to_string(pu) + ": " + fault.message()};
  }
  return {.outcome = pinning::pinned, .why = "pinned to PU " + std::to_string(pu)};
}

}}}  // namespace skua::v0::runtime
