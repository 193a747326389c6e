// SPDX-License-Identifier: MIT
// Skua's public API: one include.
#pragma once

#include "skua/machine/threads/here.hpp"
#include "skua/machine/threads/pool.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/hint.hpp"
#include "skua/program/serial.hpp"
