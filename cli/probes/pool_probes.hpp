// SPDX-License-Identifier: MIT
// Costs of the runtime's own operations on this machine, in ns, measured on ordinary pools. Every answer is verified.
#pragma once

namespace skua::cli {

/// A fork and its join on one worker, beyond the two calls: fib without cut-off, less its serial elision.
double fork_ns();
/// A task of a finish region that spawns the next one, on one worker: from spawn to spawn.
double spawn_ns();
/// One call of a comparator where 1000 tasks wait, with what the ordered store does around it.
double compare_ns();
/// One push and one pop at the owner's end of a lane; half of that.
double pop_ns();
/// From a fork to the first instruction of the child that a searching worker steals.
double steal_ns();
/// A searching worker's time per attempt when there is nothing to steal, its pauses included.
double miss_ns();
/// From the last instruction of a stolen child to the first instruction after the join of its parent, which has parked.
double resume_ns();
/// One look at the clock and one pause: what a worker does between two rounds of attempts.
double rest_ns();
/// The cost of waking a sleeping thread, for the waker.
double notify_ns();
/// From a fork until the first instruction of the child on a worker that slept. (A call wakes nobody: the caller works.)
double wake_up_ns();

}  // namespace skua::cli
