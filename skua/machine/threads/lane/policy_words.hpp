// SPDX-License-Identifier: MIT
// Short names for the policy vocabulary that the threads machine uses. Programs compile it, so policies themselves are only
// declared here: a file that calls one includes policy.hpp.
#pragma once

#include "skua/policy/vocabulary.hpp"

namespace skua { inline namespace v0 { namespace policies {
class worker_policy;
struct scheduler_note;
}}}  // namespace skua::v0::policies

namespace skua { inline namespace v0 { namespace runtime {

using policies::action;
using policies::begun;
using policies::cause;
using policies::ended;
using policies::lane;
using policies::part_ended;
using policies::placement;
using policies::probe;
using policies::probed;
using policies::returned;
using policies::task_tag;
using policies::waiting;
using policies::worker_policy;

}}}  // namespace skua::v0::runtime
