// SPDX-License-Identifier: MIT
// The names of forms.cpp and steps.cpp: oneTBB's.
#pragma once

#include <oneapi/tbb.h>

namespace face = oneapi::tbb;
