// SPDX-License-Identifier: MIT
// The records of all ranks as one file: what a job needs to go on after it was killed, on any number of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "skua/machine/ranks/collection/task_record.hpp"
#include "skua/machine/ranks/communicator/collectives.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// What a file says of itself, so that the tasks of another program are not taken for ours.
struct checkpoint_identity {
  std::string collection;
  std::string task_type;
  std::uint64_t slot_bytes = 0;
  friend bool operator==(checkpoint_identity const&, checkpoint_identity const&) = default;
};

/// The tasks and times of one rank.
[[nodiscard]] bytes encode(task_record const& record);
/// Of these entries only.
[[nodiscard]] bytes encode(task_record const& record, std::span<std::uint64_t const> entries);
/// Adds what `encode` wrote.
void decode(bytes const& from, task_record& to);

/// Whole or not at all: writes beside it, flushes to the disk, renames. Throws resource_error. `records`: one per rank.
void write_checkpoint(std::string const& path, checkpoint_identity const& of, std::vector<bytes> const& records,
                      bytes const& state);

struct saved_records {
  std::vector<bytes> records;  ///< of the ranks that wrote it
  bytes state;                 ///< the program's own
};
/// Throws resource_error if the file cannot be read, usage_error if it is damaged or of another collection.
[[nodiscard]] saved_records read_checkpoint(std::string const& path, checkpoint_identity const& wanted,
                                            slot_shape const& shape);

/// The same records for another number of ranks: in the old order, cut where the times divide evenly.
[[nodiscard]] std::vector<bytes> deal_again(std::vector<bytes> const& records, slot_shape const& shape,
                                            std::uint32_t ranks);

}}}  // namespace skua::v0::ranks
