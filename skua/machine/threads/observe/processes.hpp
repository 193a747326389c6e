// SPDX-License-Identifier: MIT
// Finds the processes of this user that have pools. The memory of a pool is one of the files that its process has open
// (pool_memory.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "skua/machine/threads/observe/attached_pool.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A process, identified by its number and its start time, because a later process may reuse the number.
struct process_identity {
  int number = 0;
  std::uint64_t began = 0;
  friend bool operator==(process_identity const&, process_identity const&) = default;
};

/// The process of this number. Throws error if there is none, it has ended, it belongs to another user, or it refuses to
/// be inspected.
[[nodiscard]] process_identity find_process(int number);
/// False once the process has ended, even if its parent has not waited for it yet.
[[nodiscard]] bool is_running(process_identity const& p);
/// Its command line, as one line; its short name if it has none.
[[nodiscard]] std::string command_of(process_identity const& p);

/// The pools of a process, the oldest first, as far as it has any now. Throws error if it has pools that this command
/// cannot read. Takes pools in `known` from there instead of attaching to them again.
[[nodiscard]] std::vector<std::shared_ptr<attached_pool>> pools_of(
    process_identity const& p, std::vector<std::shared_ptr<attached_pool>> const& known = {});

/// All running processes of this user that have pools, by number.
[[nodiscard]] std::vector<process_identity> processes_with_pools();

}}}  // namespace skua::v0::runtime
