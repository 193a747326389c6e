// SPDX-License-Identifier: MIT
// The words that the threads machine shares with policies, by their short names.
#pragma once

#include "skua/policy/policy.hpp"

namespace skua::runtime {

using policies::action;
using policies::begun;
using policies::cause;
using policies::ended;
using policies::lane;
using policies::placement;
using policies::probe;
using policies::probed;
using policies::returned;
using policies::task_tag;
using policies::waiting;
using policies::worker_policy;

}  // namespace skua::runtime
