// SPDX-License-Identifier: MIT
#include "skua/machine/threads/face/isolate.hpp"

#include "skua/machine/threads/engine/core/worker.hpp"
#include "skua/machine/threads/engine/core/worker_slot.hpp"

namespace skua { inline namespace v0 { namespace runtime {

isolated_section::isolated_section(fiber& f) noexcept : tied_(f), fiber_(f), was_isolated_(f.isolate(true)) {
  fiber_.slot().keep_groups(true);
  if (!was_isolated_) slot_of(fiber_).worker.isolation().set();
}

isolated_section::~isolated_section() {
  if (!was_isolated_) slot_of(fiber_).worker.isolation().clear();
  fiber_.isolate(was_isolated_);
  fiber_.slot().keep_groups(was_isolated_);
}

}}}  // namespace skua::v0::runtime
