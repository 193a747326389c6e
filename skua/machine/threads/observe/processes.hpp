// SPDX-License-Identifier: MIT
// The processes of this user that have pools, and the way to them: the files that a process has open, of which the memory of
// a pool is one (pool_memory.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "skua/machine/threads/observe/attached_pool.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A process, by its number and the moment when it began, so that another one with the same number is not taken for it.
struct process_identity {
  int number = 0;
  std::uint64_t began = 0;
  friend bool operator==(process_identity const&, process_identity const&) = default;
};

/// The process of this number. Throws error: there is none, it has ended, it belongs to another user, or it lets nobody
/// look into it.
[[nodiscard]] process_identity find_process(int number);
/// False once the process has ended, also if nobody has waited for it yet.
[[nodiscard]] bool is_running(process_identity const& p);
/// Its command line, as one line; its short name if it has none.
[[nodiscard]] std::string command_of(process_identity const& p);

/// The pools of a process, the oldest first, as far as it has any now. Throws error: it has pools, but this command cannot
/// read them. Those in `known` are not attached to again, but taken from there.
[[nodiscard]] std::vector<std::shared_ptr<attached_pool>> pools_of(
    process_identity const& p, std::vector<std::shared_ptr<attached_pool>> const& known = {});

/// All running processes of this user that have pools, by number.
[[nodiscard]] std::vector<process_identity> processes_with_pools();

}}}  // namespace skua::v0::runtime
