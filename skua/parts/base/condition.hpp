// SPDX-License-Identifier: MIT
// What real threads wait on, apart from sync.hpp: only those who sleep include it, programs do not.
#pragma once

#include <condition_variable>

#include "skua/parts/base/sync.hpp"

namespace skua::runtime {

class real_condition : public std::condition_variable {};

}  // namespace skua::runtime
