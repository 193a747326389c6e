// SPDX-License-Identifier: MIT
// oneTBB's names, for programs that move over in steps: include this instead of <oneapi/tbb.h>, write `namespace tbb = skua::tbb;`, and what
// compiles means the same. Where a name cannot mean the same, the compiler says what to use. docs/from-onetbb.md has it all in tables.
//
// What is alike stands in namespace skua already (conventional.hpp) and is only named here. tbb/ has the rest.
#pragma once

#include "skua/conventional.hpp"
#include "skua/machine/threads/face/enqueue.hpp"
#include "skua/tbb/allocators.hpp"
#include "skua/tbb/cache_aligned_allocator.hpp"
#include "skua/tbb/collaborative_call_once.hpp"
#include "skua/tbb/concurrent_bounded_queue.hpp"
#include "skua/tbb/concurrent_hash_map.hpp"
#include "skua/tbb/concurrent_queue.hpp"
#include "skua/tbb/concurrent_unordered.hpp"
#include "skua/tbb/concurrent_vector.hpp"
#include "skua/tbb/enumerable_thread_specific.hpp"
#include "skua/tbb/missing.hpp"
#include "skua/tbb/mutex.hpp"
#include "skua/tbb/pipeline.hpp"
#include "skua/tbb/ranges.hpp"
#include "skua/tbb/task.hpp"
#include "skua/tbb/task_arena.hpp"
#include "skua/tbb/task_scheduler_handle.hpp"
#include "skua/tbb/task_scheduler_observer.hpp"
#include "skua/tbb/tick_count.hpp"

namespace skua { inline namespace v0 { namespace tbb {

using skua::affinity_partitioner;
using skua::auto_partitioner;
using skua::blocked_range;
using skua::blocked_range2d;
using skua::blocked_range3d;
using skua::canceled;
using skua::complete;
using skua::feeder;
using skua::is_current_task_group_canceling;
using skua::not_complete;
using skua::parallel_deterministic_reduce;
using skua::parallel_for;
using skua::parallel_for_each;
using skua::parallel_invoke;
using skua::parallel_reduce;
using skua::parallel_scan;
using skua::parallel_sort;
using skua::proportional_split;
using skua::simple_partitioner;
using skua::split;
using skua::static_partitioner;
using skua::task_group;
using skua::task_group_context;
using skua::task_group_status;
using skua::task_handle;

}}}  // namespace skua::v0::tbb
