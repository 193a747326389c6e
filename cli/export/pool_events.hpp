// SPDX-License-Identifier: MIT
// The events of one trace, one after the other, as slices, points and arrows of a timeline. Used by stays.cpp only.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cli/export/timeline.hpp"
#include "skua/parts/trace/trace_reader.hpp"

namespace skua::cli {

/// A message between ranks, until its other half is found in another trace.
struct half_message {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint8_t what = 0;
  std::uint64_t number = 0;
  std::size_t point = 0;
};

/// Tasks that one rank got from another, until the victim's trace is found.
struct steal_from_rank {
  std::uint32_t victim = 0;  ///< a rank
  std::uint32_t thief = 0;
  std::size_t point = 0;  ///< at the thief
  std::uint64_t at_ns = 0;
  std::optional<std::size_t> reply;  ///< the message that brought them: in received()
};

class pool_events {
 public:
  /// Adds the pool's rows to `out`. `offset_ns` is added to all times.
  pool_events(timeline& out, trace::trace_data const& from, std::uint32_t pool, std::uint64_t offset_ns);

  /// The next event, in the order of time over all tracks.
  void take(std::uint32_t track, trace::event const& e);
  /// Closes what is open.
  void finish();

  [[nodiscard]] std::vector<half_message> const& sent() const noexcept { return sent_messages_; }
  [[nodiscard]] std::vector<half_message> const& received() const noexcept { return received_messages_; }
  [[nodiscard]] std::vector<steal_from_rank> const& steals_from_ranks() const noexcept { return from_ranks_; }

 private:
  /// The slices that one worker has begun and not ended.
  struct open_track {
    std::vector<std::size_t> tasks;  ///< slices, the innermost last
    std::optional<std::size_t> leaf;
    std::optional<std::size_t> activity;
    bool works = false;
  };
  /// A fiber that waits: its slices as they were when it parked, outermost first.
  struct parked_fiber {
    std::vector<std::size_t> stays;
  };
  /// An entry that was taken from a worker's lane, or put into one, and has not begun yet.
  struct transfer {
    arrow::kind what;
    std::size_t point;       ///< at the victim or the sender
    std::uint32_t receiver;  ///< or the thief
    std::uint32_t other;
    std::uint64_t at_ns;
    bool arrived = false;
  };

  [[nodiscard]] std::uint32_t tasks_row(std::uint32_t track) const noexcept { return first_row_ + 1 + 2 * track; }
  [[nodiscard]] std::uint32_t text(std::string_view t) { return out_.texts.number(t); }
  [[nodiscard]] std::uint32_t name(trace::event const& e, std::string_view otherwise);
  std::size_t add_point(std::uint32_t row, std::uint32_t name, std::optional<std::uint64_t> value = {});
  std::size_t open(std::uint32_t row, std::vector<std::size_t>& in, slice s);
  void close(std::size_t i, slice::ending how) noexcept;
  void close_down_to(std::vector<std::size_t>& open, std::size_t keep, slice::ending last) noexcept;
  void end_leaf(std::uint32_t track) noexcept;
  void task_ended(std::uint32_t track, std::uint64_t id) noexcept;
  void member_ended(std::uint32_t track) noexcept;
  void construct_began(std::uint32_t track, trace::event const& e);
  void construct_ended(std::uint32_t track, trace::event const& e) noexcept;
  void node_began(std::uint32_t track, trace::event const& e);
  void node_ended(std::uint32_t track, trace::event const& e);
  void draw_edges();
  void leave(std::uint32_t track, std::uint64_t frame, slice::ending how);
  void resume(std::uint32_t track, std::uint64_t frame);
  void transferred(std::uint32_t track, trace::event const& e);
  void stolen_from_rank(std::uint32_t track, trace::event const& e);
  void arrive(std::uint32_t track, std::uint64_t id, std::size_t at_slice);
  void change_activity(std::uint32_t track, trace::event const& e);
  void message(std::uint32_t track, trace::event const& e);
  void count(sample::kind what, std::uint64_t value);
  void take_for_pool(trace::event const& e);
  [[nodiscard]] bool began_already(std::uint64_t id, std::uint32_t receiver);

  timeline& out_;
  trace::trace_data const& from_;
  std::uint32_t pool_;
  std::uint64_t offset_ns_;
  std::optional<std::uint16_t> const distance_of_ranks_;
  std::uint32_t first_row_ = 0;
  std::uint64_t now_ns_ = 0;
  std::uint64_t working_ = 0;
  std::vector<open_track> tracks_;
  std::vector<std::size_t> iterations_;
  std::unordered_map<std::uint64_t, parked_fiber> parked_;
  std::vector<transfer> transfers_;
  std::unordered_map<std::uint64_t, std::size_t> stolen_, sent_;  ///< by item or frame: the newest transfer
  std::unordered_map<std::uint64_t, std::size_t>
      newest_stay_;  ///< by item or frame: its slice, if nobody is known to have sent it
  std::unordered_map<std::uint32_t, std::uint32_t> names_;  ///< from a name in the trace to its short text
  /// A node of a flow: where arrows to it end, and arrows from it begin.
  struct node_slices {
    std::size_t first, last;
  };
  std::unordered_map<std::uint64_t, node_slices> nodes_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> edges_;
  std::vector<half_message> sent_messages_, received_messages_;
  std::vector<steal_from_rank> from_ranks_;
};

}  // namespace skua::cli
