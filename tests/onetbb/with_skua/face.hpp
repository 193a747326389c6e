// SPDX-License-Identifier: MIT
// The names of forms.cpp and steps.cpp: Skua's.
#pragma once

#include <skua/as_tbb.hpp>

namespace face = skua::tbb;
