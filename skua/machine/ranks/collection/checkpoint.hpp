// SPDX-License-Identifier: MIT
// The records of all ranks as one file: a killed job continues from it, on any number of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "skua/machine/ranks/collection/task_record.hpp"
#include "skua/machine/ranks/communicator/collectives.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Identifies the program in a file, so that tasks of another program are refused.
struct checkpoint_identity {
  std::string collection;
  std::string task_type;
  std::uint64_t slot_bytes = 0;
  friend bool operator==(checkpoint_identity const&, checkpoint_identity const&) = default;
};

/// The tasks and times of one rank.
[[nodiscard]] bytes encode(task_record const& record);
/// The same for these entries only.
[[nodiscard]] bytes encode(task_record const& record, std::span<std::uint64_t const> entries);
/// Adds the tasks and times that `encode` wrote.
void decode(bytes const& from, task_record& to);

/// All or nothing: writes a second file, flushes it to the disk, renames it. Throws resource_error. `records`: one per
/// rank.
void write_checkpoint(std::string const& path, checkpoint_identity const& of, std::vector<bytes> const& records,
                      bytes const& state);

struct saved_records {
  std::vector<bytes> records;  ///< of the ranks that wrote it
  bytes state;                 ///< the program's own
};
/// Throws resource_error if the file cannot be read, usage_error if it is damaged or of another collection.
[[nodiscard]] saved_records read_checkpoint(std::string const& path, checkpoint_identity const& wanted,
                                            slot_shape const& shape);

/// The same records for another number of ranks: in the old order, cut so that the times divide evenly.
[[nodiscard]] std::vector<bytes> deal_again(std::vector<bytes> const& records, slot_shape const& shape,
                                            std::uint32_t ranks);

}}}  // namespace skua::v0::ranks
