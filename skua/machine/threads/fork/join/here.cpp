// SPDX-License-Identifier: MIT
#include "skua/machine/threads/fork/join/here.hpp"

#include "skua/machine/threads/fork/fiber/fiber_at.hpp"
#include "skua/machine/threads/fork/fiber/worker_trace.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

static_assert(models_fork_join<here>);

void here::mark(char const* name, std::uint64_t number) noexcept {
  tsan::unseen const scheduling;
  at().trace.marks(name, number);
}

std::uint32_t here::begin_traced_flow() noexcept {
  tsan::unseen const scheduling;
  trace::track* const to = at().trace.track();
  return to == nullptr ? 0 : to->next_flow();
}

std::uint32_t here::name_in_trace(std::string_view text) noexcept {
  tsan::unseen const scheduling;
  trace::track* const to = at().trace.track();
  return to == nullptr ? 0 : to->name(text);
}

void here::note(trace::event const& e, char const* name) noexcept {
  tsan::unseen const scheduling;
  at().trace.notes(e, name);
}

void here::note_at(trace::event const& e) noexcept {
  tsan::unseen const scheduling;
  at().trace.notes_at(e);
}

}}}  // namespace skua::v0::runtime
