// SPDX-License-Identifier: MIT
// A trace while it is written: makes the file, maps it, and gives each worker its track. Format and proofs: trace.md.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "skua/parts/trace/track.hpp"

namespace skua { inline namespace v0 { namespace trace {

inline constexpr std::size_t default_bytes = std::size_t{32} << 20;  ///< 10^6 events
inline constexpr std::uint64_t least_events = 1024;                  ///< per track

struct trace_options {
  std::string path;
  std::string chosen_by = "trace";  ///< the path's name in errors: an option or a variable
  std::uint32_t tracks = 1;
  std::size_t bytes = default_bytes;  ///< of all events together, about; at least `least_events` per track
  std::string description = "{}";     ///< JSON
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  bool is_virtual = false;  ///< ticks are nanoseconds of virtual time
};

class trace_file {
 public:
  /// Makes the file, or replaces one that no process is writing. While another pool or process writes it, takes the name
  /// with "-2" behind it, then "-3", and so on. Reserves all of its space on the disk. Throws usage_error, with the path
  /// and the reason, if that is impossible.
  [[nodiscard]] static std::unique_ptr<trace_file> make(trace_options const& options);
  /// Notes the end, and gives back the space on the disk that no event took. The file stays.
  ~trace_file();
  trace_file(trace_file const&) = delete;
  trace_file& operator=(trace_file const&) = delete;

  /// The track of worker `w` < tracks. Each has one writer at a time. The file must outlive it.
  [[nodiscard]] track track_of(std::uint32_t w) noexcept;
  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return head().track_capacity; }
  /// Notes the end of the workers' events. Workers may still write until the process is gone.
  void note_end() noexcept;
  /// The difference between rank 0's monotonic clock and this process's.
  void correct_clock(std::int64_t ns) noexcept { head().correction_ns = ns; }

  /// Adds a name, or finds it: its position in the file; 0 if there is no room for it. Any thread.
  std::uint32_t add_name(std::string_view text) noexcept;
  /// Numbers the runs of flows from 1. Any thread.
  std::uint32_t next_flow() noexcept { return flows_.fetch_add(1, std::memory_order_relaxed) + 1; }  // relaxed: a count

 private:
  trace_file(std::string path, int file) noexcept : path_(std::move(path)), file_(file) {}
  void lay_out(trace_options const& options);
  [[nodiscard]] header& head() const noexcept { return *reinterpret_cast<header*>(begin_); }
  [[nodiscard]] std::byte* track_at(std::uint32_t w) const noexcept;

  std::string path_;
  int file_ = -1;
  std::byte* begin_ = nullptr;
  std::size_t bytes_ = 0;
  std::mutex naming_;
  std::unordered_map<std::string, std::uint32_t> names_;
  std::atomic<std::uint32_t> flows_{0};
};

/// Now, on both clocks, as close to each other as three attempts get them.
[[nodiscard]] reading read_clocks() noexcept;

}}}  // namespace skua::v0::trace
