// SPDX-License-Identifier: MIT
// What the runtime's own deeds take on this machine, measured on pools as users make them. Ns; every answer is verified.
#pragma once

namespace skua::cli {

/// A fork and its join on one worker, beyond the two calls: fib without cut-off, less its serial elision.
double fork_ns();
/// One push and one pop at the owner's end of a lane; half of that.
double pop_ns();
/// From a fork to the first instruction of what a searching worker has stolen.
double steal_ns();
/// A searching worker's time per attempt where there is nothing to steal, its pauses included.
double miss_ns();
/// From the last instruction of a stolen child to the first after the join of its parent, who has parked.
double resume_ns();
/// One look at the clock and one pause: what a worker adds between two rounds of attempts.
double rest_ns();
/// What waking a sleeping thread takes him who wakes it.
double call_up_ns();
/// From a call to a sleeping pool until the first instruction of the task.
double wake_up_ns();

}  // namespace skua::cli
