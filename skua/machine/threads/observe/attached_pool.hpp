// SPDX-License-Identifier: MIT
// A read-only view of a pool in another process: the counterpart of pool_memory. It trusts nothing that it reads there:
// whatever the other process writes, reading terminates and stays inside the memory. attach.md has the rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "skua/machine/threads/engine/core/shared_pool.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Entries in a worker's lanes, of all visible regions. Open joins are not among them: they lie in memory of the process alone.
struct lane_lengths {
  std::uint64_t spawned = 0;  ///< tasks without a fixed place: of scopes, task groups, finish regions
  std::uint64_t inbox = 0;    ///< frames and tasks that other workers sent to this one
  std::uint64_t placed = 0;   ///< entries that the policy placed: the lanes local, migrated, mailbox, next, and nodes

  lane_lengths& operator+=(lane_lengths const& other) noexcept {
    spawned += other.spawned;
    inbox += other.inbox;
    placed += other.placed;
    return *this;
  }
};

/// One worker at one moment.
struct worker_snapshot {
  worker_counters counters;
  activity now = activity::idling;
  std::uint64_t calls = 0;  ///< begins and ends of outside callers in its place
  lane_lengths lanes;
  std::uint32_t place = 0;
  std::int32_t processor = -1;
};

struct region_snapshot {
  std::uint64_t number = 0;
  std::string policy;
  std::uint32_t workers = 0;
};

struct pool_snapshot {
  std::uint64_t at_ns = 0;  ///< of the monotonic clock
  std::uint64_t opened_ns = 0;
  bool has_lanes = false;  ///< otherwise the lengths of lanes are not known
  std::vector<region_snapshot> regions;
  std::vector<worker_snapshot> workers;
  std::uint64_t code = 0;         ///< of the present call of a runtime on top, or the last one; 0: there was none
  std::uint64_t call_bounds = 0;  ///< begins and ends of such calls: odd while one is in progress
  std::uint32_t permitted = 0;    ///< workers, by a permit (engine/sharing/permits.md); 0: all
};

class attached_pool {
 public:
  /// Maps the memory behind the open file `file`, which remains the caller's. Throws error if it is not a pool, or one of
  /// another version of Skua.
  explicit attached_pool(int file);
  ~attached_pool();
  attached_pool(attached_pool const&) = delete;
  attached_pool& operator=(attached_pool const&) = delete;

  /// The number of the process that made the pool, as it sees itself.
  [[nodiscard]] std::uint32_t process() const noexcept { return head().process; }
  [[nodiscard]] std::uint64_t opened_ns() const noexcept { return head().opened_ns; }

  /// Whether the open file `file` is this pool's.
  [[nodiscard]] bool is_of(int file) const noexcept;

  /// Throws error if a worker has been writing an entry for a tenth of a second: its process was stopped there.
  [[nodiscard]] pool_snapshot snapshot() const;

 private:
  [[nodiscard]] shared_pool& head() const noexcept { return *reinterpret_cast<shared_pool*>(base_); }
  [[nodiscard]] worker_snapshot snapshot_of(std::uint32_t w, std::uint64_t now_ns) const;
  [[nodiscard]] bool read_lanes(std::size_t region, pool_snapshot& into) const;

  std::size_t bytes_ = 0;
  std::uint64_t inode_ = 0;  ///< unique among the memories that are shared in this way
  std::byte* base_ = nullptr;
  // Copies, which the other process cannot change after they were checked.
  std::uint32_t workers_ = 0;
  std::uint32_t slot_bytes_ = 0;
  bool counts_forks_ = false;
  std::uint64_t workers_at_ = 0;
  std::uint64_t slots_at_ = 0;
};

}}}  // namespace skua::v0::runtime
