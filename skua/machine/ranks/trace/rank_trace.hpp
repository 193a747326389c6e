// SPDX-License-Identifier: MIT
// The trace of one rank's collections, if SKUA_TRACE asks for it: docs/traces.md, "Ranks". Track 0 belongs to the
// thread that uses the communicator, track n to the n-th further worker of the rank.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "skua/machine/ranks/transport/message.hpp"
#include "skua/parts/trace/trace_file.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// One worker's part. Each call is one branch without a trace.
class worker_trace {
 public:
  worker_trace() = default;
  explicit worker_trace(trace::track* track) noexcept : track_(track) {}
  [[nodiscard]] bool is_on() const noexcept { return track_ != nullptr; }

  /// From now on the worker works, or searches without success.
  void acts(trace::kind what) noexcept {
    if (track_ == nullptr || what == now_) return;
    now_ = what;
    track_->note({.what = what});
    track_->note_clock();
  }
  void note(trace::event const& e) noexcept {
    if (track_ != nullptr) track_->note(e);
  }
  /// One task, or the first of several short ones. `name` is a literal.
  void tasks_begin(char const* name, std::uint64_t number) noexcept {
    if (track_ != nullptr) track_->note({.what = trace::kind::task_began, .other = track_->name(name), .id = number});
  }
  /// This many tasks have run since.
  void tasks_end(std::uint64_t tasks) noexcept { note({.what = trace::kind::task_ended, .value = tasks}); }

 private:
  trace::track* track_ = nullptr;
  trace::kind now_ = trace::kind::none;
};

/// The distances of `stolen` in a rank's trace.
inline constexpr std::uint16_t stolen_in_rank = 0;    ///< from a worker of the rank: other is its number
inline constexpr std::uint16_t stolen_from_rank = 1;  ///< from another rank: other is its number, value how many tasks

class rank_trace {
 public:
  /// Null if SKUA_TRACE names no file. Throws usage_error if it cannot be written.
  [[nodiscard]] static std::unique_ptr<rank_trace> wanted(rank_number rank, rank_number ranks);

  rank_trace(trace::trace_options const& with);

  /// Null: the rank had fewer processors than it now has workers, and this one is not traced.
  [[nodiscard]] trace::track* track(std::uint32_t n) noexcept { return n < tracks_.size() ? &tracks_[n] : nullptr; }
  void correct_clock(std::int64_t ns) noexcept { file_->correct_clock(ns); }

 private:
  std::unique_ptr<trace::trace_file> file_;
  std::vector<trace::track> tracks_;
};

}}}  // namespace skua::v0::ranks
