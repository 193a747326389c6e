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

/// What the bytes of a file mean: tasks of another program, or of another version of it, are refused.
struct checkpoint_identity {
  std::string collection;
  std::string task_type;
  std::uint64_t task_bytes = 0;  ///< sizeof the type
  bool is_serialized = false;
  std::uint64_t version = 0;  ///< collection_options::version
  friend bool operator==(checkpoint_identity const&, checkpoint_identity const&) = default;
};
/// "'fock' of tasks of 16 bytes (quartet), version 3".
[[nodiscard]] std::string in_words(checkpoint_identity const& i);

/// The tasks and times of one rank.
[[nodiscard]] bytes encode(task_record const& record);
/// The same for these entries only.
[[nodiscard]] bytes encode(task_record const& record, std::span<std::uint64_t const> entries);
/// The same with their footprints, if the record has any. No checkpoint has them.
[[nodiscard]] bytes encode_with_footprints(task_record const& record, std::span<std::uint64_t const> entries);
/// Adds the tasks and times, and footprints, that one of these wrote.
void decode(bytes const& from, task_record& to);

/// What a file holds. Ranks in it, the origins of its tasks, are those of the job that wrote it.
struct saved_records {
  rank_number ranks = 0;       ///< of that job, the dead ones included
  std::vector<bytes> records;  ///< of its live ranks
  bytes state;                 ///< the program's own
};

/// All or nothing, as parts/base/whole_file.hpp, and flushed to the disk. Throws resource_error, and usage_error for what is no regular file.
void write_checkpoint(std::string const& path, checkpoint_identity const& of, saved_records const& saved);

/// Throws resource_error if the file cannot be read, usage_error if it is no regular file, damaged or of another collection.
[[nodiscard]] saved_records read_checkpoint(std::string const& path, checkpoint_identity const& wanted,
                                            slot_shape const& shape);

/// The same records for the live ranks of this job, by rank: in the old order, cut so that the times divide evenly. If this job has another
/// number of ranks than the one that wrote them, the tasks begin anew: each one's origin is the rank that gets it.
[[nodiscard]] std::vector<bytes> deal_again(saved_records const& saved, slot_shape const& shape,
                                            live_ranks const& live);

}}}  // namespace skua::v0::ranks
