// SPDX-License-Identifier: MIT
#include "skua/machine/threads/fork/fiber/worker_trace.hpp"

#include <algorithm>
#include <limits>

#include "skua/parts/context/sanitizer.hpp"
#include "skua/policy/call_choice.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

std::uint16_t in_16_bits(std::uint64_t n) noexcept {
  return static_cast<std::uint16_t>(std::min<std::uint64_t>(n, std::numeric_limits<std::uint16_t>::max()));
}

trace::kind kind_of(activity what) noexcept {
  switch (what) {
    case activity::working: return trace::kind::working;
    case activity::scheduling: return trace::kind::scheduling;
    case activity::idling: break;
  }
  return trace::kind::idling;
}

char const* name_of(task const& t) noexcept { return t.kind->name_of == nullptr ? nullptr : t.kind->name_of(t); }

}  // namespace

std::uint64_t worker_trace::id_of(tagged_entry const& t) noexcept {
  std::uint64_t const child = (t.extra & alone) != 0 ? (t.extra & ~alone) + 1 : 0;
  constexpr std::uint64_t spread = 0x9E37'79B9'7F4A'7C15;  // so that no child's number looks like another address
  return reinterpret_cast<std::uintptr_t>(t.item) ^ (child * spread);
}

void worker_trace::note(trace::event const& e) noexcept {
  tsan::unseen const of_the_worker;
  track_.note(e);
}

void worker_trace::note_activity(activity what, std::uint64_t attempts) noexcept {
  note({.what = kind_of(what), .value = attempts});
}

void worker_trace::note_sleep(std::uint64_t attempts) noexcept {
  note({.what = trace::kind::sleeping, .value = attempts});
  tsan::unseen const of_the_worker;
  track_.note_clock();
}

void worker_trace::note_task(tagged_entry const& t, lane from, std::uint64_t region) noexcept {
  tsan::unseen const of_the_worker;
  track_.note({.what = trace::kind::task_began,
               .detail = static_cast<std::uint8_t>(from),
               .count = in_16_bits(region),
               .other = track_.name(name_of(*t.item)),
               .id = id_of(t)});
}

void worker_trace::note_steal(tagged_entry const& t, lane from, worker_id victim, std::uint32_t distance) noexcept {
  note({.what = trace::kind::stolen,
        .detail = static_cast<std::uint8_t>(from),
        .count = in_16_bits(distance),
        .other = index(victim),
        .id = id_of(t)});
}

void worker_trace::note_scheduler(policies::scheduler_note const& done, std::uint64_t region) noexcept {
  tsan::unseen const of_the_worker;
  track_.note({.what = trace::kind::scheduler_changed,
               .detail = static_cast<std::uint8_t>(done.is_trial ? 1 : 0),
               .count = in_16_bits(region),
               .other = track_.name(done.scheduler),
               .id = track_.name(done.call),
               .value = done.all_lost_ns});
}

void worker_trace::note_frame(trace::kind what, frame const& f, std::uint32_t other) noexcept {
  note({.what = what, .other = other, .id = reinterpret_cast<std::uintptr_t>(static_cast<task const*>(&f))});
}

void worker_trace::note_member(task const& whole, std::uint32_t width, hint const& hinted,
                               std::uint32_t member) noexcept {
  tsan::unseen const of_the_worker;
  track_.note({.what = trace::kind::member_began,
               .detail = static_cast<std::uint8_t>(hinted.type.value_or(task_type{0}).number),
               .count = in_16_bits(width),
               .other = track_.name(name_of(whole)),
               .id = hinted.address.value_or(address{0}).fraction,
               .value = member});
}

}}}  // namespace skua::v0::runtime
