// SPDX-License-Identifier: MIT
// The same cases on the face that programs include, and so on threads: the default pool.
#include "skua/skua.hpp"

namespace api = skua;

#include "skua/program/port_cases_test.hpp"
