// SPDX-License-Identifier: MIT
// Writes a worker's events to the trace of its pool, if there is one. Without a trace each call costs a branch; no call is on
// the path of a fork or of a leaf. Meaning of the events: skua/parts/trace/event.hpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "skua/machine/threads/fork/fiber/frame.hpp"
#include "skua/machine/threads/fork/group/group.hpp"
#include "skua/machine/threads/lane/policy_words.hpp"
#include "skua/machine/threads/lane/time_account.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/trace/trace_file.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// For the thread that works as this worker: its own, or a caller in its place.
class worker_trace {
 public:
  /// Before the worker runs; `to` outlives it.
  void write_to(trace::track const& to) noexcept { track_ = to; }
  [[nodiscard]] trace::track* track() noexcept { return track_.is_on() ? &track_ : nullptr; }

  /// The worker's activity is this one from now on.
  void begins(activity what, std::uint64_t attempts) noexcept {
    idles_.store(what == activity::idling, std::memory_order_relaxed);  // relaxed: the worker's own
    if (track_.is_on()) [[unlikely]]
      note_activity(what, attempts);
  }
  /// Call it when a search has failed while the worker was `scheduling`.
  void finds_nothing(std::uint64_t attempts) noexcept {
    if (!idles_.load(std::memory_order_relaxed)) begins(activity::idling, attempts);  // relaxed: the worker's own
  }
  void sleeps(std::uint64_t attempts) noexcept {
    if (track_.is_on()) [[unlikely]]
      note_sleep(attempts);
  }

  void task_begins(tagged_entry const& t, lane from, std::uint64_t region) noexcept {
    if (track_.is_on()) [[unlikely]]
      note_task(t, from, region);
  }
  void task_ends() noexcept {
    if (track_.is_on()) [[unlikely]]
      note({.what = trace::kind::task_ended});
  }
  void steals(tagged_entry const& t, lane from, worker_id victim, std::uint32_t distance) noexcept {
    if (track_.is_on()) [[unlikely]]
      note_steal(t, from, victim, distance);
  }
  void changes_scheduler(policies::scheduler_note const& done, std::uint64_t region) noexcept {
    if (track_.is_on()) [[unlikely]]
      note_scheduler(done, region);
  }
  void loses(worker_id victim) noexcept {
    if (track_.is_on()) [[unlikely]]
      note({.what = trace::kind::lost, .other = index(victim)});
  }
  void sends(std::uint64_t entry_id, placement const& to) noexcept {
    if (track_.is_on()) [[unlikely]]
      note({.what = trace::kind::sent,
            .detail = static_cast<std::uint8_t>(to.lane),
            .other = index(to.worker),
            .id = entry_id});
  }
  void exposes(std::uint64_t children) noexcept {
    if (track_.is_on()) [[unlikely]]
      note({.what = trace::kind::exposed, .value = children});
  }
  void parks(frame const& f) noexcept {
    if (track_.is_on()) [[unlikely]]
      note_frame(trace::kind::parked, f, 0);
  }
  void moves(frame const& f, worker_id to) noexcept {
    if (track_.is_on()) [[unlikely]]
      note_frame(trace::kind::moved, f, index(to));
  }
  void resumes(frame const& f) noexcept {
    if (track_.is_on()) [[unlikely]]
      note_frame(trace::kind::resumed, f, 0);
  }
  void call_begins(char const* name) noexcept {
    if (track_.is_on()) [[unlikely]]
      note({.what = trace::kind::called, .other = track_.name(name)});
  }
  void call_ends() noexcept {
    if (track_.is_on()) [[unlikely]]
      note({.what = trace::kind::left});
  }
  void member_begins(task const& whole, std::uint32_t width, hint const& hinted, std::uint32_t member) noexcept {
    if (track_.is_on()) [[unlikely]]
      note_member(whole, width, hinted, member);
  }
  void member_ends() noexcept {
    if (track_.is_on()) [[unlikely]]
      note({.what = trace::kind::member_ended});
  }
  void marks(char const* name, std::uint64_t number) noexcept {
    if (track_.is_on()) [[unlikely]]
      note({.what = trace::kind::mark, .other = track_.name(name), .value = number});
  }

  /// Writes an event of a flow's node, with the name `name` unless that is null.
  void notes(trace::event e, char const* name) noexcept {
    if (!track_.is_on()) return;  // a guest has no track
    if (name != nullptr) e.other = track_.name(name);
    track_.note(e);
  }
  /// The same at the event's own time.
  void notes_at(trace::event const& e) noexcept {
    if (track_.is_on()) track_.note_at(e);
  }

  /// The id of a lane's entry in traces: the address of its task, combined with the number of the child that it stands for.
  [[nodiscard]] static std::uint64_t id_of(tagged_entry const& t) noexcept;

 private:
  [[gnu::cold, gnu::noinline]] void note(trace::event const& e) noexcept;
  [[gnu::cold, gnu::noinline]] void note_activity(activity what, std::uint64_t attempts) noexcept;
  [[gnu::cold, gnu::noinline]] void note_sleep(std::uint64_t attempts) noexcept;
  [[gnu::cold, gnu::noinline]] void note_task(tagged_entry const& t, lane from, std::uint64_t region) noexcept;
  [[gnu::cold, gnu::noinline]] void note_steal(tagged_entry const& t, lane from, worker_id victim,
                                               std::uint32_t distance) noexcept;
  [[gnu::cold, gnu::noinline]] void note_member(task const& whole, std::uint32_t width, hint const& hinted,
                                                std::uint32_t member) noexcept;
  [[gnu::cold, gnu::noinline]] void note_scheduler(policies::scheduler_note const& done, std::uint64_t region) noexcept;
  [[gnu::cold, gnu::noinline]] void note_frame(trace::kind what, frame const& f, std::uint32_t other) noexcept;

  trace::track track_;
  std::atomic<bool> idles_{
      false};  ///< atomic because flows that take turns on a worker write it, which ThreadSanitizer takes for races
};

}}}  // namespace skua::v0::runtime
