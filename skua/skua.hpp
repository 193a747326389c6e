// SPDX-License-Identifier: MIT
// Skua's public API: one include.
//
// `pool` and `here` (program/fork_join.hpp) are the native interface; the algorithms of program/algorithm take a
// `here`. The calls of conventional.hpp are for programs written for oneTBB: they take no `here`, and run on the pool
// of the calling worker or on the default pool. docs/guide/names.md lists every public name.
#pragma once

#if __cplusplus < 202002L
#error "Skua needs C++20: compile with -std=c++20 or newer"
#else

#include "skua/conventional.hpp"
#include "skua/machine/threads/face/ambient.hpp"
#include "skua/machine/threads/face/coroutine.hpp"
#include "skua/machine/threads/face/distribute.hpp"
#include "skua/machine/threads/face/enqueue.hpp"
#include "skua/machine/threads/face/executor.hpp"
#include "skua/machine/threads/face/isolate.hpp"
#include "skua/machine/threads/face/leaf_record.hpp"
#include "skua/machine/threads/face/one_shot.hpp"
#include "skua/machine/threads/face/pool.hpp"
#include "skua/machine/threads/face/this_worker.hpp"
#include "skua/machine/threads/face/without_stop.hpp"
#include "skua/machine/threads/face/worker_local.hpp"
#include "skua/machine/threads/fork/join/here.hpp"
#include "skua/parts/base/built_with.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/memory/locate.hpp"
#include "skua/parts/memory/page_array.hpp"
#include "skua/program/algorithm/filter.hpp"
#include "skua/program/algorithm/for_each.hpp"
#include "skua/program/algorithm/invoke.hpp"
#include "skua/program/algorithm/reduce.hpp"
#include "skua/program/algorithm/scan.hpp"
#include "skua/program/algorithm/sort.hpp"
#include "skua/program/algorithm/stable_sort.hpp"
#include "skua/program/algorithm/transform.hpp"
#include "skua/program/at_most.hpp"
#include "skua/program/blocked_range.hpp"
#include "skua/program/first_touch.hpp"
#include "skua/program/flow/flow.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/hint.hpp"
#include "skua/program/mark.hpp"
#include "skua/program/measured_work.hpp"
#include "skua/program/partitioner.hpp"
#include "skua/program/serial.hpp"
#include "skua/program/space_filling_curve.hpp"
#include "skua/program/strategy/finish.hpp"

#endif
