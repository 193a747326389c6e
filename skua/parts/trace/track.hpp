// SPDX-License-Identifier: MIT
// One worker's events while a trace is being written: a ring in the mapped file. States and invariants: trace.md.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "skua/parts/base/platform.hpp"
#include "skua/parts/trace/event.hpp"
#include "skua/parts/trace/trace_format.hpp"

namespace skua::inline v0::trace {

class trace_file;

/// Null when nothing is traced: ask `is_on` first, off the hot path. A copy writes the same track.
class track {
 public:
  track() = default;
  track(trace_file& in, track_control& control, event* ring, std::uint64_t capacity) noexcept
      : in_(&in), control_(&control), ring_(ring), mask_(capacity - 1) {}

  [[nodiscard]] bool is_on() const noexcept { return ring_ != nullptr; }

  /// Adds an event with the present time. For the one writer, while `is_on`. 10 to 20 ns, most of it the clock.
  void note(event e) noexcept {
    e.ticks = runtime::processor_ticks();
    note_at(e);
  }
  /// The same with the event's own time (virtual, or taken before).
  void note_at(event const& e) noexcept {
    std::uint64_t const at = control_->head;
    ring_[at & mask_] = e;
    std::atomic_signal_fence(std::memory_order_release);  // release: "head last"; the reader comes after this process
    control_->head = at + 1;
  }

  /// The position of a name, to be used as `other`. A text is known by its address, so it must outlive the trace.
  /// Usually some nanoseconds; takes a lock the first time that this track meets the name.
  [[nodiscard]] std::uint32_t name(char const* text) noexcept {
    if (text == nullptr) return 0;
    known_name& slot = known_[(reinterpret_cast<std::uintptr_t>(text) >> 4) % known_.size()];
    if (slot.text != text) slot = {text, look_up(text)};
    return slot.position;
  }

  /// Two clock readings that belong together, for a reader of a trace that never ended. About 40 ns.
  void note_clock() noexcept;

 private:
  struct known_name {
    char const* text = nullptr;
    std::uint32_t position = 0;
  };
  [[nodiscard]] std::uint32_t look_up(char const* text) noexcept;

  trace_file* in_ = nullptr;
  track_control* control_ = nullptr;
  event* ring_ = nullptr;
  std::uint64_t mask_ = 0;
  std::array<known_name, 64> known_{};
};

}  // namespace skua::inline v0::trace
