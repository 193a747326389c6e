// SPDX-License-Identifier: MIT
// A trace as a drawing: rows of slices, points on them, and arrows between them. stays.hpp makes it, and every format
// for drawing (Perfetto, Chrome, OTF2) is written from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skua::cli {

/// Texts that occur often, each once. Number 0 is the empty text.
class text_pool {
 public:
  text_pool() { static_cast<void>(number("")); }
  text_pool(text_pool const&) = delete;
  text_pool(text_pool&&) = default;
  [[nodiscard]] std::uint32_t number(std::string_view text);
  [[nodiscard]] std::string const& operator[](std::uint32_t number) const noexcept { return *texts_[number]; }
  [[nodiscard]] std::size_t size() const noexcept { return texts_.size(); }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string const*> texts_;  ///< keys of numbers_, which stay where they are
};

/// A pool of one process: one trace file.
struct traced_pool {
  std::string name;  ///< "rank 1: fib, adws"
  std::uint32_t rank = 0;
  std::uint64_t lost = 0;   ///< events that were overwritten
  bool is_complete = true;  ///< its process has ended the trace
};

struct row {
  enum class kind : std::uint8_t {
    pool,      ///< events of all workers: marks, iterations, regions
    tasks,     ///< the tasks of a worker
    activity,  ///< working, searching, idling or sleeping
  };
  std::uint32_t pool = 0;
  std::uint32_t worker = 0;
  kind what = kind::tasks;
  bool is_outside = false;  ///< no worker: notes of outside threads
};

/// A stay of a task, or of a flow's node, on a worker, a leaf, a team's member, an activity or an iteration. Slices of a row nest.
struct slice {
  enum class kind : std::uint8_t { task, leaf, member, activity, iteration, node };
  enum class ending : std::uint8_t {
    ended,
    parked,  ///< the task waits; an arrow leads to its next stay
    moved,   ///< the same, because it belongs to another worker
    cut,     ///< its end is not in the trace
  };
  std::uint32_t row = 0;
  std::uint32_t name = 0;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t id = 0;     ///< of the task or node
  std::uint64_t value = 0;  ///< bytes of a leaf, width of a team, number of an iteration
  std::uint32_t depth = 0;  ///< slices of its row around it
  kind what = kind::task;
  ending how = ending::cut;
};

struct point {
  std::uint32_t row = 0;
  std::uint32_t name = 0;
  std::uint64_t at_ns = 0;
  std::uint64_t value = 0;
  bool has_value = false;
};

/// One end of an arrow.
struct arrow_end {
  bool is_slice = false;  ///< else a point
  std::size_t index = 0;
  friend bool operator==(arrow_end const&, arrow_end const&) = default;
};

struct arrow {
  enum class kind : std::uint8_t { went_on, stolen, sent, message, edge };
  kind what = kind::went_on;
  arrow_end from, to;
};

/// A value of a pool that holds until its next sample.
struct sample {
  enum class kind : std::uint8_t { working_workers, waiting_tasks };
  std::uint32_t pool = 0;
  kind what = kind::working_workers;
  std::uint64_t at_ns = 0;
  std::uint64_t value = 0;
};

struct timeline {
  std::vector<traced_pool> pools;
  std::vector<row> rows;
  std::vector<slice> slices;  ///< those of a row in the order of their beginnings, outer ones before inner ones
  std::vector<point> points;
  std::vector<arrow> arrows;
  std::vector<sample> samples;
  std::uint64_t ended_ns = 0;
  text_pool texts;
};

[[nodiscard]] std::string_view name_of(slice::kind k) noexcept;
[[nodiscard]] std::string_view name_of(slice::ending e) noexcept;
[[nodiscard]] std::string_view name_of(arrow::kind k) noexcept;
[[nodiscard]] std::string_view name_of(sample::kind k) noexcept;
/// "worker 3", "worker 3: activity", "outside", "pool"
[[nodiscard]] std::string name_of(row const& r);

/// Where an arrow begins or ends: a slice at its beginning.
struct arrow_place {
  std::uint32_t row = 0;
  std::uint64_t at_ns = 0;
};
[[nodiscard]] arrow_place place_of(timeline const& t, arrow_end const& e) noexcept;

/// A point or slice with the arrows that begin and end there, which have their index as number.
struct arrow_numbers {
  std::vector<std::vector<std::size_t>> from_slice, to_slice;  ///< by slice
  std::vector<std::vector<std::size_t>> from_point, to_point;  ///< by point
};
[[nodiscard]] arrow_numbers arrows_by_end(timeline const& t);

/// The slices of each row, in their order, by row.
[[nodiscard]] std::vector<std::vector<std::size_t>> slices_by_row(timeline const& t);

/// Calls begin(index) and end(index) for the slices of one row in the order in which a nested notation writes them: inner
/// ones end before outer ones.
template <class Begin, class End>
void walk(timeline const& t, std::vector<std::size_t> const& of_row, Begin&& begin, End&& end) {
  std::vector<std::size_t> open;
  auto const close_to = [&](std::size_t depth) {
    for (; open.size() > depth; open.pop_back()) end(open.back());
  };
  for (std::size_t const i : of_row) {
    close_to(t.slices[i].depth);
    begin(i);
    open.push_back(i);
  }
  close_to(0);
}

}  // namespace skua::cli
