// SPDX-License-Identifier: MIT
// One worker's events while a trace is being written: a ring in the mapped file. States and invariants: trace.md.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "skua/parts/base/platform.hpp"
#include "skua/parts/trace/event.hpp"
#include "skua/parts/trace/trace_format.hpp"

namespace skua { inline namespace v0 { namespace trace {

class trace_file;

/// Null when nothing is traced: ask `is_on` first, off the hot path. A copy writes the same track.
class track {
 public:
  track() = default;
  track(trace_file& whole, track_control& control, event* ring, std::uint64_t capacity) noexcept
      : whole_(&whole), control_(&control), ring_(ring), mask_(capacity - 1) {}

  [[nodiscard]] bool is_on() const noexcept { return ring_ != nullptr; }

  /// Adds an event with the present time. For the one writer, while `is_on`. 10 to 20 ns, most of it the clock.
  void note(event e) noexcept {
    e.ticks = runtime::processor_ticks();
    note_at(e);
  }
  /// The same with the event's own time (virtual, or taken before).
  void note_at(event const& e) noexcept {
    std::uint64_t const head = control_->head;
    ring_[head & mask_] = e;
    std::atomic_signal_fence(std::memory_order_release);  // release: "head last"; the reader comes after this process
    control_->head = head + 1;
  }

  /// The position of a name, to be used as `other`. A text is known by its address, so it must outlive the trace.
  /// Usually some nanoseconds; takes a lock the first time that this track meets the name.
  [[nodiscard]] std::uint32_t name(char const* text) noexcept {
    if (text == nullptr) return 0;
    std::size_t const home = reinterpret_cast<std::uintptr_t>(text) >> 4;
    known_name const& slot = known_[home % known_.size()];
    return slot.text == text ? slot.position : find_or_look_up(text, home);
  }
  /// The same for a text that need not live on. Takes a lock.
  [[nodiscard]] std::uint32_t name(std::string_view text) noexcept;
  /// A number for a run of a flow, which no other one of this trace has.
  [[nodiscard]] std::uint32_t next_flow() noexcept;

  /// Two clock readings that belong together, for a reader of a trace that never ended. About 40 ns.
  void note_clock() noexcept;

 private:
  struct known_name {
    char const* text = nullptr;
    std::uint32_t position = 0;
  };
  /// Slots in which a name may be, so that names that share one do not evict each other.
  static constexpr std::size_t reach = 4;
  [[nodiscard]] std::uint32_t find_or_look_up(char const* text, std::size_t home) noexcept;

  trace_file* whole_ = nullptr;
  track_control* control_ = nullptr;
  event* ring_ = nullptr;
  std::uint64_t mask_ = 0;
  std::array<known_name, 64> known_{};
};

}}}  // namespace skua::v0::trace
