// SPDX-License-Identifier: MIT
#include "skua/machine/threads/join/here.hpp"

#include "skua/machine/threads/worker/worker.hpp"
#include "skua/machine/threads/worker/worker_slot.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua::inline v0::runtime {

static_assert(models_fork_join<here>);

void here::mark(char const* name, std::uint64_t number) noexcept {
  tsan::unseen const scheduling;
  at().who.traced().marks(name, number);
}

}  // namespace skua::inline v0::runtime
