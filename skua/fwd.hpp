// SPDX-License-Identifier: MIT
// Declares the classes that interfaces of programs mention most, without their headers. Do not declare them yourself: they
// stand in an inline namespace with the version of the ABI, and some in a namespace of their own inside that.
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 {

namespace runtime {

class here;
class layout;
class serial;
class task_group_context;
class topology;
enum class place_id : std::uint32_t;
struct hint;

}  // namespace runtime

namespace sim {

class here;

}  // namespace sim

class communicator;
class pool;
class recorder;
class region;
struct pool_options;
using runtime::hint;
using runtime::layout;
using runtime::place_id;
using runtime::serial;
using runtime::task_group_context;
using runtime::topology;

}}  // namespace skua::v0
