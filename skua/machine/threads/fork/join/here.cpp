// SPDX-License-Identifier: MIT
#include "skua/machine/threads/fork/join/here.hpp"

#include "skua/machine/threads/fork/fiber/fiber_at.hpp"
#include "skua/machine/threads/fork/fiber/worker_trace.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

static_assert(models_fork_join<here>);

void here::expect_free() const noexcept {
  if (task.load(std::memory_order_relaxed) == nullptr) return;  // relaxed: our own
  broken("precondition",
         "a task uses the `here` of another task; a child takes its own, [&](auto& here) {..}, and uses that one");
}

void note_mark(here& h, char const* name, std::uint64_t number) noexcept {
  tsan::unseen const scheduling;
  fiber_of(h).slot().trace.marks(name, number);
}

std::uint32_t begin_traced_flow(here& h) noexcept {
  tsan::unseen const scheduling;
  trace::track* const to = fiber_of(h).slot().trace.track();
  return to == nullptr ? 0 : to->next_flow();
}

std::uint32_t name_in_trace(here& h, std::string_view text) noexcept {
  tsan::unseen const scheduling;
  trace::track* const to = fiber_of(h).slot().trace.track();
  return to == nullptr ? 0 : to->name(text);
}

void note_event(here& h, trace::event const& e, char const* name) noexcept {
  tsan::unseen const scheduling;
  fiber_of(h).slot().trace.notes(e, name);
}

void note_event_at(here& h, trace::event const& e) noexcept {
  tsan::unseen const scheduling;
  fiber_of(h).slot().trace.notes_at(e);
}

}}}  // namespace skua::v0::runtime
