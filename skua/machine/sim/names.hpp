// SPDX-License-Identifier: MIT
// Short names in the simulator for declarations of skua::runtime and skua::policies.
#pragma once

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/outcome.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/policy/policy.hpp"

namespace skua { inline namespace v0 { namespace sim {

using policies::action;
using policies::amount;
using policies::begun;
using policies::cause;
using policies::ended;
using policies::event;
using policies::lane;
using policies::lane_kinds;
using policies::placement;
using policies::policy;
using policies::probe;
using policies::probed;
using policies::returned;
using policies::task_tag;
using policies::waiting;
using policies::worker_policy;
using runtime::broken;
using runtime::checked;
using runtime::dice;
using runtime::expects;
using runtime::index;
using runtime::invariant;
using runtime::outcome;

}}}  // namespace skua::v0::sim
