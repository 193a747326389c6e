// SPDX-License-Identifier: MIT
#include "skua/openmp/construct_trace.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "skua/machine/threads/face/executor.hpp"
#include "skua/openmp/code_place.hpp"
#include "skua/openmp/team.hpp"

namespace skua { inline namespace v0 { namespace openmp {

std::uint64_t next_traced_number() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: a count
}

namespace {

void note(trace::kind what, construct_note const& n, std::uint64_t chunks) noexcept {
  runtime::here* const h = runtime::executor::running();
  if (h == nullptr) return;
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  note_event(*h,
             {.what = what,
              .detail = static_cast<std::uint8_t>(n.what),
              .count = static_cast<std::uint16_t>(n.members),
              .other = static_cast<std::uint32_t>(std::min(chunks, most)),
              .id = n.id,
              .value = n.value},
             n.code == nullptr ? nullptr : place_of_code(n.code));
}

}  // namespace

void note_began(construct_note const& n) noexcept { note(trace::kind::construct_began, n, 0); }
void note_ended(construct_note const& n, std::uint64_t chunks) noexcept {
  note(trace::kind::construct_ended, n, chunks);
}

void note_share(task& t, construct what, void const* code) noexcept {
  traced_task& mine = *t.traced;
  mine.iterations = mine.chunks = 0;
  mine.share = what;
  note_began({.what = what, .id = mine.id, .members = t.team->size(), .code = code, .value = t.share->loop().count});
}

void note_share_ended(task& t) noexcept {
  traced_task& mine = *t.traced;
  if (!mine.share) return;
  note_ended({.what = *mine.share, .id = mine.id, .value = mine.iterations}, mine.chunks);
  mine.share.reset();
}

void noted_task::begin(task& t, void (*function)(void*)) noexcept {
  std::uint64_t const region = t.team == nullptr ? 0 : t.team->traced(0) >> trace::member_bits;
  mine_.id = trace::id_of_member(next_traced_number(), t.number);
  t.traced = &mine_;
  note_began({.what = construct::task,
              .id = mine_.id,
              .members = t.team == nullptr ? 1 : t.team->size(),
              .code = reinterpret_cast<void const*>(function),
              .value = region});
}

}}}  // namespace skua::v0::openmp
