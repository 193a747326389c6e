// SPDX-License-Identifier: MIT
// Which functions are operations. A function whose name is not here counts for the operations that call it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace line_counts {

struct operation_name {
  std::string_view operation;
  std::string_view function;     ///< class::name, or namespace::name
  std::string_view called = {};  ///< if the call calls this function, it counts as the next one
  std::string_view becomes = {};
};

inline constexpr operation_name operation_names[] = {
    {"fork", "fork_deque::push", "fork_deque::poll", "fork, asked for attention"},
    {"join, not stolen", "fork_deque::pop", "fork_deque::pop_guarded", "join, guarded"},
    {"end of a stolen task", "fiber::finish_piece"},
    {"failed steal", "anonymous::steal", "worker_trace::steals", "steal"},
    {"revocation", "victim::revoke"},
    {"begin of a search", "sleep_state::start_search"},
    {"end of a search", "sleep_state::found", "sleep_state::wake_up_locked", "end of a search, wakes another"},
    {"look at the sleepers", "sleep_state::notify", "sleep_state::wake_up_locked", "wake"},
    {"look at the sleepers of a region", "sleep_state::notify_among", "sleep_state::wake_up_locked",
     "wake in a region"},
    {"look at one sleeper", "sleep_state::notify_worker", "sleep_state::wake_up_locked", "wake one"},
    {"sleep", "sleep_state::fall_asleep"},
    {"sleep: requests", "pool_core::request_attention"},
    {"sleep: look for work", "work_search::anything_to_do"},
    {"look for barred work", "worker::is_barred"},
    {"begin of a call", "caller::borrow"},
    {"end of a call", "caller::give_back"},
    {"call by a guest", "guest_list::run"},
    {"enqueue", "runtime::submit"},
    {"task from outside", "anonymous::take_injected"},
    {"send", "moving::send"},
    {"frame sent home", "worker::send_home"},
    {"begin of a team", "team_of_workers::form"},
    {"barrier of a team", "team_barrier::arrive"},
    {"end of a member", "team_of_workers::leave"},
    {"end of a node", "finish_region::end_task"},
    {"new region", "pool_core::open_region"},
};

/// class::name of a symbol without mangling: without template arguments, parameters and return type.
[[nodiscard]] std::string short_name(std::string_view symbol);

/// The functions of this program: address and short name.
struct function_name {
  void const* address;
  std::string name;
};
[[nodiscard]] std::vector<function_name> functions_of_this_program();

}  // namespace line_counts
