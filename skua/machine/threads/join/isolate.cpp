// SPDX-License-Identifier: MIT
#include "skua/machine/threads/join/isolate.hpp"

#include "skua/machine/threads/worker/worker.hpp"
#include "skua/machine/threads/worker/worker_slot.hpp"

namespace skua::inline v0::runtime {

isolated_section::isolated_section(fiber& f) noexcept : tied_(f), fiber_(f), was_isolated_(f.isolate(true)) {
  fiber_.at().keep_groups(true);
  if (!was_isolated_) fiber_.at().who.isolation().set();
}

isolated_section::~isolated_section() {
  if (!was_isolated_) fiber_.at().who.isolation().clear();
  fiber_.isolate(was_isolated_);
  fiber_.at().keep_groups(was_isolated_);
}

}  // namespace skua::inline v0::runtime
