// SPDX-License-Identifier: MIT
// The frames of a pool that wait, for the report of a stall (engine/stall/stall.md). Kept only while somebody asks for that report.
#pragma once

#include <cstdint>
#include <mutex>

#include "skua/machine/threads/fork/fiber/frame.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class parked_frames {
 public:
  /// Before the frame can be resumed. Any worker.
  void add(frame& f) noexcept {
    std::lock_guard const hold(changing_);
    ++moves_;
    f.noted.later = first_;
    if (first_ != nullptr) first_->noted.earlier = &f;
    first_ = &f;
  }
  /// Before the frame goes on.
  void remove(frame& f) noexcept {
    std::lock_guard const hold(changing_);
    ++moves_;
    (f.noted.earlier != nullptr ? f.noted.earlier->noted.later : first_) = f.noted.later;
    if (f.noted.later != nullptr) f.noted.later->noted.earlier = f.noted.earlier;
  }
  /// How many were added and removed.
  [[nodiscard]] std::uint64_t moves() noexcept {
    std::lock_guard const hold(changing_);
    return moves_;
  }
  /// visit(frame const&), the latest first. None of them goes on meanwhile.
  template <class Visit>
  void each(Visit&& visit) {
    std::lock_guard const hold(changing_);
    for (frame const* f = first_; f != nullptr; f = f->noted.later) visit(*f);
  }

 private:
  std::mutex changing_;
  frame* first_ = nullptr;
  std::uint64_t moves_ = 0;
};

}}}  // namespace skua::v0::runtime
